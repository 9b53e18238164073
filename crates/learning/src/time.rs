//! Times that callers state.

use kernel::Timestamp;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_time_is_refused() {
        assert_eq!(EventTime::new(-1), Err(NegativeTime));
        assert!(EventTime::new(0).is_ok());
    }
}
