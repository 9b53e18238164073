//! Purge operations, their leases and their work rows inside a transaction.

use ::governance::{Holder, Lease, Purge, PurgeId, PurgeState, PurgeStatus, PurgeTx, SubjectRef};
use diesel::prelude::*;
use kernel::{StoreError, UserId};

use super::rows::{NewPurge, PurgeRow};
use crate::backend::{AnyConnection, now, seconds_from_now};
use crate::schema::{purge_operations, purge_work};
use crate::transaction::OrgTx;

/// A purge as stored, and the database's clock when it was read.
pub(super) type Stored = (PurgeRow, i64);

pub(super) fn find(conn: &mut AnyConnection, org: &str, id: &PurgeId) -> QueryResult<Option<Stored>> {
    let now = now(conn);
    purge_operations::table
        .find((org, id.as_str()))
        .select((PurgeRow::as_select(), now))
        .first(conn)
        .optional()
}

pub(super) fn purge_of((row, now): Stored) -> Result<Purge, StoreError> {
    row.at(now)
}

/// The purge, while it is running under this lease's fence.
macro_rules! held {
    ($org:expr, $lease:expr) => {
        purge_operations::table
            .find(($org, $lease.purge.as_str()))
            .filter(purge_operations::status.eq(PurgeStatus::Running.as_str()))
            .filter(purge_operations::fence.eq($lease.fence.0))
    };
}

impl PurgeTx for OrgTx {
    fn find(&mut self, id: &PurgeId) -> Result<Option<Purge>, StoreError> {
        self.query(|conn, org| find(conn, org, id))?.map(purge_of).transpose()
    }

    fn insert(&mut self, purge: &Purge, user: &UserId) -> Result<(), StoreError> {
        self.query(|conn, org| {
            diesel::insert_into(purge_operations::table).values(NewPurge::of(org, purge)).execute(conn)?;
            let work = (
                purge_work::org_id.eq(org),
                purge_work::purge_id.eq(purge.id.as_str()),
                purge_work::user_id.eq(user.as_str()),
            );
            diesel::insert_into(purge_work::table).values(work).execute(conn)
        })?;
        Ok(())
    }

    fn claim(
        &mut self,
        found: &Purge,
        claimed: &Purge,
        holder: &Holder,
        seconds: i64,
    ) -> Result<bool, StoreError> {
        let taken = self.query(|conn, org| {
            let (now, lease_end) = (now(conn), seconds_from_now(conn, seconds));
            let free = purge_operations::table
                .find((org, found.id.as_str()))
                .filter(purge_operations::status.eq(found.state.status().as_str()))
                .filter(purge_operations::fence.eq(found.fence.0))
                .filter(
                    purge_operations::status
                        .ne(PurgeStatus::Running.as_str())
                        .or(purge_operations::due_at.assume_not_null().le(now)),
                );
            diesel::update(free)
                .set((
                    purge_operations::status.eq(claimed.state.status().as_str()),
                    purge_operations::fence.eq(claimed.fence.0),
                    purge_operations::lease_holder.eq(&holder.0),
                    purge_operations::due_at.eq(lease_end),
                    purge_operations::error_code.eq(None::<String>),
                    purge_operations::error_detail.eq(None::<String>),
                    purge_operations::updated_at.eq(claimed.updated_at.seconds()),
                ))
                .execute(conn)
        })?;
        Ok(taken == 1)
    }

    fn heartbeat(&mut self, lease: &Lease, seconds: i64) -> Result<bool, StoreError> {
        let prolonged = self.query(|conn, org| {
            let lease_end = seconds_from_now(conn, seconds);
            diesel::update(held!(org, lease)).set(purge_operations::due_at.eq(lease_end)).execute(conn)
        })?;
        Ok(prolonged == 1)
    }

    fn release(&mut self, lease: &Lease) -> Result<bool, StoreError> {
        self.heartbeat(lease, 0)
    }

    fn fail(&mut self, lease: &Lease, failed: &Purge, seconds_to_retry: i64) -> Result<bool, StoreError> {
        let PurgeState::Failed(failure) = &failed.state else {
            return Err(StoreError::Failed("a purge was failed without a failure".to_owned()));
        };
        let stored = self.query(|conn, org| {
            let retry_at = seconds_from_now(conn, seconds_to_retry);
            diesel::update(held!(org, lease))
                .set((
                    purge_operations::status.eq(PurgeStatus::Failed.as_str()),
                    purge_operations::error_code.eq(failure.code.as_str()),
                    purge_operations::error_detail.eq(&failure.detail),
                    purge_operations::lease_holder.eq(None::<String>),
                    purge_operations::due_at.eq(retry_at),
                    purge_operations::updated_at.eq(failed.updated_at.seconds()),
                ))
                .execute(conn)
        })?;
        Ok(stored == 1)
    }

    fn complete(&mut self, lease: &Lease, complete: &Purge) -> Result<bool, StoreError> {
        let PurgeState::Complete { at } = complete.state else {
            return Err(StoreError::Failed("a purge was completed that is not complete".to_owned()));
        };
        let stored = self.query(|conn, org| {
            diesel::update(held!(org, lease))
                .set((
                    purge_operations::status.eq(PurgeStatus::Complete.as_str()),
                    purge_operations::lease_holder.eq(None::<String>),
                    purge_operations::due_at.eq(None::<i64>),
                    purge_operations::updated_at.eq(complete.updated_at.seconds()),
                    purge_operations::completed_at.eq(at.seconds()),
                ))
                .execute(conn)
        })?;
        if stored == 1 {
            self.query(|conn, org| {
                diesel::delete(purge_work::table.find((org, lease.purge.as_str()))).execute(conn)
            })?;
        }
        Ok(stored == 1)
    }

    fn waiting(&mut self, subject: &[SubjectRef]) -> Result<Vec<Purge>, StoreError> {
        let stored: Vec<Stored> = self.query(|conn, org| {
            let now = now(conn);
            purge_operations::table
                .filter(purge_operations::org_id.eq(org))
                .filter(purge_operations::subject_ref.eq_any(subject.iter().map(SubjectRef::as_str)))
                .filter(purge_operations::status.eq(PurgeStatus::Pending.as_str()))
                .order((purge_operations::created_at, purge_operations::purge_id))
                .select((PurgeRow::as_select(), now))
                .load(conn)
        })?;
        stored.into_iter().map(purge_of).collect()
    }
}
