//! Replays outside a transaction: their state, and the sessions they choose from.

use ::evaluation::judging::{
    Candidate, CandidateReader, CandidateReceiver, Job, JobFailure, JobId, JobReader, JobRecord,
    MOST_FAILURES,
};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use kernel::{OrgId, StoreError, Timestamp, Window};

use super::super::rows::{corrupt, session_of, source_of};
use super::job_rows::{FailureRow, JobRow};
use super::jobs::{LIVE, is_replay};
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::{regeneration_failures, regeneration_jobs, requests, sessions, work_items};

/// So many candidates are held at a time.
const PAGE: i64 = 5_000;

/// A session as its row tells it: user, session, first request, source.
type SessionRow = (String, String, i64, String);

impl CandidateReader for Database {
    fn candidates(
        &self,
        org: &OrgId,
        window: Window,
        receiver: &mut dyn CandidateReceiver,
    ) -> Result<(), StoreError> {
        self.snapshot(|conn| {
            let mut behind = None;
            loop {
                let rows = answer(page(conn, org.as_str(), window, behind.as_ref()))?;
                let is_last = i64::try_from(rows.len()).is_ok_and(|rows| rows < PAGE);
                behind = rows.last().cloned();
                for (user, session, at, source) in rows {
                    receiver.receive(Candidate {
                        session: session_of(&user, &session, "sessions")?,
                        began_at: Timestamp::from_seconds(at),
                        source: source_of(&source, "sessions")?,
                    });
                }
                if is_last {
                    return Ok(());
                }
            }
        })
    }
}

fn page(
    conn: &mut AnyConnection,
    org: &str,
    window: Window,
    behind: Option<&SessionRow>,
) -> QueryResult<Vec<SessionRow>> {
    use sessions as t;
    let (from, to) = (window.start().seconds(), window.end().seconds());
    let in_window = requests::table
        .filter(requests::org_id.eq(t::org_id))
        .filter(requests::session_id.eq(t::session_id))
        .filter(requests::user_id.eq(t::user_id))
        .filter(requests::created_at.between(from, to));
    let mut query = t::table
        .filter(t::org_id.eq(org))
        .filter(t::first_request_at.le(to))
        .filter(t::last_request_at.ge(from))
        .filter(exists(in_window))
        .order((t::first_request_at, t::user_id, t::session_id))
        .select((t::user_id, t::session_id, t::first_request_at, t::source))
        .limit(PAGE)
        .into_boxed();
    if let Some((user, session, at, _)) = behind {
        query = query.filter(
            t::first_request_at.gt(at).or(t::first_request_at
                .eq(at)
                .and(t::user_id.gt(user).or(t::user_id.eq(user).and(t::session_id.gt(session))))),
        );
    }
    query.load(conn)
}

impl JobReader for Database {
    fn find(&self, org: &OrgId, id: &JobId) -> Result<Option<JobRecord>, StoreError> {
        self.snapshot(|conn| {
            let row: Option<JobRow> = answer(
                regeneration_jobs::table
                    .filter(regeneration_jobs::org_id.eq(org.as_str()))
                    .filter(regeneration_jobs::job_id.eq(id.as_str()))
                    .select(JobRow::as_select())
                    .first(conn)
                    .optional(),
            )?;
            row.map(|row| record(conn, org.as_str(), row)).transpose()
        })
    }

    fn list(&self, org: &OrgId, limit: u32) -> Result<Vec<JobRecord>, StoreError> {
        self.snapshot(|conn| {
            let rows: Vec<JobRow> = answer(
                regeneration_jobs::table
                    .filter(regeneration_jobs::org_id.eq(org.as_str()))
                    .order((regeneration_jobs::started_at.desc(), regeneration_jobs::job_number.desc()))
                    .limit(i64::from(limit))
                    .select(JobRow::as_select())
                    .load(conn),
            )?;
            rows.into_iter().map(|row| record(conn, org.as_str(), row)).collect()
        })
    }

    fn idle(&self) -> Result<Vec<(OrgId, JobId)>, StoreError> {
        let rows: Vec<(String, String)> = self.read(|conn| {
            let work = work_items::table
                .filter(work_items::org_id.eq(regeneration_jobs::org_id))
                .filter(is_replay())
                .filter(work_items::subject.eq(regeneration_jobs::job_number))
                .filter(work_items::state.eq("waiting"));
            regeneration_jobs::table
                .filter(regeneration_jobs::status.eq_any(LIVE))
                .filter(not(exists(work)))
                .select((regeneration_jobs::org_id, regeneration_jobs::job_id))
                .load(conn)
        })?;
        rows.iter()
            .map(|(org, id)| {
                let org = OrgId::new(org).map_err(|_| corrupt("regeneration_jobs.org_id"))?;
                Ok((org, JobId::new(id).map_err(|_| corrupt("regeneration_jobs.job_id"))?))
            })
            .collect()
    }
}

/// A job with the first of its failures.
fn record(conn: &mut AnyConnection, org: &str, row: JobRow) -> Result<JobRecord, StoreError> {
    use regeneration_failures as t;
    let failures: Vec<FailureRow> = answer(
        t::table
            .filter(t::org_id.eq(org))
            .filter(t::job_number.eq(row.job_number))
            .order(t::failure_number)
            .limit(i64::try_from(MOST_FAILURES).unwrap_or(i64::MAX))
            .select(FailureRow::as_select())
            .load(conn),
    )?;
    let failures: Result<_, _> = failures.into_iter().map(JobFailure::try_from).collect();
    Ok(JobRecord { job: Job::try_from(row)?, failures: failures? })
}
