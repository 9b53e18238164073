//! The stub judge's desk: what lies on it, what was asked, and how it is answered.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::Manner;

/// Shared by all connections of one judge.
#[derive(Default)]
pub(super) struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

pub(super) struct State {
    pub(super) calls: usize,
    pub(super) by_case: BTreeMap<String, usize>,
    /// Calls are answered up to this one; those behind wait. `None` answers all.
    pub(super) answers: Option<usize>,
    pub(super) usual: Manner,
    pub(super) scripts: BTreeMap<String, Vec<Manner>>,
    /// The words of the response that is better; without any it is the first.
    pub(super) taste: Option<String>,
    pub(super) most_in_flight: usize,
    in_flight: usize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            calls: 0,
            by_case: BTreeMap::new(),
            answers: None,
            usual: Manner::Well,
            scripts: BTreeMap::new(),
            taste: None,
            most_in_flight: 0,
            in_flight: 0,
        }
    }
}

impl Desk {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(super) fn notify(&self) {
        self.changed.notify_all();
    }

    /// Takes a call, waits for leave to answer, and says how and by which taste.
    pub(super) fn take(&self, case: Option<String>) -> (Manner, Option<String>) {
        let mut state = self.state();
        state.calls += 1;
        state.in_flight += 1;
        state.most_in_flight = state.most_in_flight.max(state.in_flight);
        let number = state.calls;
        let manner = state.manner_for(case);
        self.notify();
        let must_wait = |state: &mut State| state.answers.is_some_and(|most| number > most);
        let state = self.changed.wait_while(state, must_wait).unwrap();
        (manner, state.taste.clone())
    }

    /// A call is answered.
    pub(super) fn leave(&self) {
        self.state().in_flight -= 1;
    }

    /// Waits until the desk looks like this.
    pub(super) fn wait_until(&self, what: &str, looks: impl Fn(&State) -> bool) {
        let patience = Duration::from_secs(60);
        let waited = self.changed.wait_timeout_while(self.state(), patience, |state| !looks(state)).unwrap();
        assert!(!waited.1.timed_out(), "asked {} times while waiting for {what}", waited.0.calls);
    }
}

impl State {
    fn manner_for(&mut self, case: Option<String>) -> Manner {
        let Some(case) = case else { return self.usual };
        let manner = match self.scripts.get_mut(&case) {
            Some(script) if script.len() > 1 => script.remove(0),
            Some(script) => script.first().copied().unwrap_or(self.usual),
            None => self.usual,
        };
        *self.by_case.entry(case).or_default() += 1;
        manner
    }
}
