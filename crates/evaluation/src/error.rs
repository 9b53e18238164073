//! What the rules of evaluation refuse, as facts.

use kernel::StoreError;

use crate::judging::{JobId, JudgeFailure};

/// Why an evaluation rule refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// Imported rows of sessions that were never published here must say when the session was.
    #[error("created_at is required for a session that was never published here")]
    CreatedAtMissing {
        /// The rows that lack it, by their position in the batch.
        rows: Vec<usize>,
    },
    /// Another replay is queued or running; there is one at a time.
    #[error("a regeneration job is running already")]
    RegenerationRunning {
        /// The job that is live.
        job: JobId,
    },
    /// There is no such job.
    #[error("there is no such regeneration job")]
    JobNotFound,
    /// The judge did not answer; nothing was kept.
    #[error(transparent)]
    Judge(JudgeFailure),
    /// Somebody else is grading the session and has not finished in time.
    #[error("the session is being graded by another call")]
    GradedElsewhere,
    /// The store failed, or its write gate refused a subject.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A batch of more rows than one call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must hold at most {most} rows")]
pub struct BatchTooLarge {
    /// The limit that was passed.
    pub most: usize,
}
