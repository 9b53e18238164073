//! Evaluating a session that is due: sampled, judged, and kept together with the end of its work.

use super::job::FailureReason;
use super::judge::JudgeFailure;
use super::learnings::LearningStatus;
use super::ports::JudgingTx;
use super::run::{Run, RunFailure, SessionJudge, Setback, held};
use super::work::{Claimed, Lease, NEVER_KEPT, NextTry, RetryPolicy};
use crate::{EvaluationError, Fenced};

/// What became of a due session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluated {
    /// It was judged and the result is kept.
    Judged,
    /// It is not in the sample.
    NotSampled,
    /// There is no such session any more.
    Gone,
    /// Its user is being erased, or was: nothing is kept.
    Dropped,
    /// It changed while it was judged, or somebody judged it later: nothing is kept, and new turns are due by themselves.
    Stale,
    /// The judge failed; the session is tried again.
    Retrying(JudgeFailure),
    /// The judge failed too often; the session is laid aside.
    Buried(JudgeFailure),
    /// Somebody else has the work now: nothing is kept.
    LeaseLost,
}

/// Evaluates sessions that are due.
#[derive(Clone)]
pub struct EvaluateSession {
    judge: SessionJudge,
    retries: RetryPolicy,
}

impl EvaluateSession {
    /// Evaluates with this judge and this patience.
    #[must_use]
    pub const fn new(judge: SessionJudge, retries: RetryPolicy) -> Self {
        Self { judge, retries }
    }

    /// Carries out a claimed session evaluation. A failed judge leaves no row.
    ///
    /// # Errors
    /// When the store failed; the lease then runs out and the work is claimed again.
    pub fn evaluate(&self, work: &Claimed) -> Result<Evaluated, EvaluationError> {
        match self.evaluated(work) {
            Ok(evaluated) => Ok(evaluated),
            Err(Setback::LeaseLost) => Ok(Evaluated::LeaseLost),
            Err(Setback::Store(error)) => Err(error.into()),
        }
    }

    fn evaluated(&self, work: &Claimed) -> Result<Evaluated, Setback> {
        let (org, session) = (&work.item.org, &work.item.session);
        if self.retries.has_enough(work.item.attempts) {
            return self.again(work, NEVER_KEPT);
        }
        let Some(facts) = self.judge.sessions.facts(org, session)? else {
            return self.done(work, Evaluated::Gone);
        };
        let setup = self.judge.settings.judging(org)?;
        let Some(scope) = setup.sampled(org, session, facts.purpose) else {
            return self.done(work, Evaluated::NotSampled);
        };
        match self.judge.judge(org, session, &setup, scope) {
            Ok(run) => self.keep(work, &run),
            Err(RunFailure::Gone) => self.done(work, Evaluated::Gone),
            Err(RunFailure::Judge(failure)) => self.again(work, failure),
            Err(RunFailure::Store(kernel::StoreError::Barred(_))) => self.done(work, Evaluated::Dropped),
            Err(RunFailure::Store(error)) => Err(error.into()),
        }
    }

    /// Keeps a run and ends its work; when nothing of the learnings could be judged, they are tried again.
    fn keep(&self, work: &Claimed, run: &Run) -> Result<Evaluated, Setback> {
        let missing = run.learnings.failure.filter(|_| run.learnings.status == LearningStatus::Failed);
        let next = missing.map(|failure| (failure, self.retries.after(work.item.attempts, failure)));
        let kept = self.judge.steadily(&work.item.org, |tx| {
            let fenced = run.keep(tx)?;
            match next {
                Some((failure, next)) if fenced == Fenced::Kept => put_back(tx, &work.lease, failure, next),
                _ => {
                    held(tx.work().complete(&work.lease)?)?;
                    Ok(if fenced == Fenced::Kept { Evaluated::Judged } else { Evaluated::Stale })
                }
            }
        });
        match kept {
            Err(Setback::Store(kernel::StoreError::Barred(_))) => self.done(work, Evaluated::Dropped),
            outcome => outcome,
        }
    }

    fn done(&self, work: &Claimed, evaluated: Evaluated) -> Result<Evaluated, Setback> {
        self.judge.steadily(&work.item.org, |tx| {
            held(tx.work().complete(&work.lease)?)?;
            Ok(evaluated)
        })
    }

    fn again(&self, work: &Claimed, failure: JudgeFailure) -> Result<Evaluated, Setback> {
        let next = self.retries.after(work.item.attempts, failure);
        self.judge.steadily(&work.item.org, |tx| put_back(tx, &work.lease, failure, next))
    }
}

fn put_back(
    tx: &mut dyn JudgingTx,
    lease: &Lease,
    failure: JudgeFailure,
    next: NextTry,
) -> Result<Evaluated, Setback> {
    let reason = FailureReason::of(failure);
    match next {
        NextTry::In(seconds) => {
            held(tx.work().retry(lease, seconds, &reason)?)?;
            Ok(Evaluated::Retrying(failure))
        }
        NextTry::Never => {
            held(tx.work().bury(lease, &reason)?)?;
            Ok(Evaluated::Buried(failure))
        }
    }
}

#[cfg(test)]
mod tests;
