//! Executing an erasure: bounded chunks, each fenced and entered in the ledger, then one final transaction.

use std::ops::ControlFlow;
use std::sync::Arc;

use kernel::{Barrier, Clock, OrgId, StoreError, Timestamp, UnitOfWork};

use crate::coverage::{Role, Table, plan};
use crate::setback::Setback;
use crate::taking::{Task, audit_entry, complete_at_once, ensure_erased};
use crate::{ErrorCode, GovernanceTx, LEASE_SECONDS, Onlooker, Outcome, Purge};

/// The most rows one transaction deletes, so that other users' writes keep flowing.
pub const CHUNK_ROWS: u64 = 500;

/// How often in a row a chunk may lose to other writers before the attempt is given up.
const MOST_CONTENDED: u32 = 20;

/// How often the rows are worked through again when the final check finds one: a writer that asked the gate at the very
/// moment the barrier went up may commit after the rows of its table were taken.
const MORE_PASSES: u32 = 3;

/// Executes erasures in a store.
#[derive(Clone)]
pub(crate) struct Executor {
    store: Arc<dyn UnitOfWork<dyn GovernanceTx>>,
    clock: Arc<dyn Clock>,
}

/// What one chunk did.
struct Chunk {
    /// Rows deleted, unlinked or blanked.
    rows: u64,
    /// The first table that may still hold rows; `None` when all have been worked through.
    next: Option<usize>,
}

