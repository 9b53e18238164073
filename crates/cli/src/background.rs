//! Work that goes on beside the requests: erasures that nobody works on any more, and judging.
//!
//! What must happen is a durable row; this thread only looks for such rows. Any number of servers may look at once, and one
//! that dies loses nothing: its leases run out and another goes on.

pub(crate) mod judging;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use governance::{Onlooker, ResumePurges};

/// How long to rest when nothing was due.
const REST: Duration = Duration::from_secs(2);

/// A thread that works until it is told to stop.
pub(crate) struct Background {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    is_told: AtomicBool,
    rest: Mutex<()>,
    wake: Condvar,
}

impl Stop {
    fn is_told(&self) -> bool {
        self.is_told.load(Ordering::Acquire)
    }

    fn rest(&self, at_most: Duration) {
        let guard = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_told() {
            drop(self.wake.wait_timeout(guard, at_most));
        }
    }

    /// Wakes whoever rests.
    fn wake(&self) {
        self.wake.notify_all();
    }

    fn tell(&self) {
        let _guard = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_told.store(true, Ordering::Release);
        self.wake.notify_all();
    }
}

/// Gives leases back between two transactions once the server is told to stop.
impl Onlooker for Stop {
    fn advanced(&self, _rows: u64) {}

    fn goes_on(&self) -> ControlFlow<()> {
        if self.is_told() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Background {
    /// Begins to work.
    pub(crate) fn begin(purges: ResumePurges) -> Self {
        let stop = Arc::new(Stop::default());
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !told.is_told() {
                let worked = resume(&purges, &told);
                if !worked {
                    told.rest(REST);
                }
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

fn resume(purges: &ResumePurges, stop: &Stop) -> bool {
    match purges.resume(stop) {
        Ok(resumed) => {
            for error in &resumed.failed {
                tracing::warn!(%error, "an erasure failed; it will be tried again");
            }
            resumed.worked_on > 0
        }
        Err(error) => {
            tracing::warn!(%error, "cannot look for unfinished erasures");
            false
        }
    }
}

impl Drop for Background {
    /// Waits until the work at hand has reached a safe place.
    fn drop(&mut self) {
        self.stop.tell();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
