//! One session of a replay: judged again, counted, and ended together.

use kernel::{StoreError, Timestamp};

use super::super::job::{FailureReason, Job, JobFailure, JobId, MOST_FAILURES};
use super::super::judge::JudgeFailure;
use super::super::ports::{JobTx, JudgingTx, SessionOutcome};
use super::super::run::{Run, RunFailure, SessionJudge, Setback, held};
use super::super::settings::Scope;
use super::super::work::{Claimed, NEVER_KEPT, NextTry, RetryPolicy, WorkSubject};
use crate::{EvaluationError, Fenced};

/// What became of a session of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// It was judged again.
    Judged,
    /// It has failed and counts as such.
    Failed,
    /// The judge failed, or the session changed meanwhile; it is tried again.
    Retrying,
    /// The job has ended or is gone: nothing is kept.
    NotWanted,
    /// Somebody else has the work now: nothing is kept.
    LeaseLost,
}

/// Judges the sessions of replays.
#[derive(Clone)]
pub struct RunRegeneration {
    judge: SessionJudge,
    retries: RetryPolicy,
}

/// Why a session of a job has failed, and whether anyone may be told which.
enum Loss {
    /// It is told, with the session.
    Told(FailureReason),
    /// It is only counted: the user is being erased.
    Counted,
}

impl RunRegeneration {
    /// Judges with this judge and this patience.
    #[must_use]
    pub const fn new(judge: SessionJudge, retries: RetryPolicy) -> Self {
        Self { judge, retries }
    }

    /// Carries out the claimed work on one session of a job.
    ///
    /// # Errors
    /// When the store failed, or the work is of another kind; the lease then runs out and the work is claimed again.
    pub fn step(&self, work: &Claimed) -> Result<Replayed, EvaluationError> {
        let WorkSubject::Replay(job) = &work.item.subject else {
            return Err(StoreError::Failed("this work is no session of a replay".to_owned()).into());
        };
        match self.replayed(work, job) {
            Ok(replayed) => Ok(replayed),
            Err(Setback::LeaseLost) => Ok(Replayed::LeaseLost),
            Err(Setback::Store(error)) => Err(error.into()),
        }
    }

    fn replayed(&self, work: &Claimed, job: &JobId) -> Result<Replayed, Setback> {
        let (org, session) = (&work.item.org, &work.item.session);
        if !self.judge.steadily(org, |tx| take_up(tx, work, job))? {
            return Ok(Replayed::NotWanted);
        }
        if self.retries.has_enough(work.item.attempts) {
            return self.again(work, job, NEVER_KEPT);
        }
        let setup = self.judge.settings.judging(org)?;
        match self.judge.judge(org, session, &setup, Scope::Everything) {
            Ok(run) => self.keep(work, job, &run),
            Err(RunFailure::Gone) => self.lose(work, job, &Loss::Told(FailureReason::session_gone())),
            Err(RunFailure::Judge(failure)) => self.again(work, job, failure),
            Err(RunFailure::Store(StoreError::Barred(_))) => self.lose(work, job, &Loss::Counted),
            Err(RunFailure::Store(error)) => Err(error.into()),
        }
    }

    fn keep(&self, work: &Claimed, job: &JobId, run: &Run) -> Result<Replayed, Setback> {
        let now = self.judge.clock.now();
        let kept = self.judge.steadily(&work.item.org, |tx| {
            if run.keep(tx)? == Fenced::Stale {
                return Ok(None);
            }
            held(tx.work().complete(&work.lease)?)?;
            count(tx.jobs(), job, SessionOutcome::Judged, now)?;
            Ok(Some(Replayed::Judged))
        });
        match kept {
            Ok(Some(replayed)) => Ok(replayed),
            // It changed while it was judged, or somebody judged it later: look at it once more.
            Ok(None) => self.again(work, job, JudgeFailure::Malformed("the session changed meanwhile")),
            Err(Setback::Store(StoreError::Barred(_))) => self.lose(work, job, &Loss::Counted),
            Err(setback) => Err(setback),
        }
    }

    fn again(&self, work: &Claimed, job: &JobId, failure: JudgeFailure) -> Result<Replayed, Setback> {
        let reason = FailureReason::of(failure);
        match self.retries.after(work.item.attempts, failure) {
            NextTry::In(seconds) => self.judge.steadily(&work.item.org, |tx| {
                held(tx.work().retry(&work.lease, seconds, &reason)?)?;
                Ok(Replayed::Retrying)
            }),
            NextTry::Never => self.lose(work, job, &Loss::Told(reason)),
        }
    }

    /// Counts a session as failed; the first 50 are told.
    fn lose(&self, work: &Claimed, job: &JobId, loss: &Loss) -> Result<Replayed, Setback> {
        let now = self.judge.clock.now();
        self.judge.steadily(&work.item.org, |tx| {
            let (hold, told) = match loss {
                Loss::Told(reason) => (tx.work().bury(&work.lease, reason)?, Some(reason)),
                Loss::Counted => (tx.work().complete(&work.lease)?, None),
            };
            held(hold)?;
            let counted = count(tx.jobs(), job, SessionOutcome::Failed, now)?;
            if let (Some(reason), Some(job)) = (told, counted)
                && job.failed <= MOST_FAILURES
            {
                let failure = JobFailure { session: Some(work.item.session.clone()), reason: reason.clone() };
                tx.jobs().add_failure(&job.id, &failure)?;
            }
            Ok(Replayed::Failed)
        })
    }
}

/// Makes a queued job run; ends the work of a job that has ended, and says so.
fn take_up(tx: &mut dyn JudgingTx, work: &Claimed, id: &JobId) -> Result<bool, Setback> {
    let job = tx.jobs().find(id)?;
    let Some(job) = job.filter(|job| job.status.is_live()) else {
        held(tx.work().complete(&work.lease)?)?;
        return Ok(false);
    };
    if let Some(running) = job.taken_up() {
        // Somebody else may have taken up another session first: the job runs either way.
        tx.jobs().advance(&running, job.status)?;
    }
    Ok(true)
}

/// Counts a session and ends the job with its last one.
fn count(
    jobs: &mut dyn JobTx,
    id: &JobId,
    outcome: SessionOutcome,
    now: Timestamp,
) -> Result<Option<Job>, StoreError> {
    let counted = jobs.count(id, outcome)?;
    if let Some(job) = &counted
        && let Some(ended) = job.finished(now)
    {
        jobs.advance(&ended, job.status)?;
    }
    Ok(counted)
}

#[cfg(test)]
mod tests;
