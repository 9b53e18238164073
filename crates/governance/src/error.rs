//! What the rules of governance refuse, as facts.

use kernel::StoreError;

use crate::{ErrorCode, PurgeId};

/// Why a governance rule refused or could not finish.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GovernanceError {
    /// No purge operation of the organization has this id.
    #[error("no such purge operation")]
    PurgeNotFound,
    /// The subject is being erased; there is nothing whole to show.
    #[error("the user is being erased")]
    BeingErased,
    /// The erasure failed. The write barrier stays up and the purge can be tried again with the same ticket.
    #[error("purge operation {purge} failed: {}", code.as_str())]
    EraseFailed {
        /// The purge operation of the ticket that asked.
        purge: PurgeId,
        /// Why it failed.
        code: ErrorCode,
    },
    /// Whoever asked for the export stopped reading it.
    #[error("the receiver of the export went away")]
    ReceiverGone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
