//! Replays inside a transaction. The subject of a replayed session's work is the number of its job.

use std::collections::BTreeSet;
use std::slice;

use ::evaluation::SessionKey;
use ::evaluation::judging::{Job, JobFailure, JobId, JobStatus, JobTx, SessionOutcome, WorkKind};
use diesel::dsl::{exists, sql};
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use kernel::{StoreError, UserId};

use super::super::results::ROWS_PER_STATEMENT;
use super::job_rows::{Advance, JobRow, NewJob};
use crate::backend::now;
use crate::kept::Keep as _;
use crate::schema::{regeneration_failures, regeneration_jobs, work_items};
use crate::transaction::OrgTx;

/// The states of a job for which work may still be done.
pub(super) const LIVE: [&str; 2] = [JobStatus::Queued.as_str(), JobStatus::Running.as_str()];

/// Whether an item is a replayed session. The kind is written out: an index of one kind is of no use for a kind not known yet.
pub(super) fn is_replay() -> SqlLiteral<Bool> {
    sql("work_items.kind = 'regeneration_session'")
}

#[derive(Insertable)]
#[diesel(table_name = work_items, treat_none_as_default_value = false)]
struct NewReplay<'a> {
    org_id: &'a str,
    kind: &'static str,
    user_id: &'a str,
    session_id: &'a str,
    subject: i64,
    due_at: i64,
}

impl JobTx for OrgTx {
    fn live(&mut self) -> Result<Option<Job>, StoreError> {
        let row: Option<JobRow> = self.query(|conn, org| {
            regeneration_jobs::table
                .filter(regeneration_jobs::org_id.eq(org))
                .filter(regeneration_jobs::status.eq_any(LIVE))
                .select(JobRow::as_select())
                .first(conn)
                .optional()
        })?;
        row.map(Job::try_from).transpose()
    }

    fn find(&mut self, id: &JobId) -> Result<Option<Job>, StoreError> {
        self.job_row(id)?.map(Job::try_from).transpose()
    }

    fn admitted(&mut self, sessions: &[SessionKey]) -> Result<Vec<SessionKey>, StoreError> {
        let users: BTreeSet<&UserId> = sessions.iter().map(|session| &session.user_id).collect();
        let users: Vec<UserId> = users.into_iter().cloned().collect();
        let barred = self.pass_gate_or_stay(&users)?;
        Ok(sessions.iter().filter(|session| !barred.contains(&session.user_id)).cloned().collect())
    }

    fn insert(&mut self, job: &Job, sessions: &[SessionKey]) -> Result<(), StoreError> {
        for session in sessions {
            self.must_have_admitted(&session.user_id)?;
        }
        let number: i64 = self.query(|conn, org| {
            let row = NewJob::of(org, job);
            on_each!(conn, |c| diesel::insert_into(regeneration_jobs::table)
                .values(&row)
                .returning(regeneration_jobs::job_number)
                .get_result(c))
        })?;
        let due_at: i64 = self.query(|conn, _| diesel::select(now(conn)).get_result(conn))?;
        for chunk in sessions.chunks(ROWS_PER_STATEMENT) {
            self.query(|conn, org| {
                let items: Vec<_> =
                    chunk.iter().map(|session| replay(org, session, (number, due_at))).collect();
                on_each!(conn, |c| diesel::insert_into(work_items::table).values(&items).execute(c))
            })?;
        }
        Ok(())
    }

    fn advance(&mut self, job: &Job, from: JobStatus) -> Result<bool, StoreError> {
        let advanced = self.query(|conn, org| {
            let stored = regeneration_jobs::table
                .filter(regeneration_jobs::org_id.eq(org))
                .filter(regeneration_jobs::job_id.eq(job.id.as_str()))
                .filter(regeneration_jobs::status.eq(from.as_str()));
            diesel::update(stored).set(Advance::to(job)).execute(conn)
        })?;
        Ok(advanced == 1)
    }

    fn count(&mut self, id: &JobId, outcome: SessionOutcome) -> Result<Option<Job>, StoreError> {
        use regeneration_jobs as t;
        let (judged, failed) = match outcome {
            SessionOutcome::Judged => (1, 0),
            SessionOutcome::Failed => (0, 1),
        };
        let counted = self.query(|conn, org| {
            let live = t::table
                .filter(t::org_id.eq(org))
                .filter(t::job_id.eq(id.as_str()))
                .filter(t::status.eq_any(LIVE));
            diesel::update(live)
                .set((t::completed.eq(t::completed + judged), t::failed.eq(t::failed + failed)))
                .execute(conn)
        })?;
        if counted == 1 { self.find(id) } else { Ok(None) }
    }

    fn add_failure(&mut self, id: &JobId, failure: &JobFailure) -> Result<(), StoreError> {
        use regeneration_failures as t;
        let (Some(session), Some(job)) = (&failure.session, self.job_row(id)?) else { return Ok(()) };
        self.pass_gate(slice::from_ref(&session.user_id))?;
        self.must_have_admitted(&session.user_id)?;
        self.query(|conn, org| {
            diesel::insert_into(t::table)
                .values((
                    t::org_id.eq(org),
                    t::job_number.eq(job.job_number),
                    t::user_id.eq(session.user_id.as_str()),
                    t::session_id.eq(session.session_id.as_str()),
                    t::reason.eq(failure.reason.as_str()),
                ))
                .execute(conn)
        })?;
        Ok(())
    }

    fn drop_work(&mut self, id: &JobId) -> Result<(), StoreError> {
        let Some(job) = self.job_row(id)? else { return Ok(()) };
        self.query(|conn, org| {
            let work = work_items::table
                .filter(work_items::org_id.eq(org))
                .filter(is_replay())
                .filter(work_items::subject.eq(job.job_number));
            diesel::delete(work).execute(conn)
        })?;
        Ok(())
    }

    fn has_work(&mut self, id: &JobId) -> Result<bool, StoreError> {
        let Some(job) = self.job_row(id)? else { return Ok(false) };
        self.query(|conn, org| {
            let work = work_items::table
                .filter(work_items::org_id.eq(org))
                .filter(is_replay())
                .filter(work_items::subject.eq(job.job_number))
                .filter(work_items::state.eq("waiting"));
            diesel::select(exists(work)).kept().get_result(conn)
        })
    }
}

impl OrgTx {
    fn job_row(&mut self, id: &JobId) -> Result<Option<JobRow>, StoreError> {
        self.query(|conn, org| {
            regeneration_jobs::table
                .filter(regeneration_jobs::org_id.eq(org))
                .filter(regeneration_jobs::job_id.eq(id.as_str()))
                .select(JobRow::as_select())
                .first(conn)
                .optional()
        })
    }
}

fn replay<'a>(org_id: &'a str, session: &'a SessionKey, (subject, due_at): (i64, i64)) -> NewReplay<'a> {
    NewReplay {
        org_id,
        kind: WorkKind::RegenerationSession.as_str(),
        user_id: session.user_id.as_str(),
        session_id: session.session_id.as_str(),
        subject,
        due_at,
    }
}
