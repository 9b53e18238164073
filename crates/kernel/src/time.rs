//! Whole Unix seconds, closed windows, and the clock that only adapters read.

/// A point in time: whole seconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// A point in time from its epoch seconds.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Epoch seconds.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// This many seconds later (earlier when negative), without wrapping around.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// Seconds from `earlier` to this time.
    #[must_use]
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Tells the time. Rules take it as an argument so that tests can say what time it is.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// A span of time, closed on both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    start: Timestamp,
    end: Timestamp,
}

/// A window that ends before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the window must not end before it starts")]
pub struct InvalidWindow;

impl Window {
    /// The window from `start` to `end`, both included.
    ///
    /// # Errors
    /// When `end` is before `start`.
    pub fn new(start: Timestamp, end: Timestamp) -> Result<Self, InvalidWindow> {
        if end < start { Err(InvalidWindow) } else { Ok(Self { start, end }) }
    }

    /// The first second of the window.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.start
    }

    /// The last second of the window.
    #[must_use]
    pub const fn end(self) -> Timestamp {
        self.end
    }

    /// Whether the time lies in the window.
    #[must_use]
    pub fn contains(self, at: Timestamp) -> bool {
        self.start <= at && at <= self.end
    }
}

/// A span of time, closed where it has an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Period {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
}

impl Period {
    /// The span from `start` to `end`, both included; either may be left open.
    ///
    /// # Errors
    /// When `end` is before `start`.
    pub fn new(start: Option<Timestamp>, end: Option<Timestamp>) -> Result<Self, InvalidWindow> {
        match (start, end) {
            (Some(start), Some(end)) if end < start => Err(InvalidWindow),
            _ => Ok(Self { start, end }),
        }
    }

    /// The first second, if it has one.
    #[must_use]
    pub const fn start(self) -> Option<Timestamp> {
        self.start
    }

    /// The last second, if it has one.
    #[must_use]
    pub const fn end(self) -> Option<Timestamp> {
        self.end
    }

    /// Whether it is open on both sides, and so holds every row, also those without a time.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.start.is_none() && self.end.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    #[test]
    fn a_window_holds_both_its_ends() {
        let window = Window::new(at(10), at(20)).unwrap();

        assert!(window.contains(at(10)) && window.contains(at(20)));
        assert!(!window.contains(at(9)) && !window.contains(at(21)));
    }

    #[test]
    fn a_window_may_be_one_second_but_not_less() {
        assert!(Window::new(at(10), at(10)).is_ok());
        assert_eq!(Window::new(at(10), at(9)), Err(InvalidWindow));
    }

    #[test]
    fn adding_seconds_never_wraps_around() {
        assert_eq!(at(i64::MAX).plus_seconds(1), at(i64::MAX));
    }

    #[test]
    fn a_period_may_be_open_but_not_backwards() {
        let at = |seconds| Some(Timestamp::from_seconds(seconds));

        assert_eq!(Period::new(at(2), at(1)), Err(InvalidWindow));
        assert!(Period::new(at(2), at(2)).is_ok());
        assert!(Period::new(at(2), None).is_ok() && Period::new(None, at(1)).is_ok());
    }
}
