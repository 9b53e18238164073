//! Replays outside a transaction.

use std::collections::BTreeMap;

use ::evaluation::Cursor;
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
            Ok(records(conn, org.as_str(), row.into_iter().collect())?.pop())
        })
    }

    fn list(&self, org: &OrgId, after: Option<Cursor>, limit: u32) -> Result<Vec<JobRecord>, StoreError> {
        use regeneration_jobs as t;
        self.snapshot(|conn| {
            let mut page = t::table
                .filter(t::org_id.eq(org.as_str()))
                .order((t::started_at.desc(), t::job_number.desc()))
                .limit(i64::from(limit))
                .select(JobRow::as_select())
                .into_boxed();
            if let Some(Cursor { at, id }) = after {
                // Said so that the index finds the place: first the time, then the number within it.
                let later_in_list = t::started_at.lt(at.seconds()).or(t::job_number.lt(id));
                page = page.filter(t::started_at.le(at.seconds())).filter(later_in_list);
            }
            let rows = answer(page.load(conn))?;
            records(conn, org.as_str(), rows)
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

/// Jobs with the first of their failures; a job keeps no more than it tells of, so that all may be read at once.
fn records(conn: &mut AnyConnection, org: &str, jobs: Vec<JobRow>) -> Result<Vec<JobRecord>, StoreError> {
    use regeneration_failures as t;
    let numbers: Vec<i64> = jobs.iter().map(|job| job.job_number).collect();
    let failures: Vec<FailureRow> = answer(
        t::table
            .filter(t::org_id.eq(org))
            .filter(t::job_number.eq_any(numbers))
            .order((t::job_number, t::failure_number))
            .select(FailureRow::as_select())
            .load(conn),
    )?;
    let mut of_jobs: BTreeMap<i64, Vec<FailureRow>> = BTreeMap::new();
    for failure in failures {
        of_jobs.entry(failure.job_number).or_default().push(failure);
    }
    jobs.into_iter()
        .map(|job| {
            let failures = of_jobs.remove(&job.job_number).unwrap_or_default();
            let told = failures.into_iter().take(usize::try_from(MOST_FAILURES).unwrap_or(usize::MAX));
            let failures = told.map(JobFailure::try_from).collect::<Result<_, _>>()?;
            Ok(JobRecord { number: job.job_number, job: Job::try_from(job)?, failures })
        })
        .collect()
}
