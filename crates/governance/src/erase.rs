//! Erasing a user, on a ticket.

use std::sync::Arc;

use kernel::{Clock, OrgId, RequestId, StoreError, UnitOfWork, UserId};

use crate::execution::Executor;
use crate::setback::Setback;
use crate::taking::{Subject, Task, take_up};
use crate::{
    Actor, AgentPlaybookId, Counts, GovernanceError, GovernanceTx, Holder, KeyRing, Onlooker, Purge, PurgeId,
    PurgeReader, PurgeRecord, PurgeState, PurgeView,
};

/// A request about one user, by someone who may make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// The user it is about.
    pub user: UserId,
    /// The ticket's own id; with the user it makes a repeat recognizable.
    pub request: RequestId,
    /// Who asks.
    pub actor: Actor,
}

/// A finished erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraseReport {
    /// The purge operation.
    pub view: PurgeView,
    /// Rows deleted of every target.
    pub deleted: Counts,
    /// Agent playbooks that lost a link to the user's playbooks, ascending.
    pub unlinked: Vec<AgentPlaybookId>,
}

/// The answer to a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EraseAnswer {
    /// Everything is erased, and the audit row says so.
    Complete(EraseReport),
    /// The work goes on: elsewhere, in the background, or behind another ticket for the same user.
    Running(PurgeView),
}

/// Erases users.
#[derive(Clone)]
pub struct EraseUser {
    store: Arc<dyn UnitOfWork<dyn GovernanceTx>>,
    reader: Arc<dyn PurgeReader>,
    ring: Arc<KeyRing>,
    clock: Arc<dyn Clock>,
    holder: Holder,
}

impl EraseUser {
    /// Erases users in this store; `holder` names this process on the leases it takes.
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

    /// Erases the user; a repeat of the ticket never erases, counts or audits twice and gets the same answer.
    ///
    /// # Errors
    /// When the erasure failed (it can be tried again with the same ticket) or the store did.
    pub fn erase(
        &self,
        org: &OrgId,
        ticket: &Ticket,
        onlooker: &dyn Onlooker,
    ) -> Result<EraseAnswer, GovernanceError> {
        let (purge, task) = self.open(org, ticket)?;
        if let Some(task) = task {
            let executor = Executor::new(Arc::clone(&self.store), Arc::clone(&self.clock));
            executor
                .execute(org, &task, onlooker)
                .map_err(|code| GovernanceError::EraseFailed { purge: purge.clone(), code })?;
        }
        self.answer(org, &purge)
    }

    /// Opens the ticket's purge, or finds it, and takes up the erasure if it is free to be taken.
    fn open(&self, org: &OrgId, ticket: &Ticket) -> Result<(PurgeId, Option<Task>), GovernanceError> {
        let now = self.clock.now();
        let known = self.ring.all_ticket_refs(org, &ticket.user, &ticket.request);
        let newest = self.ring.ticket_refs(org, &ticket.user, &ticket.request);
        let user = ticket.user.clone();
        let subject = Subject { user, refs: self.ring.all_subject_refs(org, &ticket.user) };
        let opened = self.store.transact(org, |tx| {
            for refs in &known {
                if let Some(purge) = tx.purges().find(&refs.purge_id(org))? {
                    let task = take_up(tx, &purge, &subject, &self.holder, now)?;
                    return Ok((purge.id, task));
                }
            }
            let purge = Purge::opened(newest.purge_id(org), newest.clone(), ticket.actor.clone(), now);
            tx.purges().insert(&purge, &ticket.user)?;
            let task = take_up(tx, &purge, &subject, &self.holder, now)?;
            Ok((purge.id, task))
        });
        opened.map_err(|setback| not_opened(&setback))
    }

    /// The answer comes from what is stored, so that every repeat reads the same.
    fn answer(&self, org: &OrgId, purge: &PurgeId) -> Result<EraseAnswer, GovernanceError> {
        let Some(PurgeRecord { purge, ledger }) = self.reader.find(org, purge)? else {
            return Err(StoreError::Corrupt("a purge that was opened is gone".to_owned()).into());
        };
        let view = PurgeView::of(&purge);
        match purge.state {
            PurgeState::Complete { .. } => Ok(EraseAnswer::Complete(EraseReport {
                view,
                deleted: ledger.counts(),
                unlinked: ledger.unlinked.into_iter().collect(),
            })),
            PurgeState::Failed(failure) => {
                Err(GovernanceError::EraseFailed { purge: purge.id, code: failure.code })
            }
            PurgeState::Pending | PurgeState::Running => Ok(EraseAnswer::Running(view)),
        }
    }
}

/// A purge that could not even be opened has no state to tell: the store's error is all there is.
pub(crate) fn not_opened(setback: &Setback) -> GovernanceError {
    match setback {
        Setback::Store(error) => error.clone().into(),
        Setback::LeaseLost => StoreError::Contended.into(),
        Setback::NotEmpty { .. } | Setback::LedgerIncomplete { .. } | Setback::OutOfPlace => {
            StoreError::Corrupt("the purge's own records disagree".to_owned()).into()
        }
    }
}

#[cfg(test)]
mod tests;
