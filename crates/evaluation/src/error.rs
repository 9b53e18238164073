//! What the rules of evaluation refuse, as facts.

use kernel::StoreError;

/// Why an evaluation rule refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// Imported rows of sessions that were never published here must say when the session was.
    #[error("created_at is required for a session that was never published here")]
    CreatedAtMissing {
        /// The rows that lack it, by their position in the batch.
        rows: Vec<usize>,
    },
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
