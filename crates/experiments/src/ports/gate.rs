//! What gating a search needs from a store.

use kernel::{ExperimentId, OrgId, SessionId, StoreError, Timestamp, UserId};

use crate::{Arm, Experiment};

/// Knows which experiment is running.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ActiveExperiment: Send + Sync {
    /// The organization's running experiment, if any.
    ///
    /// MUST NOT be more than one second behind any server's start or stop.
    fn active(&self, org: &OrgId) -> Result<Option<Experiment>, StoreError>;
}

/// One gated search, as far as an experiment is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// The experiment that gated the search.
    pub experiment: ExperimentId,
    /// The user whose search it was.
    pub user: UserId,
    /// The session of the search; `None` when the caller did not say, which makes one exposure per user.
    pub session: Option<SessionId>,
    /// The arm that the user is in.
    pub arm: Arm,
    /// When the search was made.
    pub at: Timestamp,
}

/// Remembers who met an experiment.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ExposureLedger: Send + Sync {
    /// Remembers the first exposure per (organization, experiment, user, session); later ones change nothing.
    ///
    /// MUST cost at most one insert-or-ignore, and MUST NOT fail the search: what cannot be kept is logged and
    /// dropped. MUST keep nothing for a subject whose erasure has begun.
    fn record(&self, org: &OrgId, exposure: &Exposure);
}
