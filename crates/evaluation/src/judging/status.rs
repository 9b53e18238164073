//! Is my evaluator running? What waits, what runs, what failed, and whether the judge can be reached.

use std::sync::Arc;

use kernel::{Clock, OrgId};

use super::judge::{JudgeEpoch, JudgeFailure, Judges};
use super::ports::{QueueCounts, QueueReader};
use crate::EvaluationError;
use crate::calendar::DAY;

/// How the organization's judge stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeStanding {
    /// Why it cannot be reached; `None` when it can.
    pub trouble: Option<JudgeFailure>,
    /// Under which rubric and by which model it would answer now.
    pub epoch: JudgeEpoch,
}

/// How judging stands in an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgingStatus {
    /// What is in the queue; failures of the last 24 hours.
    pub queue: QueueCounts,
    /// Who judges.
    pub judge: JudgeStanding,
}

/// Reads how judging stands.
#[derive(Clone)]
pub struct ReadJudgingStatus {
    queue: Arc<dyn QueueReader>,
    judges: Arc<dyn Judges>,
    clock: Arc<dyn Clock>,
}

impl ReadJudgingStatus {
    /// Reads this queue and asks these judges.
    #[must_use]
    pub fn new(queue: Arc<dyn QueueReader>, judges: Arc<dyn Judges>, clock: Arc<dyn Clock>) -> Self {
        Self { queue, judges, clock }
    }

    /// How judging stands now. A judge that cannot be reached is an answer, not an error.
    ///
    /// # Errors
    /// When the store failed.
    pub fn read(&self, org: &OrgId) -> Result<JudgingStatus, EvaluationError> {
        let queue = self.queue.counts(org, self.clock.now().plus_seconds(-DAY))?;
        let judge = self.judges.judge_of(org)?;
        let standing = JudgeStanding { trouble: judge.probe().err(), epoch: judge.epoch() };
        Ok(JudgingStatus { queue, judge: standing })
    }
}

#[cfg(test)]
mod tests;
