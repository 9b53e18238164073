//! The durable queue of everything that waits for a judge.
//!
//! Three promises hold for every item. **Never lost**: an item leaves the queue only by [`WorkTx::complete`] or
//! [`WorkTx::bury`], by its job being cancelled, or with its user; whatever happens to a worker, its lease runs out and the
//! item is claimed again. **Never done twice for one lease**: completing an item and keeping what was found commit
//! together, and only while the lease holds. **One clock**: leases and due times are compared with the database's clock.

use kernel::{OrgId, StoreError, Timestamp};

use crate::judging::job::FailureReason;
use crate::judging::work::{Claimed, Holder, Lease, WorkKind};

/// Whether a worker may still write what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// It may.
    Held,
    /// Somebody else has claimed the item, or it is gone: nothing was changed.
    Lost,
}

/// Hands out work of all organizations.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait WorkQueue: Send + Sync {
    /// Claims at most `limit` due items of these kinds, longest due first, with a lease of `seconds`.
    ///
    /// MUST hand an item to one claimer only, however many servers ask at once, and not again until its lease runs out,
    /// is given back, or the item is due once more; MUST raise its fence and its attempts. MUST claim nothing of the
    /// organizations in `busy`, which have as much in flight as they may, so that none keeps the others waiting; what
    /// they have due MUST cost nothing. While some are busy, MAY claim of one other organization only, the one whose item is
    /// due longest.
    fn claim(
        &self,
        kinds: &[WorkKind],
        busy: &[OrgId],
        holder: &Holder,
        limit: u32,
        seconds: i64,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Prolongs a lease to `seconds` from now.
    ///
    /// MUST answer [`Hold::Lost`], and change nothing, unless the stored fence is the lease's.
    fn heartbeat(&self, org: &OrgId, lease: &Lease, seconds: i64) -> Result<Hold, StoreError>;

    /// Gives an item back undone, for instance when the server stops.
    ///
    /// MUST make it claimable at once and take the attempt back, under the same condition.
    fn release(&self, org: &OrgId, lease: &Lease) -> Result<Hold, StoreError>;
}

/// Items of the queue inside one transaction. Each MUST answer [`Hold::Lost`], and change nothing, unless the stored
/// fence is the lease's.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait WorkTx {
    /// Finishes an item.
    ///
    /// MUST leave it waiting, with no attempt counted, when its revision is another than the lease's: new turns came
    /// while it was worked on. MUST conflict with whatever raises the revision at the same time.
    fn complete(&mut self, lease: &Lease) -> Result<Hold, StoreError>;

    /// Puts an item back, due in so many seconds, and notes why.
    fn retry(&mut self, lease: &Lease, in_seconds: i64, reason: &FailureReason) -> Result<Hold, StoreError>;

    /// Lays an item aside for people to see, and notes why. New turns make it due again.
    fn bury(&mut self, lease: &Lease, reason: &FailureReason) -> Result<Hold, StoreError>;
}

/// What is in an organization's queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// Items that wait or are worked on, for each kind that has any.
    pub depth: Vec<(WorkKind, u64)>,
    /// The earliest due time of all items that wait.
    pub oldest_due: Option<Timestamp>,
    /// Items under a lease that has not run out.
    pub running: u64,
    /// Items that wait after a failed attempt.
    pub retrying: u64,
    /// Items laid aside since the time that was asked about.
    pub failed: u64,
}

/// Reads the queue outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait QueueReader: Send + Sync {
    /// What is in the organization's queue; failures since this time.
    fn counts(&self, org: &OrgId, failed_since: Timestamp) -> Result<QueueCounts, StoreError>;
}
