//! Those who wait for an erasure: a caller with thirty seconds of patience.

use std::ops::ControlFlow;
use std::sync::Arc;

use kernel::{Clock, Timestamp};

use crate::Onlooker;

/// How long a caller waits before the answer is that the work goes on.
pub const PATIENCE_SECONDS: i64 = 30;

/// Waits thirty seconds, then leaves the rest of the work to the background.
#[derive(Clone)]
pub struct PatientCaller {
    clock: Arc<dyn Clock>,
    since: Timestamp,
}

impl PatientCaller {
    /// A caller that begins to wait now.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let since = clock.now();
        Self { clock, since }
    }
}

impl Onlooker for PatientCaller {
    fn advanced(&self, _rows: u64) {}

    fn goes_on(&self) -> ControlFlow<()> {
        if self.clock.now().seconds_since(self.since) < PATIENCE_SECONDS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::MockClock;
    use mockall::Sequence;

    use super::*;

    #[test]
    fn a_caller_waits_thirty_seconds() {
        let mut clock = MockClock::new();
        let mut order = Sequence::new();
        for seconds in [100, 129, 130] {
            let now = Timestamp::from_seconds(seconds);
            clock.expect_now().times(1).in_sequence(&mut order).return_const(now);
        }
        let caller = PatientCaller::new(Arc::new(clock));

        assert_eq!(caller.goes_on(), ControlFlow::Continue(()));
        assert_eq!(caller.goes_on(), ControlFlow::Break(()));
    }
}
