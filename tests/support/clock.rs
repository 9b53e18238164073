//! A clock that tells the time a test says it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use kernel::{Clock, Timestamp};

/// A clock that stands until it is set; clones tell the same time.
#[derive(Debug, Clone)]
pub struct StubClock(Arc<AtomicI64>);

impl StubClock {
    /// A clock that stands at this time.
    #[must_use]
    pub fn at(seconds: i64) -> Self {
        Self(Arc::new(AtomicI64::new(seconds)))
    }

    /// Makes it this time.
    pub fn set(&self, seconds: i64) {
        self.0.store(seconds, Ordering::SeqCst);
    }

    /// Lets this many seconds pass.
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for StubClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(self.0.load(Ordering::SeqCst))
    }
}
