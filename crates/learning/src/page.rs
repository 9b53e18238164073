//! Reading long lists piece by piece.

use kernel::{RequestId, Timestamp};

use crate::{AgentPlaybookId, InteractionId, ProfileId, UserPlaybookId};

/// A page of no rows, or of more than we read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be between 1 and 1000")]
pub struct LimitOutOfRange;

/// The rows on a page, 1 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u32);

impl PageLimit {
    /// Checks the limit.
    ///
    /// # Errors
    /// When it is not between 1 and 1000.
    pub const fn new(rows: u32) -> Result<Self, LimitOutOfRange> {
        if rows >= 1 && rows <= 1000 { Ok(Self(rows)) } else { Err(LimitOutOfRange) }
    }

    /// The number of rows.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self.0
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(30)
    }
}

/// A cursor that we did not hand out, or not for this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a cursor of this list")]
pub struct InvalidCursor;

/// What tells rows of one time apart, in one kind of list.
pub trait RowKey: Sized {
    /// The list; part of the cursor, so that no cursor passes for one of another list.
    const LIST: &'static str;

    /// The key as text.
    fn to_text(&self) -> String;

    /// The key from its text.
    fn from_text(text: &str) -> Option<Self>;
}

macro_rules! row_key {
    ($key:ident, $list:literal, |$text:ident| $parse:expr) => {
        impl RowKey for $key {
            const LIST: &'static str = $list;

            fn to_text(&self) -> String {
                self.to_string()
            }

            fn from_text($text: &str) -> Option<Self> {
                $parse
            }
        }
    };
}

row_key!(RequestId, "requests", |text| Self::new(text).ok());
row_key!(ProfileId, "profiles", |text| Self::new(text).ok());
row_key!(InteractionId, "interactions", |text| Self::new(text.parse().ok()?).ok());
row_key!(UserPlaybookId, "user_playbooks", |text| Self::new(text.parse().ok()?).ok());
row_key!(AgentPlaybookId, "agent_playbooks", |text| Self::new(text.parse().ok()?).ok());

/// The place of a row in a list that descends by (time, key). Opaque to callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<K> {
    /// The row's time.
    pub at: Timestamp,
    /// The row's key.
    pub key: K,
}

impl<K: RowKey> Cursor<K> {
    /// The cursor as callers carry it.
    #[must_use]
    pub fn encode(&self) -> String {
        hex::encode(format!("{}:{}:{}", K::LIST, self.at.seconds(), self.key.to_text()))
    }

    /// The cursor that a caller brought back.
    ///
    /// # Errors
    /// When we did not hand it out for this list.
    pub fn decode(text: &str) -> Result<Self, InvalidCursor> {
        let bytes = hex::decode(text).map_err(|_| InvalidCursor)?;
        let plain = String::from_utf8(bytes).map_err(|_| InvalidCursor)?;
        let mut parts = plain.splitn(3, ':');
        let (Some(list), Some(at), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(InvalidCursor);
        };
        if list != K::LIST {
            return Err(InvalidCursor);
        }
        let at = at.parse().map_err(|_| InvalidCursor)?;
        let key = K::from_text(key).ok_or(InvalidCursor)?;
        Ok(Self { at: Timestamp::from_seconds(at), key })
    }
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start<K> {
    /// After this many rows.
    Offset(u32),
    /// After the row at this place.
    After(Cursor<K>),
}

impl<K> Default for Start<K> {
    fn default() -> Self {
        Self::Offset(0)
    }
}

/// A page that a caller asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest<K> {
    /// The rows on it.
    pub limit: PageLimit,
    /// Where it begins.
    pub start: Start<K>,
}

impl<K> Default for PageRequest<K> {
    fn default() -> Self {
        Self { limit: PageLimit::default(), start: Start::default() }
    }
}

/// The rows that a reader is to deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice<K> {
    /// How many at most.
    pub rows: u32,
    /// Where they begin.
    pub start: Start<K>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, K> {
    /// Its rows.
    pub rows: Vec<T>,
    /// Where the next page begins, when there is more.
    pub next: Option<Cursor<K>>,
}

impl<T, K> Page<T, K> {
    /// Whether there are more rows than these.
    #[must_use]
    pub const fn has_more(&self) -> bool {
        self.next.is_some()
    }

    /// Reads a page: one row more than it holds tells whether there is another.
    pub(crate) fn read<E>(
        request: PageRequest<K>,
        place: impl Fn(&T) -> Cursor<K>,
        read: impl FnOnce(&Slice<K>) -> Result<Vec<T>, E>,
    ) -> Result<Self, E> {
        let limit = request.limit.rows();
        let mut rows = read(&Slice { rows: limit + 1, start: request.start })?;
        let held = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > held;
        rows.truncate(held);
        let next = if more { rows.last().map(place) } else { None };
        Ok(Self { rows, next })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn place(number: i64) -> Cursor<InteractionId> {
        Cursor { at: Timestamp::from_seconds(number * 10), key: InteractionId::new(number).unwrap() }
    }

    fn page_of(rows: &[i64], limit: u32) -> Page<i64, InteractionId> {
        let request = PageRequest { limit: PageLimit::new(limit).unwrap(), start: Start::default() };
        let read: Result<_, Infallible> = Page::read(
            request,
            |row| place(*row),
            |slice| {
                assert_eq!(slice.rows, limit + 1);
                Ok(rows.to_vec())
            },
        );
        read.unwrap()
    }

    #[test]
    fn a_page_holds_one_to_a_thousand_rows_and_thirty_unless_told() {
        assert!(PageLimit::new(1).is_ok() && PageLimit::new(1000).is_ok());
        assert_eq!(PageLimit::new(0), Err(LimitOutOfRange));
        assert_eq!(PageLimit::new(1001), Err(LimitOutOfRange));
        assert_eq!(PageLimit::default().rows(), 30);
    }

    #[test]
    fn one_row_too_many_says_that_there_is_more_and_is_not_shown() {
        let page = page_of(&[5, 4, 3], 2);

        assert_eq!(page.rows, [5, 4]);
        assert!(page.has_more());
        assert_eq!(page.next, Some(place(4)));
    }

    #[test]
    fn a_page_that_is_just_full_is_the_last() {
        assert!(!page_of(&[5, 4], 2).has_more());
    }

    #[test]
    fn a_cursor_comes_back_as_it_was_handed_out() {
        let cursor =
            Cursor { at: Timestamp::from_seconds(1_794_704_937), key: RequestId::new("r:1:ü").unwrap() };

        assert_eq!(Cursor::decode(&cursor.encode()), Ok(cursor));
    }

    #[test]
    fn a_cursor_that_is_not_ours_is_refused() {
        let of_another_list = place(7).encode();
        let nothing_inside = hex::encode("interactions:1:0");

        assert_eq!(Cursor::<UserPlaybookId>::decode(&of_another_list), Err(InvalidCursor));
        for text in ["", "zz", "ff", "6161", &nothing_inside] {
            assert_eq!(Cursor::<InteractionId>::decode(text), Err(InvalidCursor), "{text}");
        }
    }
}
