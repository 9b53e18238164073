//! Replaying the judge over a closed window: starting, reading and stopping a job. Its sessions wait in the queue.

mod preview;
mod step;

use std::sync::Arc;

use kernel::{Clock, EvaluationName, OrgId, UnitOfWork};
pub use preview::{PreviewRegeneration, ReplayPreview};
pub use step::{Replayed, RunRegeneration};

use super::job::{Job, JobId, JobRecord, JobStatus, ReplayWindow};
use super::ports::{
    CandidateReader, CandidateReceiver, JobIds, JobReader, JobTx, JudgingSettings, JudgingTx,
};
use super::sampling::{Candidate, StratifiedSample, StratifiedSampler};
use crate::{Cursor, EvaluationError, Page, PageLimit};

/// A job that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedJob {
    /// Its identity.
    pub id: JobId,
    /// How many sessions will be judged.
    pub total: u64,
}

/// Starts a replay.
#[derive(Clone)]
pub struct StartRegeneration {
    store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
    candidates: Arc<dyn CandidateReader>,
    settings: Arc<dyn JudgingSettings>,
    ids: Arc<dyn JobIds>,
    clock: Arc<dyn Clock>,
}

impl CandidateReceiver for StratifiedSampler {
    fn receive(&mut self, candidate: Candidate) {
        self.offer(candidate);
    }
}

impl StartRegeneration {
    /// Starts jobs in this store, with sessions from these candidates.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
        candidates: Arc<dyn CandidateReader>,
        settings: Arc<dyn JudgingSettings>,
        ids: Arc<dyn JobIds>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, candidates, settings, ids, clock }
    }

    /// Starts a job over the sessions of a window, sampled per day and source; one job is live at a time.
    ///
    /// # Errors
    /// When another job is live, or the store failed.
    pub fn start(
        &self,
        org: &OrgId,
        window: ReplayWindow,
        evaluation_name: &EvaluationName,
    ) -> Result<StartedJob, EvaluationError> {
        let setup = self.settings.judging(org)?;
        let (id, started_at) = (self.ids.job_id(), self.clock.now());
        let mut sampler = StratifiedSampler::new(id.clone(), setup.per_stratum);
        self.candidates.candidates(org, window.window(), &mut sampler)?;
        let StratifiedSample { sessions, candidates } = sampler.finish();
        self.store.transact(org, |tx| {
            if let Some(live) = tx.jobs().live()? {
                return Err(EvaluationError::RegenerationRunning { job: live.id });
            }
            let admitted = tx.jobs().admitted(&sessions)?;
            let total = u64::try_from(admitted.len()).unwrap_or(u64::MAX);
            let job = Job {
                id: id.clone(),
                evaluation_name: evaluation_name.clone(),
                window,
                status: JobStatus::Queued,
                total,
                completed: 0,
                failed: 0,
                total_candidates: candidates,
                concurrency_limit: setup.concurrency_limit,
                started_at,
                finished_at: None,
            };
            // A job without sessions has nothing to wait for.
            let job = job.finished(started_at).unwrap_or(job);
            tx.jobs().insert(&job, &admitted)?;
            Ok(StartedJob { id: job.id, total })
        })
    }
}

/// Reads where a job stands.
#[derive(Clone)]
pub struct ReadRegeneration {
    reader: Arc<dyn JobReader>,
}

impl ReadRegeneration {
    /// Reads jobs from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn JobReader>) -> Self {
        Self { reader }
    }

    /// The job with its first 50 failures.
    ///
    /// # Errors
    /// When there is no such job, or the store failed.
    pub fn read(&self, org: &OrgId, id: &JobId) -> Result<JobRecord, EvaluationError> {
        self.reader.find(org, id)?.ok_or(EvaluationError::JobNotFound)
    }
}

/// Lists the jobs of an organization.
#[derive(Clone)]
pub struct ListRegenerations {
    reader: Arc<dyn JobReader>,
}

impl ListRegenerations {
    /// Lists jobs from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn JobReader>) -> Self {
        Self { reader }
    }

    /// One page of jobs, latest start first.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        after: Option<Cursor>,
        limit: PageLimit,
    ) -> Result<Page<JobRecord>, EvaluationError> {
        let records = self.reader.list(org, after, limit.one_more())?;
        Ok(Page::cut(records, limit, |record| Cursor { at: record.job.started_at, id: record.number }))
    }
}

/// Stops a job.
#[derive(Clone)]
pub struct CancelRegeneration {
    store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
    reader: Arc<dyn JobReader>,
    clock: Arc<dyn Clock>,
}

impl CancelRegeneration {
    /// Stops jobs in this store.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
        reader: Arc<dyn JobReader>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, reader, clock }
    }

    /// Stops a live job, so that nothing more is kept for it; one that has ended stays as it is.
    ///
    /// # Errors
    /// When there is no such job, or the store failed.
    pub fn cancel(&self, org: &OrgId, id: &JobId) -> Result<JobRecord, EvaluationError> {
        let now = self.clock.now();
        self.store.transact(org, |tx| {
            let jobs = tx.jobs();
            let job = jobs.find(id)?.ok_or(EvaluationError::JobNotFound)?;
            if let Some(cancelled) = job.cancelled(now)
                && jobs.advance(&cancelled, job.status)?
            {
                jobs.drop_work(id)?;
            }
            Ok::<_, EvaluationError>(())
        })?;
        self.reader.find(org, id)?.ok_or(EvaluationError::JobNotFound)
    }
}

/// Ends jobs whose last sessions went with their users.
#[derive(Clone)]
pub struct SettleRegenerations {
    store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
    reader: Arc<dyn JobReader>,
    clock: Arc<dyn Clock>,
}

impl SettleRegenerations {
    /// Ends jobs in this store.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
        reader: Arc<dyn JobReader>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, reader, clock }
    }

    /// Ends every live job that has no work left, in all organizations, and says how many.
    ///
    /// # Errors
    /// When the store failed.
    pub fn settle(&self) -> Result<u64, EvaluationError> {
        let now = self.clock.now();
        let mut settled = 0;
        for (org, id) in self.reader.idle()? {
            settled += u64::from(self.store.transact(&org, |tx| settle(tx.jobs(), &id, now))?);
        }
        Ok(settled)
    }
}

/// Ends a job if it is live and nothing is left to do for it.
fn settle(jobs: &mut dyn JobTx, id: &JobId, now: kernel::Timestamp) -> Result<bool, EvaluationError> {
    if jobs.has_work(id)? {
        return Ok(false);
    }
    let Some(job) = jobs.find(id)? else { return Ok(false) };
    let Some(ended) = job.settled(now) else { return Ok(false) };
    Ok(jobs.advance(&ended, job.status)?)
}

#[cfg(test)]
mod tests;
