//! What the rules of governance need from a store.
//!
//! Three promises hold for every transaction of [`GovernanceTx`], and the sentences below lean on them:
//!
//! * **Serializable.** Transactions that overlap end as if one had run after the other; a loser runs again from the
//!   start or fails with [`StoreError::Contended`]. Nothing of a loser is kept. The one exception is a transaction that
//!   says so: see [`GovernanceTx::take_away`].
//! * **Durable.** What committed survives a crash of the process and a loss of power: governance acknowledges only that.
//! * **Alone in its organization.** No method sees or changes a row of another organization.

use std::ops::ControlFlow;

use kernel::{Barrier, OrgId, StoreError, Timestamp, UserId};

use crate::{
    AgentPlaybookId, AuditEntry, ExportRow, Holder, Lease, Ledger, Operation, Purge, PurgeId, SubjectRef,
    Table, Target, TicketRefs,
};

/// Everything governance changes, inside one transaction.
pub trait GovernanceTx {
    /// Says, before anything else, that this transaction only takes rows away behind a raised barrier.
    ///
    /// Nobody else writes such rows, so it need not see one single moment, and MUST NOT make the writers of other rows run
    /// again. What slips past it is found by the final check, which is serializable. Whatever it counts up MUST still add up.
    fn take_away(&mut self) -> Result<(), StoreError>;
    /// Purge operations and their leases.
    fn purges(&mut self) -> &mut dyn PurgeTx;
    /// The write barriers of subjects.
    fn barriers(&mut self) -> &mut dyn BarrierTx;
    /// The rows of a user.
    fn rows(&mut self) -> &mut dyn ErasureTx;
    /// What purges have deleted so far.
    fn ledgers(&mut self) -> &mut dyn LedgerTx;
    /// Audit rows.
    fn audit(&mut self) -> &mut dyn AuditTx;
}

/// Purge operations inside one transaction. Every change is a compare-and-set on the state it leaves.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PurgeTx {
    /// The purge of this id, with its hold as the database's clock (never the server's) sees it now.
    fn find(&mut self, id: &PurgeId) -> Result<Option<Purge>, StoreError>;

    /// Keeps a new purge, and the raw user id in its work row: the only place where governance keeps one.
    ///
    /// MUST lose the race, so that the rule runs again and finds the winner, when the id exists.
    fn insert(&mut self, purge: &Purge, user: &UserId) -> Result<(), StoreError>;

    /// Gives an executor the purge: stores `claimed` and a lease of `seconds` from the database's now.
    ///
    /// MUST return false, and change nothing, unless the stored status and fence still are those of `found` and, if it is
    /// running, its lease has run out by the database's clock in this very statement. So of any number of executors that
    /// found the same purge, one gets it. MUST clear the error code and detail of an earlier attempt.
    fn claim(
        &mut self,
        found: &Purge,
        claimed: &Purge,
        holder: &Holder,
        seconds: i64,
    ) -> Result<bool, StoreError>;

    /// Checks the fence and prolongs the lease to `seconds` from the database's now.
    ///
    /// MUST return false, and change nothing, unless the purge is running and its stored fence is the lease's. MUST write
    /// the purge's row even when nothing seems to change, so that this transaction and a take-over cannot both commit.
    /// A lease that ran out but that nobody took over is prolonged: its fence still protects it.
    fn heartbeat(&mut self, lease: &Lease, seconds: i64) -> Result<bool, StoreError>;

    /// Gives the lease back: it runs out at the database's now, and the purge stays running for whoever takes it next.
    ///
    /// MUST return false, and change nothing, unless the purge is running and its stored fence is the lease's.
    fn release(&mut self, lease: &Lease) -> Result<bool, StoreError>;

    /// Stores a failed attempt, which the background may take again `seconds_to_retry` from the database's now.
    ///
    /// MUST return false, and change nothing, unless the purge is running and its stored fence is the lease's: a stalled
    /// executor never marks a purge failed that another has taken. MUST keep the work row and touch no barrier.
    fn fail(&mut self, lease: &Lease, failed: &Purge, seconds_to_retry: i64) -> Result<bool, StoreError>;

    /// Stores a complete purge, drops its lease and deletes its work row, in this transaction.
    ///
    /// MUST return false, and change nothing, unless the purge is running and its stored fence is the lease's.
    fn complete(&mut self, lease: &Lease, complete: &Purge) -> Result<bool, StoreError>;

    /// The pending purges of a subject, under any of its references, oldest first.
    ///
    /// MUST conflict with the concurrent opening of another: a ticket either is seen here or sees the barrier this
    /// transaction leaves.
    fn waiting(&mut self, subject: &[SubjectRef]) -> Result<Vec<Purge>, StoreError>;
}

