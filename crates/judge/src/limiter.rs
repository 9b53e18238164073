//! How many calls may be in flight: a counting gate that callers wait at.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets so many callers in at once.
#[derive(Debug)]
pub struct Limiter {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug)]
struct State {
    limit: usize,
    inside: usize,
}

/// A place inside; leaving it lets the next caller in.
#[derive(Debug)]
pub struct Place<'a>(&'a Limiter);

impl Limiter {
    /// A gate for so many callers; at least one.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { state: Mutex::new(State { limit: limit.max(1), inside: 0 }), freed: Condvar::new() }
    }

    /// Changes the limit. Those who are inside stay; a lower limit holds once enough of them have left.
    pub fn set_limit(&self, limit: usize) {
        self.lock().limit = limit.max(1);
        self.freed.notify_all();
    }

    /// Waits for a place and takes it.
    #[must_use]
    pub fn enter(&self) -> Place<'_> {
        let full = |state: &mut State| state.inside >= state.limit;
        let mut state = self.freed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        state.inside += 1;
        Place(self)
    }

    /// A counter is right whatever became of the thread that held it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.lock().inside -= 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn who_comes_to_a_full_gate_waits_until_somebody_leaves() {
        let gate = Arc::new(Limiter::new(1));
        let (sender, receiver) = mpsc::channel();
        let place = gate.enter();
        let waiting = {
            let gate = Arc::clone(&gate);
            thread::spawn(move || {
                let _place = gate.enter();
                sender.send("inside").unwrap();
            })
        };

        assert!(receiver.try_recv().is_err());
        drop(place);

        assert_eq!(receiver.recv(), Ok("inside"));
        waiting.join().unwrap();
    }

    #[test]
    fn a_limit_of_0_lets_one_in_and_a_raised_one_more() {
        let gate = Limiter::new(0);
        let _first = gate.enter();
        gate.set_limit(2);

        let _second = gate.enter();
    }
}
