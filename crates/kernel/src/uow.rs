//! Units of work: a rule's reads and writes happen together or not at all.

use crate::{OrgId, StoreError};

/// What a piece of work asks the store to do with its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Keep every change.
    Commit,
    /// Undo every change.
    RollBack,
}

/// A piece of work inside one transaction.
pub type Work<'a, Tx> = dyn FnMut(&mut Tx) -> Verdict + 'a;

/// Runs work inside one transaction that can see and change a single organization.
pub trait UnitOfWork<Tx: ?Sized>: Send + Sync {
    /// Runs `work` in one transaction of the organization; may run it again after losing a race.
    ///
    /// MUST have kept every change when it returns `Ok` after [`Verdict::Commit`], and none otherwise.
    ///
    /// # Errors
    /// When the store failed or could not finish the work; nothing is kept then.
    fn run(&self, org: &OrgId, work: &mut Work<'_, Tx>) -> Result<(), StoreError>;
}

impl<Tx: ?Sized> dyn UnitOfWork<Tx> + '_ {
    /// Runs a fallible rule in one transaction: `Ok` commits, `Err` rolls back.
    ///
    /// The rule may run again after losing a race, so times and ids are taken before this call.
    ///
    /// # Errors
    /// The rule's own error, or the store's.
    pub fn transact<T, E: From<StoreError>>(
        &self,
        org: &OrgId,
        mut rule: impl FnMut(&mut Tx) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut outcome = None;
        self.run(org, &mut |tx| {
            let result = rule(tx);
            let verdict = if result.is_ok() { Verdict::Commit } else { Verdict::RollBack };
            outcome = Some(result);
            verdict
        })?;
        outcome.unwrap_or_else(|| Err(StoreError::Failed("the store never ran the work".to_owned()).into()))
    }
}

/// A unit of work for tests of rules: runs the work once, on the mock it was given.
#[cfg(any(test, feature = "mock"))]
#[derive(Debug)]
pub struct RunsOnce<Mock>(std::sync::Mutex<Mock>);

#[cfg(any(test, feature = "mock"))]
impl<Mock> RunsOnce<Mock> {
    /// Runs work on this mock.
    pub fn on(mock: Mock) -> Self {
        Self(std::sync::Mutex::new(mock))
    }

    /// Runs the work; a crate implements [`UnitOfWork`] for its own transaction port with this.
    ///
    /// # Panics
    /// When an earlier run on the same mock has panicked.
    #[expect(clippy::unwrap_used, reason = "a test double: a poisoned mock has failed its test already")]
    pub fn run_on(&self, work: impl FnOnce(&mut Mock) -> Verdict) {
        work(&mut self.0.lock().unwrap());
    }
}

/// Lets rules run on a mocked transaction port in tests: `kernel::runs_once!(dyn PortTx, MockPortTx);`.
#[cfg(any(test, feature = "mock"))]
#[macro_export]
macro_rules! runs_once {
    ($port:ty, $mock:ty) => {
        impl $crate::UnitOfWork<$port> for $crate::RunsOnce<$mock> {
            fn run(
                &self,
                _org: &$crate::OrgId,
                work: &mut $crate::Work<'_, $port>,
            ) -> Result<(), $crate::StoreError> {
                self.run_on(|mock| work(mock));
                Ok(())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    trait Notes {
        fn note(&mut self);
    }

    /// Runs the work twice, as a store does that lost the first race.
    struct LosesOnce;

    struct Counter(u32);

    impl Notes for Counter {
        fn note(&mut self) {
            self.0 += 1;
        }
    }

    impl UnitOfWork<dyn Notes> for LosesOnce {
        fn run(&self, _org: &OrgId, work: &mut Work<'_, dyn Notes>) -> Result<(), StoreError> {
            work(&mut Counter(0));
            work(&mut Counter(0));
            Ok(())
        }
    }

    struct Down;

    impl UnitOfWork<dyn Notes> for Down {
        fn run(&self, _org: &OrgId, _work: &mut Work<'_, dyn Notes>) -> Result<(), StoreError> {
            Err(StoreError::Unavailable("down".to_owned()))
        }
    }

    #[test]
    fn the_last_run_gives_the_answer() {
        let store: &dyn UnitOfWork<dyn Notes> = &LosesOnce;
        let mut runs = 0;

        let answer: Result<u32, StoreError> = store.transact(&OrgId::new("acme").unwrap(), |tx| {
            tx.note();
            runs += 1;
            Ok(runs)
        });

        assert_eq!(answer, Ok(2));
    }

    #[test]
    fn a_store_that_is_away_is_the_callers_error() {
        let store: &dyn UnitOfWork<dyn Notes> = &Down;

        let answer: Result<(), StoreError> = store.transact(&OrgId::new("acme").unwrap(), |_| Ok(()));

        assert_eq!(answer, Err(StoreError::Unavailable("down".to_owned())));
    }
}
