//! Subject write barriers inside a transaction.

use ::governance::{BarrierTx, PurgeId, RaisedBarrier, SubjectRef};
use diesel::prelude::*;
use kernel::{Barrier, StoreError, Timestamp, UserId};

use crate::backend::AnyConnection;
use crate::barrier::{state_of, state_text};
use crate::schema::{purge_work, subject_barriers};
use crate::transaction::OrgTx;

/// A barrier as stored: reference, state and owner.
type Stored = (String, String, String);

pub(super) fn find(
    conn: &mut AnyConnection,
    org: &str,
    subject: &[SubjectRef],
) -> QueryResult<Option<Stored>> {
    subject_barriers::table
        .filter(subject_barriers::org_id.eq(org))
        .filter(subject_barriers::subject_ref.eq_any(subject.iter().map(SubjectRef::as_str)))
        .order((subject_barriers::raised_at, subject_barriers::subject_ref))
        .select((subject_barriers::subject_ref, subject_barriers::state, subject_barriers::purge_id))
        .first(conn)
        .optional()
}

pub(super) fn barrier_of((subject, state, owner): Stored) -> Result<RaisedBarrier, StoreError> {
    let corrupt = |column: &str| StoreError::Corrupt(format!("subject_barriers.{column}"));
    Ok(RaisedBarrier {
        subject: SubjectRef::parse(&subject).map_err(|_| corrupt("subject_ref"))?,
        state: state_of(&state)?,
        owner: PurgeId::parse(&owner).map_err(|_| corrupt("purge_id"))?,
    })
}

impl BarrierTx for OrgTx {
    fn find(&mut self, subject: &[SubjectRef]) -> Result<Option<RaisedBarrier>, StoreError> {
        self.query(|conn, org| find(conn, org, subject))?.map(barrier_of).transpose()
    }

    fn raise(&mut self, subject: &SubjectRef, owner: &PurgeId, at: Timestamp) -> Result<(), StoreError> {
        let user = self.query(|conn, org| {
            let work = purge_work::table.find((org, owner.as_str()));
            work.select(purge_work::user_id).first::<String>(conn)
        })?;
        let user = UserId::new(&user).map_err(|_| StoreError::Corrupt("purge_work.user_id".to_owned()))?;
        self.close_gate(&user)?;
        self.query(|conn, org| {
            let row = (
                subject_barriers::org_id.eq(org),
                subject_barriers::subject_ref.eq(subject.as_str()),
                subject_barriers::purge_id.eq(owner.as_str()),
                subject_barriers::state.eq(state_text(Barrier::Erasing)),
                subject_barriers::raised_at.eq(at.seconds()),
            );
            diesel::insert_into(subject_barriers::table).values(row).execute(conn)
        })?;
        Ok(())
    }

    fn mark_erased(&mut self, barrier: &RaisedBarrier, at: Timestamp) -> Result<bool, StoreError> {
        let marked = self.query(|conn, org| {
            let erasing = subject_barriers::table
                .find((org, barrier.subject.as_str()))
                .filter(subject_barriers::state.eq(state_text(Barrier::Erasing)))
                .filter(subject_barriers::purge_id.eq(barrier.owner.as_str()));
            diesel::update(erasing)
                .set((
                    subject_barriers::state.eq(state_text(Barrier::Erased)),
                    subject_barriers::erased_at.eq(at.seconds()),
                ))
                .execute(conn)
        })?;
        Ok(marked == 1)
    }
}