/// A raised barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaisedBarrier {
    /// The reference it was raised under; after a rotation of keys, an older one.
    pub subject: SubjectRef,
    /// How far the erasure has come.
    pub state: Barrier,
    /// The purge that raised it and carries the erasure out.
    pub owner: PurgeId,
}

/// Subject write barriers inside one transaction.
///
/// Writers of user-owned rows ask the same rows through the store's write gate, in the transaction that writes, under
/// every reference of the subject, and are refused with [`StoreError::Barred`].
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait BarrierTx {
    /// The barrier raised under any of these references, if one is.
    fn find(&mut self, subject: &[SubjectRef]) -> Result<Option<RaisedBarrier>, StoreError>;

    /// Raises a barrier in state [`Barrier::Erasing`], owned by this purge.
    ///
    /// MUST lose the race, so that the rule runs again and finds the winner, when the reference has a barrier. Once this
    /// transaction has committed, every writer that passed the gate before MUST have committed or aborted, and every
    /// later one MUST be refused: no row may appear that a later transaction of this purge does not see.
    fn raise(&mut self, subject: &SubjectRef, owner: &PurgeId, at: Timestamp) -> Result<(), StoreError>;

    /// Moves a barrier from [`Barrier::Erasing`] to [`Barrier::Erased`].
    ///
    /// MUST return false, and change nothing, unless the stored barrier is erasing and owned by the barrier's owner.
    /// No barrier is ever lowered, and none goes back to erasing: there is no method for it.
    fn mark_erased(&mut self, barrier: &RaisedBarrier, at: Timestamp) -> Result<bool, StoreError>;
}

/// The rows of one user inside one transaction, table by declared table.
///
/// The callers check the fence with [`PurgeTx::heartbeat`] in the same transaction, before any of these.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ErasureTx {
    /// Deletes rows of the user from a listed or attached table and says how many.
    ///
    /// MUST delete as many as there are, up to `limit`, through an index; fewer than `limit` means none are left. MUST
    /// delete with them what the database derives from them (full-text entries, rollups), and touch no other user's row.
    fn delete(&mut self, user: &UserId, table: &Table, limit: u64) -> Result<u64, StoreError>;

    /// Sets the blanked columns of the user's rows to null and says in how many rows, under the same obligations.
    fn blank(&mut self, user: &UserId, table: &Table, limit: u64) -> Result<u64, StoreError>;

    /// Deletes links to the user's playbooks, up to `limit`, and names the agent playbook of each one deleted.
    ///
    /// MUST leave the agent playbooks themselves, and the links to other users' playbooks, as they are. Fewer than
    /// `limit` means none are left.
    fn unlink(
        &mut self,
        user: &UserId,
        table: &Table,
        limit: u64,
    ) -> Result<Vec<AgentPlaybookId>, StoreError>;

    /// Whether the table holds no row of the user.
    ///
    /// MUST look at the rows themselves, in this transaction, and conflict with a concurrent write of such a row.
    fn is_empty(&mut self, user: &UserId, table: &Table) -> Result<bool, StoreError>;
}

/// What purges have deleted, inside one transaction.
///
/// An entry is added in the transaction that deletes the rows, so both are kept or neither: after any crash the counts
/// are those of an uninterrupted run.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait LedgerTx {
    /// Adds deleted rows to a target's count. MUST record the target even when `rows` is zero.
    fn add(&mut self, purge: &PurgeId, target: Target, rows: u64) -> Result<(), StoreError>;

    /// Adds agent playbooks that lost a link; one that is there already stays there once.
    fn add_unlinked(&mut self, purge: &PurgeId, playbooks: &[AgentPlaybookId]) -> Result<(), StoreError>;

    /// What the purge has deleted and unlinked so far; empty for one that has deleted nothing.
    fn read(&mut self, purge: &PurgeId) -> Result<Ledger, StoreError>;
}

/// Audit rows inside one transaction. There is no method that changes or deletes one.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait AuditTx {
    /// The references under which a row with outcome ok tells of this operation for this ticket, if there is one.
    ///
    /// MUST conflict with the concurrent append of such a row, so that of two repeats one sees the other's.
    fn succeeded(
        &mut self,
        operation: Operation,
        ticket: &[TicketRefs],
    ) -> Result<Option<TicketRefs>, StoreError>;

    /// Appends a row with the organization's next sequence number.
    ///
    /// MUST lose the race, so that the rule runs again, when a row with outcome ok exists for the same operation, subject
    /// and request and this one is ok too: the database itself allows one.
    fn append(&mut self, entry: &AuditEntry) -> Result<(), StoreError>;
}

