//! Making, listing and revoking credentials.

use std::sync::Arc;

use kernel::{Clock, CredentialKind, OrgId, Permission, Permissions, UnitOfWork};

use crate::{
    Credential, CredentialId, CredentialReader, OrganizationError, OrganizationTx, Profile, Randomness, Token,
};

/// What a new credential shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MintRequest {
    /// Its kind.
    pub kind: CredentialKind,
    /// What it may do beyond its kind.
    pub permissions: Permissions,
    /// How long it works; `None` for ever.
    pub lifetime_seconds: Option<i64>,
}

/// A new credential with its token: the only time the token is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minted {
    /// The token to hand to its owner.
    pub token: Token,
    /// The credential as it is kept.
    pub credential: Credential,
}

/// Mints credentials.
#[derive(Clone)]
pub struct MintCredential {
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    randomness: Arc<dyn Randomness>,
    clock: Arc<dyn Clock>,
}

impl MintCredential {
    /// Mints into this store, from this randomness, by this clock.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
        randomness: Arc<dyn Randomness>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, randomness, clock }
    }

    /// Mints a credential, making its organization if it is new.
    pub fn mint(&self, org: &OrgId, request: MintRequest) -> Result<Minted, OrganizationError> {
        let governs = request.permissions.allow(Permission::Governance);
        if governs && request.kind != CredentialKind::Dashboard {
            return Err(OrganizationError::GovernanceNeedsDashboard);
        }
        let now = self.clock.now();
        let token = Token::from_random(request.kind, org.clone(), self.randomness.bits());
        let credential = Credential {
            id: CredentialId::from_random(self.randomness.bits()),
            kind: request.kind,
            permissions: request.permissions,
            digest: token.digest(),
            parent: None,
            created_at: now,
            expires_at: request.lifetime_seconds.map(|seconds| now.plus_seconds(seconds)),
            last_used_at: None,
            revoked_at: None,
        };
        self.store.transact(org, |tx| {
            tx.found(Profile::Standard, now)?;
            Ok::<_, OrganizationError>(tx.insert_credential(&credential)?)
        })?;
        Ok(Minted { token, credential })
    }
}

/// Lists an organization's credentials.
#[derive(Clone)]
pub struct ListCredentials {
    credentials: Arc<dyn CredentialReader>,
}

impl ListCredentials {
    /// Lists from these credentials.
    #[must_use]
    pub fn new(credentials: Arc<dyn CredentialReader>) -> Self {
        Self { credentials }
    }

    /// The organization's credentials, newest first.
    pub fn list(&self, org: &OrgId) -> Result<Vec<Credential>, OrganizationError> {
        Ok(self.credentials.list(org)?)
    }
}

/// Revokes credentials.
#[derive(Clone)]
pub struct RevokeCredential {
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    clock: Arc<dyn Clock>,
}

impl RevokeCredential {
    /// Revokes in this store, by this clock.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn OrganizationTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Revokes a credential and every session made from it.
    pub fn revoke(&self, org: &OrgId, id: &CredentialId) -> Result<(), OrganizationError> {
        let now = self.clock.now();
        self.store.transact(org, |tx| {
            if tx.revoke_credential(id, now)? { Ok(()) } else { Err(OrganizationError::CredentialNotFound) }
        })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{MockClock, RunsOnce, Timestamp};

    use super::*;
    use crate::ports::{MockOrganizationTx, MockRandomness};

    fn minting(tx: MockOrganizationTx) -> MintCredential {
        let mut randomness = MockRandomness::new();
        randomness.expect_bits().return_const([3; 32]);
        let mut clock = MockClock::new();
        clock.expect_now().return_const(Timestamp::from_seconds(100));
        MintCredential::new(Arc::new(RunsOnce::on(tx)), Arc::new(randomness), Arc::new(clock))
    }

    fn org() -> OrgId {
        OrgId::new("acme").unwrap()
    }

    #[test]
    fn a_minted_credential_keeps_only_the_digest_of_its_token() {
        let mut tx = MockOrganizationTx::new();
        tx.expect_found().times(1).return_const(Ok(true));
        tx.expect_insert_credential().times(1).return_const(Ok(()));
        let request = MintRequest {
            kind: CredentialKind::Dashboard,
            permissions: Permissions::governance(),
            lifetime_seconds: Some(60),
        };

        let minted = minting(tx).mint(&org(), request).unwrap();

        assert_eq!(minted.credential.digest, minted.token.digest());
        assert_eq!(minted.credential.expires_at, Some(Timestamp::from_seconds(160)));
    }

    #[test]
    fn governance_is_never_given_to_a_production_key() {
        let mut tx = MockOrganizationTx::new();
        tx.expect_insert_credential().never();
        let request = MintRequest {
            kind: CredentialKind::Production,
            permissions: Permissions::governance(),
            lifetime_seconds: None,
        };

        assert_eq!(minting(tx).mint(&org(), request), Err(OrganizationError::GovernanceNeedsDashboard));
    }

    #[test]
    fn revoking_an_unknown_credential_is_refused() {
        let mut tx = MockOrganizationTx::new();
        tx.expect_revoke_credential().return_const(Ok(false));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(Timestamp::from_seconds(100));

        let refused = RevokeCredential::new(Arc::new(RunsOnce::on(tx)), Arc::new(clock))
            .revoke(&org(), &CredentialId::named("cred_x"));

        assert_eq!(refused, Err(OrganizationError::CredentialNotFound));
    }
}
