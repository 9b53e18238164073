//! How a window falls into whole days, whole hours, and the seconds left over at its edges.

use ::evaluation::Bucket;
use ::evaluation::calendar::{DAY, HOUR, WEEK};
use kernel::Window;

/// Seconds from the first to the last, both included; none when the last comes before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Span {
    const NONE: Self = Self { first: 1, last: 0 };

    const fn is_empty(self) -> bool {
        self.last < self.first
    }

    /// The part that consists of whole pieces of this length, and what is left before and after it.
    fn whole(self, length: i64) -> [Self; 3] {
        // One past the end may not exist; the last piece of time is then never whole.
        let first = self.first.checked_add((length - self.first.rem_euclid(length)) % length);
        let past = self.last.checked_add(1).and_then(|past| past.checked_sub(past.rem_euclid(length)));
        match (first, past) {
            (Some(first), Some(past)) if first < past => [
                Self { first: self.first, last: first - 1 },
                Self { first, last: past - 1 },
                Self { first: past, last: self.last },
            ],
            _ => [self, Self::NONE, Self::NONE],
        }
    }
}

/// The pieces of a window: each second of it lies in exactly one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spans {
    /// Whole days, counted from the totals of days.
    pub(super) days: Span,
    /// Whole hours before and after those days, counted from the totals of hours.
    pub(super) hours: [Span; 2],
    /// Seconds before and after those hours, counted session by session.
    pub(super) seconds: [Span; 2],
}

impl Spans {
    /// The pieces of a window, no coarser than `bucket`.
    pub(super) fn of(window: Window, bucket: Bucket) -> Self {
        let all = Span { first: window.start().seconds(), last: window.end().seconds() };
        let [before, hours, after] = all.whole(HOUR);
        if hours.is_empty() {
            return Self { days: Span::NONE, hours: [Span::NONE; 2], seconds: [all, Span::NONE] };
        }
        let [earlier, days, later] = match bucket {
            Bucket::Hour => [hours, Span::NONE, Span::NONE],
            Bucket::Day | Bucket::Week => hours.whole(DAY),
        };
        Self { days, hours: [earlier, later], seconds: [before, after] }
    }

    /// The pieces in the order in which statements take them.
    pub(super) const fn in_order(self) -> [Span; 5] {
        let Self { days, hours: [earlier, later], seconds: [before, after] } = self;
        [days, earlier, later, before, after]
    }
}

/// SQL for the start of the bucket that holds the time in this column, as [`Bucket::start_of`] finds it.
pub(super) fn bucket_start(column: &str, bucket: Bucket) -> String {
    let (length, shift) = match bucket {
        Bucket::Hour => (HOUR, 0),
        Bucket::Day => (DAY, 0),
        // The epoch was a Thursday: three days into its week.
        Bucket::Week => (WEEK, 3 * DAY),
    };
    format!("{column} - (({column} % {length}) + {}) % {length}", length + shift)
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::*;

    fn spans(first: i64, last: i64, bucket: Bucket) -> Spans {
        let window = Window::new(Timestamp::from_seconds(first), Timestamp::from_seconds(last)).unwrap();
        Spans::of(window, bucket)
    }

    fn span(first: i64, last: i64) -> Span {
        Span { first, last }
    }

    #[test]
    fn a_long_window_is_days_with_hours_and_seconds_around_them() {
        let found = spans(HOUR - 1, 3 * DAY + 2 * HOUR + 4, Bucket::Week);

        assert_eq!(
            found.seconds,
            [span(HOUR - 1, HOUR - 1), span(3 * DAY + 2 * HOUR, 3 * DAY + 2 * HOUR + 4)]
        );
        assert_eq!(found.hours, [span(HOUR, DAY - 1), span(3 * DAY, 3 * DAY + 2 * HOUR - 1)]);
        assert_eq!(found.days, span(DAY, 3 * DAY - 1));
    }

    #[test]
    fn a_window_within_an_hour_is_seconds_only() {
        let found = spans(10, HOUR - 2, Bucket::Day);

        assert_eq!(found.seconds, [span(10, HOUR - 2), Span::NONE]);
        assert!(found.days.is_empty() && found.hours.iter().all(|hours| hours.is_empty()));
    }

    #[test]
    fn hours_are_not_merged_into_days_when_hours_are_asked_for() {
        let found = spans(0, 2 * DAY - 1, Bucket::Hour);

        assert_eq!((found.hours[0], found.days), (span(0, 2 * DAY - 1), Span::NONE));
    }

    #[test]
    fn every_second_lies_in_exactly_one_piece() {
        for (first, last) in [
            (0, 0),
            (0, HOUR - 1),
            (0, HOUR),
            (-1, HOUR),
            (-DAY - 5, DAY + 5),
            (1, 3 * DAY),
            (i64::MIN, i64::MIN + 3 * DAY),
            (i64::MAX - 3 * DAY, i64::MAX),
            (i64::MIN, i64::MAX),
        ] {
            for bucket in Bucket::ALL {
                let found = spans(first, last, *bucket);
                let mut pieces: Vec<_> =
                    [found.seconds[0], found.hours[0], found.days, found.hours[1], found.seconds[1]]
                        .into_iter()
                        .filter(|piece| !piece.is_empty())
                        .collect();
                pieces.sort_by_key(|piece| piece.first);
                let ends = (pieces.first().map(|piece| piece.first), pieces.last().map(|piece| piece.last));
                assert_eq!(ends, (Some(first), Some(last)), "{first}..={last} by {bucket:?}");
                assert!(pieces.windows(2).all(|two| two[0].last + 1 == two[1].first), "{found:?}");
                assert!(
                    found.hours.iter().all(|hours| hours.is_empty() || hours.first.rem_euclid(HOUR) == 0)
                );
                assert!(found.days.is_empty() || found.days.first.rem_euclid(DAY) == 0);
            }
        }
    }
}