impl Executor {
    pub(crate) fn new(store: Arc<dyn UnitOfWork<dyn GovernanceTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Works until the erasure is complete, the onlooker loses patience, or another executor has taken over.
    ///
    /// # Errors
    /// Why the attempt failed; the purge then says so too, unless the store could not even keep that.
    pub(crate) fn execute(&self, org: &OrgId, task: &Task, onlooker: &dyn Onlooker) -> Result<(), ErrorCode> {
        let setback = match self.work(org, task, onlooker) {
            Ok(()) | Err(Setback::LeaseLost) => return Ok(()),
            Err(setback) => setback,
        };
        // When even this cannot be kept, the lease runs out by itself and the background takes over.
        match self.fail(org, task, &setback) {
            Err(Setback::LeaseLost) => Ok(()),
            Ok(()) | Err(_) => Err(setback.failure().code),
        }
    }

    fn work(&self, org: &OrgId, task: &Task, onlooker: &dyn Onlooker) -> Result<(), Setback> {
        let mut passes = 0;
        loop {
            if self.take_rows_away(org, task, onlooker)? == ControlFlow::Break(()) {
                return self.release(org, task);
            }
            let now = self.clock.now();
            match steadily(|| self.store.transact(org, |tx| finish(tx, task, now))) {
                Err(Setback::NotEmpty { .. }) if passes < MORE_PASSES => passes += 1,
                outcome => return outcome,
            }
        }
    }

    /// Works through all tables once; breaks when the onlooker loses patience.
    fn take_rows_away(
        &self,
        org: &OrgId,
        task: &Task,
        onlooker: &dyn Onlooker,
    ) -> Result<ControlFlow<()>, Setback> {
        let mut next = Some(0);
        while let Some(start) = next {
            if onlooker.goes_on() == ControlFlow::Break(()) {
                return Ok(ControlFlow::Break(()));
            }
            let chunk = steadily(|| self.store.transact(org, |tx| erase_chunk(tx, task, start)))?;
            onlooker.advanced(chunk.rows);
            next = chunk.next;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn release(&self, org: &OrgId, task: &Task) -> Result<(), Setback> {
        self.store.transact(org, |tx| Ok(tx.purges().release(&task.lease).map(drop)?))
    }

    /// Marks the attempt failed and leaves its audit row. The barrier stays up.
    fn fail(&self, org: &OrgId, task: &Task, setback: &Setback) -> Result<(), Setback> {
        let now = self.clock.now();
        self.store.transact(org, |tx| {
            let purge = held(tx, task)?;
            let failed = purge.failed(setback.failure(), now).ok_or(Setback::LeaseLost)?;
            if !tx.purges().fail(&task.lease, &failed, failed.seconds_to_retry())? {
                return Err(Setback::LeaseLost);
            }
            let counts = tx.ledgers().read(&purge.id)?.counts();
            Ok(tx.audit().append(&audit_entry(&purge, Outcome::Error, counts, now))?)
        })
    }
}

/// Runs a step again that only lost to other writers; nothing of it was kept.
fn steadily<T>(step: impl Fn() -> Result<T, Setback>) -> Result<T, Setback> {
    let mut lost = 0;
    loop {
        match step() {
            Err(Setback::Store(StoreError::Contended)) if lost < MOST_CONTENDED => lost += 1,
            outcome => return outcome,
        }
    }
}

/// The purge, if this executor still is the one to write it.
fn held(tx: &mut dyn GovernanceTx, task: &Task) -> Result<Purge, Setback> {
    let purge = tx.purges().find(&task.lease.purge)?.ok_or(Setback::OutOfPlace)?;
    if purge.fence == task.lease.fence { Ok(purge) } else { Err(Setback::LeaseLost) }
}

/// Erases up to [`CHUNK_ROWS`] rows, beginning with the table at `start` of the plan.
fn erase_chunk(tx: &mut dyn GovernanceTx, task: &Task, start: usize) -> Result<Chunk, Setback> {
    tx.take_away()?;
    if !tx.purges().heartbeat(&task.lease, LEASE_SECONDS)? {
        return Err(Setback::LeaseLost);
    }
    let mut left = CHUNK_ROWS;
    for (position, table) in plan().enumerate().skip(start) {
        left = left.saturating_sub(erase_rows(tx, task, table, left)?);
        if left == 0 {
            return Ok(Chunk { rows: CHUNK_ROWS, next: Some(position) });
        }
    }
    Ok(Chunk { rows: CHUNK_ROWS.saturating_sub(left), next: None })
}

/// Erases up to `limit` rows of one table and enters them in the ledger.
fn erase_rows(
    tx: &mut dyn GovernanceTx,
    task: &Task,
    table: &'static Table,
    limit: u64,
) -> Result<u64, Setback> {
    let user = &task.subject.user;
    match table.role {
        Role::Listed(target) => {
            let rows = tx.rows().delete(user, table, limit)?;
            tx.ledgers().add(&task.lease.purge, target, rows)?;
            Ok(rows)
        }
        Role::Attached(_) => Ok(tx.rows().delete(user, table, limit)?),
        Role::Link { .. } => {
            let playbooks = tx.rows().unlink(user, table, limit)?;
            tx.ledgers().add_unlinked(&task.lease.purge, &playbooks)?;
            Ok(u64::try_from(playbooks.len()).unwrap_or(limit))
        }
        Role::Blanked => Ok(tx.rows().blank(user, table, limit)?),
        Role::Kept => Ok(0),
    }
}

/// The final transaction: nothing is left, the ledger is whole, audit row, barrier and purge say so; or none of it.
fn finish(tx: &mut dyn GovernanceTx, task: &Task, now: Timestamp) -> Result<(), Setback> {
    let purge = held(tx, task)?;
    let complete = purge.completed(now).ok_or(Setback::LeaseLost)?;
    ensure_erased(tx, &task.subject.user)?;
    let ledger = tx.ledgers().read(&purge.id)?;
    if let Some(target) = ledger.missing() {
        return Err(Setback::LedgerIncomplete { target });
    }
    tx.audit().append(&audit_entry(&purge, Outcome::Ok, ledger.counts(), now))?;
    close_barrier(tx, task, now)?;
    if !tx.purges().complete(&task.lease, &complete)? {
        return Err(Setback::LeaseLost);
    }
    for waiting in tx.purges().waiting(&task.subject.refs)? {
        complete_at_once(tx, &waiting, &task.lease.holder, now)?;
    }
    Ok(())
}

fn close_barrier(tx: &mut dyn GovernanceTx, task: &Task, now: Timestamp) -> Result<(), Setback> {
    let barrier = tx.barriers().find(&task.subject.refs)?.ok_or(Setback::OutOfPlace)?;
    match barrier.state {
        Barrier::Erased => Ok(()),
        Barrier::Erasing if tx.barriers().mark_erased(&barrier, now)? => Ok(()),
        Barrier::Erasing => Err(Setback::OutOfPlace),
    }
}

#[cfg(test)]
mod tests;
