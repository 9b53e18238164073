//! What planning an experiment needs from a store.

use kernel::{OrgId, StoreError, Timestamp};

use crate::ClusterSums;

/// Reads what an organization's sessions looked like lately.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait HistoryReader: Send + Sync {
    /// The sums over users of all evaluated sessions of the organization between two times, in or out of experiments.
    ///
    /// Rows: one per (user, session) that has an outcome whose first request time lies between the two, both
    /// included. MUST be [`ClusterSums::none`] when there is none.
    fn outcomes(&self, org: &OrgId, since: Timestamp, until: Timestamp) -> Result<ClusterSums, StoreError>;
}
