//! Pages of growing lists: how many, and where to go on.

use kernel::Timestamp;

/// Rows of a page when the caller does not say.
pub const USUAL_LIMIT: u32 = 100;

/// Most rows of a page.
pub const MOST_ROWS: u32 = 1_000;

/// A page of no rows, or of too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be from 1 to {MOST_ROWS}")]
pub struct LimitOutOfRange;

/// How many rows a page holds: 1 to 1,000, usually 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u32);

impl PageLimit {
    /// The largest page.
    pub const LARGEST: Self = Self(MOST_ROWS);

    /// Checks a limit.
    ///
    /// # Errors
    /// When it is not from 1 to 1,000.
    pub fn new(limit: i64) -> Result<Self, LimitOutOfRange> {
        match u32::try_from(limit) {
            Ok(rows) if (1..=MOST_ROWS).contains(&rows) => Ok(Self(rows)),
            _ => Err(LimitOutOfRange),
        }
    }

    /// How many rows.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self.0
    }

    /// One row more than the page holds, which tells whether another page follows.
    pub(crate) const fn one_more(self) -> u32 {
        self.0 + 1
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(USUAL_LIMIT)
    }
}

/// A text that is no cursor of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a cursor that this list gave out")]
pub struct InvalidCursor;

/// The last row of a page, newest first: the next page holds what is older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The time that orders the list.
    pub at: Timestamp,
    /// The number that orders rows of the same time.
    pub id: i64,
}

impl Cursor {
    /// Reads back a cursor.
    ///
    /// # Errors
    /// When the text is not one that [`Cursor::encode`] gave.
    pub fn parse(text: &str) -> Result<Self, InvalidCursor> {
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()) {
            return Err(InvalidCursor);
        }
        let (at, id) = text.split_at(16);
        let half = |digits| u64::from_str_radix(digits, 16).map(u64::cast_signed).map_err(|_| InvalidCursor);
        Ok(Self { at: Timestamp::from_seconds(half(at)?), id: half(id)? })
    }

    /// The cursor as a text that callers hand back and do not look into.
    #[must_use]
    pub fn encode(self) -> String {
        format!("{:016x}{:016x}", self.at.seconds(), self.id)
    }

    /// Whether a row of this time and number comes after this one in a list of newest first.
    #[must_use]
    pub fn precedes(self, at: Timestamp, id: i64) -> bool {
        (at, id) < (self.at, self.id)
    }
}

/// A part of a list, and where the next part begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows of this page.
    pub items: Vec<T>,
    /// Where to go on; `None` when nothing follows.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Cuts a page from rows that hold one more than the page where more follows.
    pub(crate) fn cut(mut rows: Vec<T>, limit: PageLimit, cursor_of: impl Fn(&T) -> Cursor) -> Self {
        let held = usize::try_from(limit.rows()).unwrap_or(usize::MAX);
        let more = rows.len() > held;
        rows.truncate(held);
        let next = rows.last().filter(|_| more).map(cursor_of);
        Self { items: rows, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::at;

    #[test]
    fn a_page_holds_1_to_1000_rows_and_100_when_nobody_says() {
        assert_eq!(PageLimit::default().rows(), 100);
        for accepted in [1, 100, 1_000] {
            assert_eq!(PageLimit::new(accepted).map(|limit| i64::from(limit.rows())), Ok(accepted));
        }
        for refused in [0, -1, 1_001, i64::MAX, i64::MIN] {
            assert_eq!(PageLimit::new(refused), Err(LimitOutOfRange), "{refused}");
        }
    }

    #[test]
    fn a_cursor_is_read_back_as_it_was_given_out() {
        for (seconds, id) in [(0, 0), (1_790_985_600, 3), (-5, i64::MAX), (i64::MIN, -1), (i64::MAX, 1)] {
            let cursor = Cursor { at: at(seconds), id };

            assert_eq!(Cursor::parse(&cursor.encode()), Ok(cursor));
        }
    }

    #[test]
    fn a_made_up_cursor_is_refused() {
        let upper = "ABCDEF0123456789ABCDEF0123456789";
        for text in ["", "12", "zz345678901234567890123456789012", upper, "+2345678901234567890123456789012"]
        {
            assert_eq!(Cursor::parse(text), Err(InvalidCursor), "{text}");
        }
        assert_eq!(Cursor::parse(&"é".repeat(16)), Err(InvalidCursor));
    }

    #[test]
    fn a_cursor_precedes_what_is_older_or_as_old_with_a_lower_number() {
        let cursor = Cursor { at: at(10), id: 5 };

        assert!(cursor.precedes(at(9), 99) && cursor.precedes(at(10), 4));
        assert!(!cursor.precedes(at(10), 5) && !cursor.precedes(at(11), 1));
    }

    #[test]
    fn a_page_points_on_only_when_more_follows() {
        let cursor_of = |row: &i64| Cursor { at: at(0), id: *row };
        let limit = PageLimit::new(2).unwrap();

        let full = Page::cut(vec![3, 2, 1], limit, cursor_of);
        let last = Page::cut(vec![3, 2], limit, cursor_of);

        assert_eq!(full, Page { items: vec![3, 2], next: Some(Cursor { at: at(0), id: 2 }) });
        assert_eq!(last, Page { items: vec![3, 2], next: None });
    }
}
