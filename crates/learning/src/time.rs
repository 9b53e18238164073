//! Times that callers state, and periods that they ask about.

use kernel::{InvalidWindow, Timestamp};

/// A time before 1970: a sign or a unit went wrong on the caller's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must not be negative")]
pub struct NegativeTime;

/// A time that a caller stated for something that happened or will happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventTime(Timestamp);

impl EventTime {
    /// Checks a time given in epoch seconds.
    ///
    /// # Errors
    /// When it is negative.
    pub const fn new(seconds: i64) -> Result<Self, NegativeTime> {
        if seconds < 0 { Err(NegativeTime) } else { Ok(Self(Timestamp::from_seconds(seconds))) }
    }

    /// The time.
    #[must_use]
    pub const fn timestamp(self) -> Timestamp {
        self.0
    }
}

/// The time that was stated, or the time it is.
#[must_use]
pub fn stated_or(now: Timestamp, stated: Option<EventTime>) -> Timestamp {
    stated.map_or(now, EventTime::timestamp)
}

/// A span of time, closed on the ends that are given and open on the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Period {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
}

impl Period {
    /// The period between the ends that are given, both included.
    ///
    /// # Errors
    /// When it ends before it starts.
    pub fn new(start: Option<Timestamp>, end: Option<Timestamp>) -> Result<Self, InvalidWindow> {
        match (start, end) {
            (Some(start), Some(end)) if end < start => Err(InvalidWindow),
            _ => Ok(Self { start, end }),
        }
    }

    /// The first second, if the period has one.
    #[must_use]
    pub const fn start(self) -> Option<Timestamp> {
        self.start
    }

    /// The last second, if the period has one.
    #[must_use]
    pub const fn end(self) -> Option<Timestamp> {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_time_is_refused() {
        assert_eq!(EventTime::new(-1), Err(NegativeTime));
        assert!(EventTime::new(0).is_ok());
    }

    #[test]
    fn a_period_may_be_open_but_not_backwards() {
        let at = |seconds| Some(Timestamp::from_seconds(seconds));

        assert_eq!(Period::new(at(2), at(1)), Err(InvalidWindow));
        assert!(Period::new(at(2), at(2)).is_ok());
        assert!(Period::new(at(2), None).is_ok() && Period::new(None, at(1)).is_ok());
    }
}
