//! Rows of replays, and their way to and from the domain.

use ::evaluation::judging::{FailureReason, Job, JobFailure, JobId, JobStatus, ReplayWindow};
use diesel::{AsChangeset, Insertable, Queryable, Selectable};
use kernel::{EvaluationName, StoreError, Timestamp};

use super::super::rows::{corrupt, count, session_of};
use crate::schema::{regeneration_failures, regeneration_jobs};

#[derive(Queryable, Selectable)]
#[diesel(table_name = regeneration_jobs)]
pub(super) struct JobRow {
    pub(super) job_number: i64,
    job_id: String,
    evaluation_name: String,
    from_ts: i64,
    to_ts: i64,
    status: String,
    total: i64,
    completed: i64,
    failed: i64,
    total_candidates: i64,
    concurrency_limit: i64,
    started_at: i64,
    finished_at: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = regeneration_jobs, treat_none_as_default_value = false)]
pub(super) struct NewJob<'a> {
    org_id: &'a str,
    job_id: &'a str,
    evaluation_name: &'a str,
    from_ts: i64,
    to_ts: i64,
    status: &'static str,
    total: i64,
    completed: i64,
    failed: i64,
    total_candidates: i64,
    concurrency_limit: i64,
    started_at: i64,
    finished_at: Option<i64>,
}

/// What changes when a job advances.
#[derive(AsChangeset)]
#[diesel(table_name = regeneration_jobs, treat_none_as_null = true)]
pub(super) struct Advance {
    status: &'static str,
    failed: i64,
    finished_at: Option<i64>,
}

impl Advance {
    pub(super) fn to(job: &Job) -> Self {
        Self {
            status: job.status.as_str(),
            failed: column(job.failed),
            finished_at: job.finished_at.map(Timestamp::seconds),
        }
    }
}

impl<'a> NewJob<'a> {
    pub(super) fn of(org_id: &'a str, job: &'a Job) -> Self {
        let window = job.window.window();
        Self {
            org_id,
            job_id: job.id.as_str(),
            evaluation_name: job.evaluation_name.as_str(),
            from_ts: window.start().seconds(),
            to_ts: window.end().seconds(),
            status: job.status.as_str(),
            total: column(job.total),
            completed: column(job.completed),
            failed: column(job.failed),
            total_candidates: column(job.total_candidates),
            concurrency_limit: i64::from(job.concurrency_limit),
            started_at: job.started_at.seconds(),
            finished_at: job.finished_at.map(Timestamp::seconds),
        }
    }
}

impl TryFrom<JobRow> for Job {
    type Error = StoreError;

    fn try_from(row: JobRow) -> Result<Self, StoreError> {
        let wrong = |column: &str| corrupt(&format!("regeneration_jobs.{column}"));
        let (from, to) = (Timestamp::from_seconds(row.from_ts), Timestamp::from_seconds(row.to_ts));
        Ok(Self {
            id: JobId::new(&row.job_id).map_err(|_| wrong("job_id"))?,
            evaluation_name: EvaluationName::new(&row.evaluation_name)
                .map_err(|_| wrong("evaluation_name"))?,
            window: ReplayWindow::new(from, to).map_err(|_| wrong("to_ts"))?,
            status: JobStatus::parse(&row.status).ok_or_else(|| wrong("status"))?,
            total: count(row.total, "regeneration_jobs.total")?,
            completed: count(row.completed, "regeneration_jobs.completed")?,
            failed: count(row.failed, "regeneration_jobs.failed")?,
            total_candidates: count(row.total_candidates, "regeneration_jobs.total_candidates")?,
            concurrency_limit: u32::try_from(row.concurrency_limit)
                .map_err(|_| wrong("concurrency_limit"))?,
            started_at: Timestamp::from_seconds(row.started_at),
            finished_at: row.finished_at.map(Timestamp::from_seconds),
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = regeneration_failures)]
pub(super) struct FailureRow {
    pub(super) job_number: i64,
    user_id: String,
    session_id: String,
    reason: String,
}

impl TryFrom<FailureRow> for JobFailure {
    type Error = StoreError;

    fn try_from(row: FailureRow) -> Result<Self, StoreError> {
        Ok(Self {
            session: Some(session_of(&row.user_id, &row.session_id, "regeneration_failures")?),
            reason: FailureReason::bounded(&row.reason),
        })
    }
}

fn column(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
