//! What can go wrong between a rule and the place where its facts are kept.

/// How far the erasure of a subject has come, as a writer meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// An erasure has begun (or failed half-way): nothing may be written until it is complete.
    Erasing,
    /// The subject has been erased: nothing may be written, ever.
    Erased,
}

/// A failure of the store. Its text is for logs and operators; it never holds a value from the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached, or has no connection to give in time.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// Other writers won every race that this unit of work was allowed to run.
    #[error("the store was too busy to finish the work")]
    Contended,
    /// A stored value that no rule could have written.
    #[error("the store holds a value that does not belong there: {0}")]
    Corrupt(String),
    /// This kind of store does not keep such facts.
    #[error("this store does not support {0}")]
    Unsupported(&'static str),
    /// The write gate refused a write for a subject whose erasure has begun.
    #[error("writes for this subject are refused")]
    Barred(Barrier),
    /// The store refused a statement: a defect on our side.
    #[error("the store failed: {0}")]
    Failed(String),
}
