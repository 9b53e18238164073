//! What the rules of experiments refuse, as facts.

use kernel::{ExperimentId, StoreError};

use crate::Arm;

/// Why an experiment rule refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// Another experiment is running; at most one runs at a time.
    #[error("experiment {active} is active; stop it before starting another")]
    AlreadyActive {
        /// The experiment that is running.
        active: ExperimentId,
    },
    /// The id named an earlier experiment; an id is never used twice.
    #[error("experiment id {id} was used before")]
    IdReused {
        /// The id that was used before.
        id: ExperimentId,
    },
    /// No experiment of the organization has this id.
    #[error("no such experiment")]
    NotFound,
    /// The experiment has ended already.
    #[error("experiment {id} has ended already")]
    NotActive {
        /// The experiment that has ended.
        id: ExperimentId,
    },
    /// A gated search named no user, so no arm can be told.
    #[error("a user id is required while an experiment is active")]
    UserRequired,
    /// A publish named an experiment that the organization never had.
    #[error("experiment {id} is unknown")]
    AttributionUnknown {
        /// The experiment that was named.
        id: ExperimentId,
    },
    /// A publish named an arm that the user is not in.
    #[error("the user is not in the {} arm of experiment {id}", .claimed.as_str())]
    AttributionWrongArm {
        /// The experiment that was named.
        id: ExperimentId,
        /// The arm that was claimed.
        claimed: Arm,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
