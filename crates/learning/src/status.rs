//! Whether a learning is in use.

/// The life of a learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Status {
    /// In use: searches find it.
    #[default]
    Current,
    /// Proposed, not yet in use.
    Pending,
    /// No longer in use.
    Archived,
}

/// The statuses that a list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusFilter {
    /// Every status.
    Any,
    /// These.
    Only(Vec<Status>),
}

impl Default for StatusFilter {
    /// What is in use, as long as nobody asks for more.
    fn default() -> Self {
        Self::Only(vec![Status::Current])
    }
}
