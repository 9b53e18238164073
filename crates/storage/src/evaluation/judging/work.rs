//! Items of the queue inside a transaction. Whatever ends a lease raises its fence, so that it ends for good.

use ::evaluation::judging::{FailureReason, Hold, Lease, WorkTx};
use diesel::prelude::*;
use kernel::StoreError;

use crate::backend::{moment_from_now, seconds_from_now};
use crate::schema::work_items;
use crate::transaction::OrgTx;

/// The item, as long as the lease's fence is the stored one.
macro_rules! held {
    ($org:expr, $lease:expr) => {
        work_items::table
            .filter(work_items::work_id.eq($lease.work.0))
            .filter(work_items::org_id.eq($org))
            .filter(work_items::lease_fence.eq($lease.fence))
    };
}
pub(super) use held;

/// What becomes of the lease when an item goes back to the queue.
macro_rules! let_go {
    () => {
        (
            work_items::lease_holder.eq(None::<String>),
            work_items::lease_expires_at.eq(None::<i64>),
            work_items::lease_fence.eq(work_items::lease_fence + 1),
        )
    };
}
pub(super) use let_go;

/// What a number of changed rows says about a hold.
pub(super) const fn hold(changed: usize) -> Hold {
    if changed == 1 { Hold::Held } else { Hold::Lost }
}

impl WorkTx for OrgTx {
    fn complete(&mut self, lease: &Lease) -> Result<Hold, StoreError> {
        let gone = self.query(|conn, org| {
            let finished = held!(org, lease).filter(work_items::revision.eq(lease.revision));
            diesel::delete(finished).execute(conn)
        })?;
        if gone == 1 { Ok(Hold::Held) } else { self.leave_waiting(lease) }
    }

    fn retry(&mut self, lease: &Lease, in_seconds: i64, reason: &FailureReason) -> Result<Hold, StoreError> {
        let put_back = self.query(|conn, org| {
            let due_at = moment_from_now(conn, in_seconds);
            diesel::update(held!(org, lease).filter(work_items::revision.eq(lease.revision)))
                .set((work_items::due_at.eq(due_at), work_items::last_error.eq(reason.as_str()), let_go!()))
                .execute(conn)
        })?;
        if put_back == 1 { Ok(Hold::Held) } else { self.leave_waiting(lease) }
    }

    fn bury(&mut self, lease: &Lease, reason: &FailureReason) -> Result<Hold, StoreError> {
        let buried = self.query(|conn, org| {
            let now = seconds_from_now(conn, 0);
            diesel::update(held!(org, lease).filter(work_items::revision.eq(lease.revision)))
                .set((
                    work_items::state.eq("failed"),
                    work_items::failed_at.eq(now),
                    work_items::last_error.eq(reason.as_str()),
                    let_go!(),
                ))
                .execute(conn)
        })?;
        if buried == 1 { Ok(Hold::Held) } else { self.leave_waiting(lease) }
    }
}

impl OrgTx {
    /// Leaves an item as new turns made it: due by them, with no attempt counted.
    fn leave_waiting(&mut self, lease: &Lease) -> Result<Hold, StoreError> {
        let left = self.query(|conn, org| {
            diesel::update(held!(org, lease)).set((work_items::attempts.eq(0), let_go!())).execute(conn)
        })?;
        Ok(hold(left))
    }
}
