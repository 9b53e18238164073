//! What starting, stopping, listing and finding experiments need from a store.

use kernel::{ExperimentId, OrgId, StoreError, Timestamp};

use crate::Experiment;

/// An organization's experiments inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ExperimentTx {
    /// The experiment that is running, if any.
    fn active(&mut self) -> Result<Option<Experiment>, StoreError>;

    /// The experiment of this id, running or ended.
    fn find(&mut self, id: &ExperimentId) -> Result<Option<Experiment>, StoreError>;

    /// Keeps a new experiment.
    ///
    /// MUST lose the race, so that the rule runs again, when another experiment is active or the id exists: the
    /// database itself allows one active experiment per organization.
    fn insert(&mut self, experiment: &Experiment) -> Result<(), StoreError>;

    /// Ends an active experiment.
    ///
    /// MUST return false, and change nothing, if the experiment is not active.
    fn end(&mut self, id: &ExperimentId, ended_at: Timestamp) -> Result<bool, StoreError>;

    /// All experiments, latest start first; of equal starts the one inserted last comes first.
    fn list(&mut self) -> Result<Vec<Experiment>, StoreError>;
}

/// Reads experiments outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ExperimentReader: Send + Sync {
    /// All experiments of the organization, latest start first; of equal starts the one inserted last comes first.
    fn list(&self, org: &OrgId) -> Result<Vec<Experiment>, StoreError>;

    /// The experiment of this id, running or ended; `None` for another organization's.
    fn find(&self, org: &OrgId, id: &ExperimentId) -> Result<Option<Experiment>, StoreError>;
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn ExperimentTx, MockExperimentTx);
