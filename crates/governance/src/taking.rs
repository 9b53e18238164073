//! Taking up an erasure: who raises the barrier, who executes, who waits. All of it in the caller's transaction.

use kernel::{Barrier, Timestamp, UserId};

use crate::coverage::plan;
use crate::setback::Setback;
use crate::{
    AuditEntry, Counts, GovernanceTx, Holder, LEASE_SECONDS, Lease, Operation, Outcome, Purge, SubjectRef,
    Target,
};

/// The user to erase: the raw id, which the deletes need, and every reference it may be known under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) user: UserId,
    pub(crate) refs: Vec<SubjectRef>,
}

/// An erasure that this executor holds the lease of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) lease: Lease,
    pub(crate) subject: Subject,
}

/// Takes up the erasure a purge asks for; `None` when there is nothing to execute here and now.
///
/// The barrier is raised, its owner decided and the lease taken in one transaction, so no purge is ever open without a
/// barrier and two tickets for one user never both believe that they are the first. A ticket that comes second drives
/// the first one's purge ahead if nobody else does, and otherwise waits.
pub(crate) fn take_up(
    tx: &mut dyn GovernanceTx,
    purge: &Purge,
    subject: &Subject,
    holder: &Holder,
    now: Timestamp,
) -> Result<Option<Task>, Setback> {
    if purge.is_complete() {
        return Ok(None);
    }
    let Some(barrier) = tx.barriers().find(&subject.refs)? else {
        tx.barriers().raise(&purge.refs.subject, &purge.id, now)?;
        return claim(tx, purge, subject, holder, now);
    };
    if barrier.state == Barrier::Erased && is_erased(tx, &subject.user)? {
        complete_at_once(tx, purge, holder, now)?;
        return Ok(None);
    }
    if barrier.state == Barrier::Erased || barrier.owner == purge.id {
        return claim(tx, purge, subject, holder, now);
    }
    let owner = tx.purges().find(&barrier.owner)?.ok_or(Setback::OutOfPlace)?;
    claim(tx, &owner, subject, holder, now)
}

/// Completes the ticket of a user of whom nothing is left: zero counts, and an audit row of its own.
pub(crate) fn complete_at_once(
    tx: &mut dyn GovernanceTx,
    purge: &Purge,
    holder: &Holder,
    now: Timestamp,
) -> Result<(), Setback> {
    let Some((running, lease)) = lease_of(tx, purge, holder, now)? else { return Ok(()) };
    for target in Target::ALL {
        tx.ledgers().add(&purge.id, target, 0)?;
    }
    tx.audit().append(&audit_entry(purge, Outcome::Ok, Counts::zero(), now))?;
    let complete = running.completed(now).ok_or(Setback::OutOfPlace)?;
    if tx.purges().complete(&lease, &complete)? { Ok(()) } else { Err(Setback::LeaseLost) }
}

/// Fails on the first table that still holds a row of the user.
pub(crate) fn ensure_erased(tx: &mut dyn GovernanceTx, user: &UserId) -> Result<(), Setback> {
    for table in plan() {
        if !tx.rows().is_empty(user, table)? {
            return Err(Setback::NotEmpty { table: table.name });
        }
    }
    Ok(())
}

/// The audit row of an attempt.
pub(crate) fn audit_entry(purge: &Purge, outcome: Outcome, counts: Counts, at: Timestamp) -> AuditEntry {
    let (actor, refs) = (purge.actor.clone(), purge.refs.clone());
    AuditEntry { actor, operation: Operation::Erase, outcome, refs, counts, at }
}

fn is_erased(tx: &mut dyn GovernanceTx, user: &UserId) -> Result<bool, Setback> {
    match ensure_erased(tx, user) {
        Ok(()) => Ok(true),
        Err(Setback::NotEmpty { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

fn claim(
    tx: &mut dyn GovernanceTx,
    purge: &Purge,
    subject: &Subject,
    holder: &Holder,
    now: Timestamp,
) -> Result<Option<Task>, Setback> {
    let taken = lease_of(tx, purge, holder, now)?;
    Ok(taken.map(|(_, lease)| Task { lease, subject: subject.clone() }))
}

fn lease_of(
    tx: &mut dyn GovernanceTx,
    purge: &Purge,
    holder: &Holder,
    now: Timestamp,
) -> Result<Option<(Purge, Lease)>, Setback> {
    let Some(claimed) = purge.claimed(now) else { return Ok(None) };
    if !tx.purges().claim(purge, &claimed, holder, LEASE_SECONDS)? {
        return Ok(None);
    }
    let lease = Lease { purge: claimed.id.clone(), holder: holder.clone(), fence: claimed.fence };
    Ok(Some((claimed, lease)))
}
