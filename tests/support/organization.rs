//! Organizations and their credentials, made without HTTP.

use std::sync::Arc;

use kernel::{Clock, CredentialKind, OrgId, Permissions};
use organization::{CredentialId, MintRequest, Minted, Profile};
use storage::Database;
use touchstone_cli::wiring::House;

/// An organization that a test has made, and the hand that mints its credentials.
pub struct TestOrganization {
    /// Its id.
    pub id: OrgId,
    house: House,
}

impl TestOrganization {
    /// Makes the organization, with the standard profile.
    #[must_use]
    pub fn found(database: &Database, clock: Arc<dyn Clock>, id: &str) -> Self {
        let house = House::over(database.clone(), clock);
        let id = OrgId::new(id).unwrap();
        house.found_organization().found(&id, Profile::Standard).unwrap();
        Self { id, house }
    }

    /// An agent's key.
    #[must_use]
    pub fn production(&self) -> String {
        self.mint(CredentialKind::Production, Permissions::none(), None).token.reveal()
    }

    /// A person's bearer.
    #[must_use]
    pub fn dashboard(&self) -> String {
        self.mint(CredentialKind::Dashboard, Permissions::none(), None).token.reveal()
    }

    /// The bearer of a person who may export and erase users.
    #[must_use]
    pub fn governance(&self) -> String {
        self.mint(CredentialKind::Dashboard, Permissions::governance(), None).token.reveal()
    }

    /// A credential of any kind, with its id.
    #[must_use]
    pub fn mint(&self, kind: CredentialKind, permissions: Permissions, lifetime: Option<i64>) -> Minted {
        let request = MintRequest { kind, permissions, lifetime_seconds: lifetime };
        self.house.mint_credential().mint(&self.id, request).unwrap()
    }

    /// Revokes a credential.
    pub fn revoke(&self, id: &CredentialId) {
        self.house.revoke_credential().revoke(&self.id, id).unwrap();
    }
}
