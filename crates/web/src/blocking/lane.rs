//! A lane for short calls, in which they follow each other on few threads.
//!
//! To wake a thread and to be woken by it costs more than to look up a row. Where every call has a thread of its own, a busy
//! server does little else; here a thread that is awake takes the next call along, and one more is woken only when
//! calls begin to wait.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix_web::rt::task::spawn_blocking;
use actix_web::rt::time::timeout;
use tokio::sync::oneshot;

/// When a call has waited this long for those before it, another thread helps: some calls take longer than they should,
/// and a database that is far away takes its time for each.
const LONGEST_WAIT: Duration = Duration::from_micros(100);
/// Beyond so many threads they would only wait for each other's connections.
const MOST_DRIVERS: usize = 32;
/// Calls that have waited longer are refused: the database is away, and each that tries would hold up the rest.
const TOO_LONG: Duration = Duration::from_secs(3);

/// A call, to be told how long it has waited.
type Work = Box<dyn FnOnce(Duration) + Send>;

/// The short calls of one server thread.
#[derive(Default)]
pub(super) struct Lane {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Instant, Work)>,
    /// Threads that take calls from the lane until it is empty.
    drivers: usize,
}

impl State {
    /// Counts one more thread in if the calls that wait need it.
    fn count_driver_in(&mut self) -> bool {
        let Some((since, _)) = self.waiting.front() else { return false };
        let is_slow = since.elapsed() > LONGEST_WAIT;
        let is_needed = self.drivers == 0 || (is_slow && self.drivers < MOST_DRIVERS);
        self.drivers += usize::from(is_needed);
        is_needed
    }
}

/// Why a call came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// It panicked.
    Panicked,
    /// It waited too long and was not run.
    Late,
}

impl Lane {
    /// The lane of the thread that asks.
    pub(super) fn of_this_thread() -> Arc<Self> {
        thread_local! {
            static LANE: Arc<Lane> = Arc::default();
        }
        LANE.with(Arc::clone)
    }

    /// Runs a call when those before it have begun, whether or not they end; one that nobody waits for any more does
    /// not run.
    pub(super) async fn call<T: Send + 'static>(
        self: Arc<Self>,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Lost> {
        let (tell, mut told) = oneshot::channel();
        let work = move |waited| {
            if !tell.is_closed() {
                // Whoever leaves meanwhile needs no answer.
                let _ = tell.send(if waited > TOO_LONG { Err(Lost::Late) } else { Ok(call()) });
            }
        };
        if self.needs_driver_after(Box::new(work)) {
            self.send_driver();
        } else if let Ok(answer) = timeout(LONGEST_WAIT, &mut told).await {
            return answer.unwrap_or(Err(Lost::Panicked));
        } else if self.needs_driver() {
            self.send_driver();
        }
        told.await.unwrap_or(Err(Lost::Panicked))
    }

    /// Wakes a thread; it ends by itself when the lane is empty.
    fn send_driver(self: Arc<Self>) {
        drop(spawn_blocking(move || self.drive()));
    }

    /// Lets work wait in the lane, and says whether somebody must be sent to take it.
    fn needs_driver_after(&self, work: Work) -> bool {
        let mut state = self.state();
        state.waiting.push_back((Instant::now(), work));
        state.count_driver_in()
    }

    /// Says whether calls still wait so long that somebody must be sent.
    fn needs_driver(&self) -> bool {
        self.state().count_driver_in()
    }

    fn drive(&self) {
        while let Some((since, work)) = self.next() {
            // What panics is lost for its caller alone; those behind it go on.
            let _ = catch_unwind(AssertUnwindSafe(|| work(since.elapsed())));
        }
    }

    /// The next work; if there is none, the one who asks no longer drives.
    fn next(&self) -> Option<(Instant, Work)> {
        let mut state = self.state();
        let next = state.waiting.pop_front();
        state.drivers -= usize::from(next.is_none());
        next
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
