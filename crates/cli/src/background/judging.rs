//! Judging beside the requests: as many threads as there is work for, and one that keeps their leases alive.
//!
//! One thread looks for work while the others judge. Whoever finds some sees to it that somebody else looks on, so a judge
//! that is slow holds up its own organization and no other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use evaluation::judging::Claimed;

use super::Stop;
use crate::due_work::DueWork;

/// So many items are worked on at once at most; the largest limit of one organization fits in.
const MOST_THREADS: usize = 1_024;
/// So many threads without work stay for the next.
const SPARE_THREADS: usize = 4;
/// Leases at hand are prolonged so often.
const BEAT: Duration = Duration::from_secs(15);
/// How long to rest when nothing was due.
const REST: Duration = Duration::from_secs(1);
/// How long a stopping server waits for judges before it gives their work back.
const PATIENCE: Duration = Duration::from_secs(5);

/// Threads that judge until they are told to stop.
pub(crate) struct Judging {
    shared: Arc<Shared>,
}

struct Shared {
    work: DueWork,
    stop: Stop,
    /// Held by the one thread that looks for work; the others have work or wait for their turn to look.
    looking: Mutex<()>,
    /// How many look or wait for their turn.
    lookers: AtomicUsize,
    threads: AtomicUsize,
}

impl Judging {
    /// Begins to judge.
    pub(crate) fn begin(work: DueWork) -> Self {
        let shared = Arc::new(Shared {
            work,
            stop: Stop::default(),
            looking: Mutex::new(()),
            lookers: AtomicUsize::new(0),
            threads: AtomicUsize::new(0),
        });
        Shared::begin_thread(&shared, Shared::judge);
        Shared::begin_thread(&shared, |shared| shared.beat());
        Self { shared }
    }
}

/// Counts a thread out, however it ended.
struct Leaves(Arc<Shared>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.threads.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    /// Begins a thread, unless there are enough.
    fn begin_thread(shared: &Arc<Self>, work: impl FnOnce(&Arc<Self>) + Send + 'static) {
        if shared.threads.fetch_add(1, Ordering::AcqRel) > MOST_THREADS {
            shared.threads.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        let leaves = Leaves(Arc::clone(shared));
        let begun = std::thread::Builder::new().spawn(move || work(&leaves.0));
        if let Err(error) = begun {
            tracing::warn!(%error, "no thread was to be had; those at work go on");
        }
    }

    fn judge(self: &Arc<Self>) {
        while !self.stop.is_told() {
            let Some(claimed) = self.look() else { continue };
            if self.lookers.load(Ordering::Acquire) == 0 {
                Self::begin_thread(self, Self::judge);
            }
            self.carry_out(&claimed);
            // Whoever rests because its organization had too much in flight may look again.
            self.stop.wake();
            if self.lookers.load(Ordering::Acquire) > SPARE_THREADS {
                return;
            }
        }
    }

    /// Waits for its turn to look, and looks; rests when there is nothing.
    fn look(&self) -> Option<Claimed> {
        self.lookers.fetch_add(1, Ordering::AcqRel);
        let turn = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let found = if self.stop.is_told() { None } else { self.find() };
        drop(turn);
        self.lookers.fetch_sub(1, Ordering::AcqRel);
        found
    }

    fn find(&self) -> Option<Claimed> {
        let found = self.work.next().unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot look for due evaluations");
            None
        });
        if found.is_none() {
            self.stop.rest(REST);
        }
        found
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
        let (mut settled, mut last) = (Instant::now(), Instant::now());
        while !self.stop.is_told() {
            self.stop.rest(REST);
            // Whoever finishes an item ends the rest of all.
            if settled.elapsed() >= REST {
                settled = Instant::now();
                if let Err(error) = self.work.settle() {
                    tracing::warn!(%error, "cannot look for replays that have ended");
                }
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
        while self.shared.threads.load(Ordering::Acquire) > 0 && told_at.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        if let Err(error) = self.shared.work.release_all() {
            tracing::warn!(%error, "leases could not be given back; they run out by themselves");
        }
    }
}
