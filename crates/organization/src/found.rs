//! Making an organization.

use std::sync::Arc;

use kernel::{Clock, OrgId, UnitOfWork};

use crate::{OrganizationError, OrganizationTx, Profile};

/// Makes organizations.
#[derive(Clone)]
pub struct FoundOrganization {
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    clock: Arc<dyn Clock>,
}

impl FoundOrganization {
    /// Makes organizations in this store, by this clock.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn OrganizationTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Makes the organization; false when it existed already, which is then left as it was.
    pub fn found(&self, org: &OrgId, profile: Profile) -> Result<bool, OrganizationError> {
        let now = self.clock.now();
        self.store.transact(org, |tx| Ok(tx.found(profile, now)?))
    }
}
