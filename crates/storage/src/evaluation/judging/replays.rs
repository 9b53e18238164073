//! Replays outside a transaction.

use ::evaluation::judging::{Job, JobFailure, JobId, JobReader, JobRecord, MOST_FAILURES};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use kernel::{OrgId, StoreError};

use super::super::rows::corrupt;
use super::job_rows::{FailureRow, JobRow};
use super::jobs::{LIVE, is_replay};
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::{regeneration_failures, regeneration_jobs, work_items};

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
