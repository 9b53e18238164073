//! Going on with erasures that nobody works on: after a crash, a stall, a lost patience or a failure.

use std::ops::ControlFlow;
use std::sync::Arc;

use kernel::{Clock, UnitOfWork};

use crate::erase::not_opened;
use crate::execution::Executor;
use crate::taking::{Subject, take_up};
use crate::{DuePurge, GovernanceError, GovernanceTx, Holder, KeyRing, Onlooker, PurgeReader};

/// How many purges one round looks at.
pub const ROUND: u64 = 32;

/// What one round of going on did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resumed {
    /// Purges this round worked on to their end, or until the onlooker stopped it.
    pub worked_on: u64,
    /// Purges that were another executor's by the time this round came to them.
    pub left: u64,
    /// Purges whose attempt failed, with why; they come round again later.
    pub failed: Vec<GovernanceError>,
}

/// Goes on with unfinished erasures of all organizations.
#[derive(Clone)]
pub struct ResumePurges {
    store: Arc<dyn UnitOfWork<dyn GovernanceTx>>,
    reader: Arc<dyn PurgeReader>,
    ring: Arc<KeyRing>,
    clock: Arc<dyn Clock>,
    holder: Holder,
}

/// How one purge went.
enum Went {
    WorkedOn,
    Left,
}

impl ResumePurges {
    /// Goes on with erasures in this store; `holder` names this process on the leases it takes.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn GovernanceTx>>,
        reader: Arc<dyn PurgeReader>,
        ring: Arc<KeyRing>,
        clock: Arc<dyn Clock>,
        holder: Holder,
    ) -> Self {
        Self { store, reader, ring, clock, holder }
    }

    /// Works through the purges that are due now; one that fails does not keep the others waiting.
    ///
    /// # Errors
    /// When the store could not say which purges are due.
    pub fn resume(&self, onlooker: &dyn Onlooker) -> Result<Resumed, GovernanceError> {
        let mut resumed = Resumed::default();
        for due in self.reader.due(ROUND)? {
            if onlooker.goes_on() == ControlFlow::Break(()) {
                break;
            }
            match self.go_on(&due, onlooker) {
                Ok(Went::WorkedOn) => resumed.worked_on += 1,
                Ok(Went::Left) => resumed.left += 1,
                Err(error) => resumed.failed.push(error),
            }
        }
        Ok(resumed)
    }

    fn go_on(&self, due: &DuePurge, onlooker: &dyn Onlooker) -> Result<Went, GovernanceError> {
        let now = self.clock.now();
        let refs = self.ring.all_subject_refs(&due.org, &due.user);
        let taken = self.store.transact(&due.org, |tx| {
            let Some(purge) = tx.purges().find(&due.purge)? else { return Ok(None) };
            // The key it was opened under may have left the ring since; its barrier has not.
            let mut subject = Subject { user: due.user.clone(), refs: refs.clone() };
            if !subject.refs.contains(&purge.refs.subject) {
                subject.refs.push(purge.refs.subject.clone());
            }
            take_up(tx, &purge, &subject, &self.holder, now)
        });
        let Some(task) = taken.map_err(|setback| not_opened(&setback))? else { return Ok(Went::Left) };
        Executor::new(Arc::clone(&self.store), Arc::clone(&self.clock))
            .execute(&due.org, &task, onlooker)
            .map_err(|code| GovernanceError::EraseFailed { purge: due.purge.clone(), code })?;
        Ok(Went::WorkedOn)
    }
}

#[cfg(test)]
mod tests;