/// A purge with what it has deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeRecord {
    /// The purge.
    pub purge: Purge,
    /// What it has deleted and unlinked so far.
    pub ledger: Ledger,
}

/// Reads purge operations outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PurgeReader: Send + Sync {
    /// The purge of this id and its ledger, both as of one moment; `None` for another organization's.
    fn find(&self, org: &OrgId, id: &PurgeId) -> Result<Option<PurgeRecord>, StoreError>;

    /// Purges of all organizations that nobody works on, at most `limit`, longest due first.
    ///
    /// MUST list a running purge whose lease has run out, and a failed one whose time to retry has come, both by the
    /// database's clock; and, after all of those, a pending one, unless a barrier under its own reference is erasing: such
    /// a ticket waits for the barrier's owner and ends with it. MUST list no other.
    fn due(&self, limit: u64) -> Result<Vec<DuePurge>, StoreError>;
}

/// A purge that waits for an executor, with the user id from its work row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuePurge {
    /// Whose purge it is.
    pub org: OrgId,
    /// The purge.
    pub purge: PurgeId,
    /// The user to erase.
    pub user: UserId,
}

/// Reads everything about one user as of one moment.
pub trait SubjectReader: Send + Sync {
    /// Runs `look` on a snapshot of the organization.
    ///
    /// MUST run it exactly once, because what it saw may have been sent on; every read in it MUST see the same moment,
    /// and memory MUST NOT grow with the number of rows. Writers are not held up meanwhile.
    fn look(&self, org: &OrgId, look: &mut dyn FnMut(&mut dyn SubjectSnapshot)) -> Result<(), StoreError>;
}

/// One user's rows as of one moment.
pub trait SubjectSnapshot {
    /// The barrier raised under any of these references, if one is.
    fn barrier(&mut self, subject: &[SubjectRef]) -> Result<Option<Barrier>, StoreError>;

    /// The references under which this ticket was exported before, if it was: a repeat keeps its identity when keys rotate.
    fn exported(&mut self, ticket: &[TicketRefs]) -> Result<Option<TicketRefs>, StoreError>;

    /// Hands every row of the user in a listed table to `each`, all declared columns in declared order, in the order of
    /// the table's key, until it breaks off.
    fn rows(
        &mut self,
        user: &UserId,
        table: &Table,
        each: &mut dyn FnMut(&ExportRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// How many rows of the user a table holds.
    fn count(&mut self, user: &UserId, table: &Table) -> Result<u64, StoreError>;

    /// The agent playbooks that a link table ties to the user's playbooks, each once, ascending.
    fn linked(&mut self, user: &UserId, table: &Table) -> Result<Vec<AgentPlaybookId>, StoreError>;
}

/// Whoever waits for an erasure: sees it advance, and may lose patience.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Onlooker {
    /// A transaction that deleted this many rows has committed.
    fn advanced(&self, rows: u64);

    /// Whether to go on now. After [`ControlFlow::Break`] the lease is given back and the background goes on.
    fn goes_on(&self) -> ControlFlow<()>;
}

/// Mocks of everything governance changes.
#[cfg(any(test, feature = "mock"))]
#[derive(Debug, Default)]
pub struct MockGovernanceTx {
    /// Purge operations and their leases.
    pub purges: MockPurgeTx,
    /// The write barriers of subjects.
    pub barriers: MockBarrierTx,
    /// The rows of a user.
    pub rows: MockErasureTx,
    /// What purges have deleted so far.
    pub ledgers: MockLedgerTx,
    /// Audit rows.
    pub audit: MockAuditTx,
}

#[cfg(any(test, feature = "mock"))]
impl GovernanceTx for MockGovernanceTx {
    fn take_away(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn purges(&mut self) -> &mut dyn PurgeTx {
        &mut self.purges
    }

    fn barriers(&mut self) -> &mut dyn BarrierTx {
        &mut self.barriers
    }

    fn rows(&mut self) -> &mut dyn ErasureTx {
        &mut self.rows
    }

    fn ledgers(&mut self) -> &mut dyn LedgerTx {
        &mut self.ledgers
    }

    fn audit(&mut self) -> &mut dyn AuditTx {
        &mut self.audit
    }
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn GovernanceTx, MockGovernanceTx);
