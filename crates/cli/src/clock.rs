//! The system's clock.

use kernel::{Clock, Timestamp};

/// Tells the system's time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the adapter that reads the clock")]
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(chrono::Utc::now().timestamp())
    }
}
