//! Judging beside the requests: a few threads that take due work from the queue, and one that keeps their leases alive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use evaluation::judging::Claimed;

use super::Stop;
use crate::due_work::DueWork;

/// So many items are worked on at once.
const THREADS: usize = 16;
/// Leases at hand are prolonged so often.
const BEAT: Duration = Duration::from_secs(15);
/// How long to rest when nothing was due.
const REST: Duration = Duration::from_secs(1);
/// How long a stopping server waits for judges before it gives their work back.
const PATIENCE: Duration = Duration::from_secs(5);

/// Threads that judge until they are told to stop.
pub(crate) struct Judging {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    work: DueWork,
    stop: Stop,
    /// Held by the one thread that looks for work; the others have work or wait for their turn to look.
    looking: Mutex<()>,
}

impl Judging {
    /// Begins to judge.
    pub(crate) fn begin(work: DueWork) -> Self {
        let shared = Arc::new(Shared { work, stop: Stop::default(), looking: Mutex::new(()) });
        let mut threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.judge())
            })
            .collect();
        let beating = Arc::clone(&shared);
        threads.push(std::thread::spawn(move || beating.beat()));
        Self { shared, threads }
    }
}

impl Shared {
    fn judge(&self) {
        while !self.stop.is_told() {
            let found = {
                let _turn = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
                if self.stop.is_told() {
                    return;
                }
                let found = self.work.next().unwrap_or_else(|error| {
                    tracing::warn!(%error, "cannot look for due evaluations");
                    None
                });
                if found.is_none() {
                    self.stop.rest(REST);
                }
                found
            };
            if let Some(claimed) = found {
                self.carry_out(&claimed);
                // Whoever rests because its organization had too much in flight may look again.
                self.stop.wake();
            }
        }
    }

    /// A panic costs one item its attempt, not the server a thread.
    fn carry_out(&self, claimed: &Claimed) {
        match catch_unwind(AssertUnwindSafe(|| self.work.carry_out(claimed))) {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "an evaluation could not be kept; it will be tried again");
            }
            Err(_panic) => tracing::error!("an evaluation panicked; it will be tried again"),
        }
    }

    fn beat(&self) {
        let mut last = Instant::now();
        while !self.stop.is_told() {
            self.stop.rest(REST);
            if let Err(error) = self.work.settle() {
                tracing::warn!(%error, "cannot look for replays that have ended");
            }
            if last.elapsed() >= BEAT {
                last = Instant::now();
                if let Err(error) = self.work.heartbeat() {
                    tracing::warn!(%error, "leases could not be prolonged");
                }
            }
        }
    }
}

impl Drop for Judging {
    /// Lets judges finish for a while, then gives back what is still at hand: who is late finds its hold lost.
    fn drop(&mut self) {
        self.shared.stop.tell();
        let told_at = Instant::now();
        while self.threads.iter().any(|thread| !thread.is_finished()) && told_at.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        if let Err(error) = self.shared.work.release_all() {
            tracing::warn!(%error, "leases could not be given back; they run out by themselves");
        }
        for thread in self.threads.drain(..).filter(JoinHandle::is_finished) {
            let _ = thread.join();
        }
    }
}
