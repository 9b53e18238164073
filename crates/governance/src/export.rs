//! Handing a user's data out: one moment, row by row, and on record before the answer ends.

use std::ops::ControlFlow;
use std::sync::Arc;

use kernel::{Barrier, Clock, OrgId, StoreError, Timestamp, UnitOfWork, UserId};

use crate::coverage::listed;
use crate::{
    AuditEntry, Counts, ExportId, GovernanceError, GovernanceTx, KeyRing, Operation, Outcome, SubjectReader,
    SubjectRef, SubjectSnapshot, Target, Ticket, TicketRefs,
};

/// A value of an exported row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// True or false.
    Boolean(bool),
    /// A JSON document, as the text it is kept as.
    Json(String),
}

/// A row of the export: every declared column with its value, in declared order.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportRow(pub Vec<(&'static str, Value)>);

/// How an export begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportHead {
    /// The user, minimized.
    pub subject_ref: SubjectRef,
    /// The export's identity, the same for every repeat of the ticket.
    pub export_id: ExportId,
}

/// The receiver stopped taking what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the receiver went away")]
pub struct ReceiverGone;

/// Takes an export as it is read. An export that was not finished MUST NOT look complete to whoever gets it.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ExportSink {
    /// Begins the export; called once, and only when the export is not refused.
    fn begin(&mut self, head: &ExportHead) -> Result<(), ReceiverGone>;
    /// Begins a target's list and ends the one before; called once for every target, in declared order.
    fn list(&mut self, target: Target) -> Result<(), ReceiverGone>;
    /// Takes a row of the list that was begun last.
    fn row(&mut self, row: &ExportRow) -> Result<(), ReceiverGone>;
    /// Makes sure of what it took, as far as it can; called once, after the last row and before the audit row is kept.
    fn settle(&mut self) -> Result<(), ReceiverGone>;
    /// Ends the export; called once, after the audit row has been kept.
    fn finish(&mut self) -> Result<(), ReceiverGone>;
}

/// Exports users.
#[derive(Clone)]
pub struct ExportUser {
    store: Arc<dyn UnitOfWork<dyn GovernanceTx>>,
    reader: Arc<dyn SubjectReader>,
    ring: Arc<KeyRing>,
    clock: Arc<dyn Clock>,
}

/// Whom an export shows, and under which references it was or will be put on record.
struct Shown<'a> {
    org: &'a OrgId,
    user: &'a UserId,
    known: Vec<TicketRefs>,
    newest: TicketRefs,
}

impl ExportUser {
    /// Exports users from this reader and keeps audit rows in this store.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn GovernanceTx>>,
        reader: Arc<dyn SubjectReader>,
        ring: Arc<KeyRing>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, reader, ring, clock }
    }

    /// Gives everything that is kept about the user to the sink; a repeat of the ticket shows afresh and audits once.
    ///
    /// # Errors
    /// When the user is being erased (the sink then gets nothing), the receiver went away, or the store failed.
    pub fn export(
        &self,
        org: &OrgId,
        ticket: &Ticket,
        sink: &mut dyn ExportSink,
    ) -> Result<Counts, GovernanceError> {
        let shown = Shown {
            org,
            user: &ticket.user,
            known: self.ring.all_ticket_refs(org, &ticket.user, &ticket.request),
            newest: self.ring.ticket_refs(org, &ticket.user, &ticket.request),
        };
        let mut outcome = Err(StoreError::Failed("the store never looked".to_owned()).into());
        self.reader.look(org, &mut |snapshot| outcome = show(snapshot, &shown, sink))?;
        let counts = outcome?;
        sink.settle().map_err(gone)?;
        self.keep_on_record(&shown, ticket, &counts)?;
        sink.finish().map_err(gone)?;
        Ok(counts)
    }

    fn keep_on_record(
        &self,
        shown: &Shown<'_>,
        ticket: &Ticket,
        counts: &Counts,
    ) -> Result<(), GovernanceError> {
        let entry = entry(ticket, &shown.newest, counts, self.clock.now());
        self.store.transact(shown.org, |tx| {
            if tx.audit().succeeded(Operation::Export, &shown.known)?.is_none() {
                tx.audit().append(&entry)?;
            }
            Ok(())
        })
    }
}

fn entry(ticket: &Ticket, refs: &TicketRefs, counts: &Counts, at: Timestamp) -> AuditEntry {
    let (actor, refs, counts) = (ticket.actor.clone(), refs.clone(), counts.clone());
    AuditEntry { actor, operation: Operation::Export, outcome: Outcome::Ok, refs, counts, at }
}

fn show(
    snapshot: &mut dyn SubjectSnapshot,
    shown: &Shown<'_>,
    sink: &mut dyn ExportSink,
) -> Result<Counts, GovernanceError> {
    let subject: Vec<SubjectRef> = shown.known.iter().map(|refs| refs.subject.clone()).collect();
    if snapshot.barrier(&subject)? == Some(Barrier::Erasing) {
        return Err(GovernanceError::BeingErased);
    }
    let refs = snapshot.exported(&shown.known)?.unwrap_or_else(|| shown.newest.clone());
    let head = ExportHead { export_id: refs.export_id(shown.org), subject_ref: refs.subject };
    sink.begin(&head).map_err(gone)?;
    let mut counts = Counts::zero();
    for target in Target::ALL {
        sink.list(target).map_err(gone)?;
        let Some(table) = listed(target) else { continue };
        let mut stopped = None;
        snapshot.rows(shown.user, table, &mut |row| {
            if let Err(reason) = sink.row(row) {
                stopped = Some(reason);
                return ControlFlow::Break(());
            }
            counts.add(target, 1);
            ControlFlow::Continue(())
        })?;
        if let Some(reason) = stopped {
            return Err(gone(reason));
        }
    }
    Ok(counts)
}

const fn gone(ReceiverGone: ReceiverGone) -> GovernanceError {
    GovernanceError::ReceiverGone
}

#[cfg(test)]
mod tests;
