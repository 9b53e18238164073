//! Trading a dashboard bearer for a short-lived session, and ending one.

use std::sync::Arc;

use kernel::{Caller, Clock, CredentialKind, UnitOfWork};

use crate::mint::Minted;
use crate::{Authenticate, Credential, CredentialId, OrganizationError, OrganizationTx, Randomness, Token};

/// A session lasts a working day.
pub const SESSION_SECONDS: i64 = 12 * 60 * 60;

/// Signs people in.
#[derive(Clone)]
pub struct SignIn {
    authenticate: Authenticate,
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    randomness: Arc<dyn Randomness>,
    clock: Arc<dyn Clock>,
}

impl SignIn {
    /// Signs people in against these credentials.
    #[must_use]
    pub fn new(
        authenticate: Authenticate,
        store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
        randomness: Arc<dyn Randomness>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { authenticate, store, randomness, clock }
    }

    /// Trades a dashboard bearer for a session of the same permissions that ends no later than the bearer does.
    pub fn sign_in(&self, bearer: &str) -> Result<Minted, OrganizationError> {
        let person = self.authenticate.authenticate(bearer)?;
        if person.kind != CredentialKind::Dashboard {
            return Err(OrganizationError::PersonRequired);
        }
        let now = self.clock.now();
        let latest = now.plus_seconds(SESSION_SECONDS);
        let token = Token::from_random(CredentialKind::Session, person.org.clone(), self.randomness.bits());
        let parent = CredentialId::named(person.actor.as_str());
        let credential = Credential {
            id: CredentialId::from_random(self.randomness.bits()),
            kind: CredentialKind::Session,
            permissions: person.permissions,
            digest: token.digest(),
            parent: Some(parent.clone()),
            created_at: now,
            expires_at: Some(person.expires_at.map_or(latest, |end| end.min(latest))),
            last_used_at: None,
            revoked_at: None,
        };
        self.store.transact(&person.org, |tx| {
            // Whoever revoked the bearer since it was looked up took the sessions with it that there were.
            if tx.is_revoked(&parent)? {
                return Err(OrganizationError::NotAuthenticated);
            }
            tx.forget_sessions(now)?;
            Ok(tx.insert_credential(&credential)?)
        })?;
        Ok(Minted { token, credential })
    }
}

/// Signs people out.
#[derive(Clone)]
pub struct SignOut {
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    clock: Arc<dyn Clock>,
}

impl SignOut {
    /// Ends sessions in this store, by this clock.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn OrganizationTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Ends the caller's session; a bearer that is no session stays as it is.
    pub fn sign_out(&self, caller: &Caller) -> Result<(), OrganizationError> {
        if caller.kind != CredentialKind::Session {
            return Ok(());
        }
        let now = self.clock.now();
        let session = CredentialId::named(caller.actor.as_str());
        self.store.transact(&caller.org, |tx| {
            tx.revoke_credential(&session, now)?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{MockClock, OrgId, Permissions, RunsOnce, Timestamp};

    use super::*;
    use crate::ports::{MockCredentialReader, MockOrganizationTx, MockRandomness};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn sign_in(kind: CredentialKind, expires_at: Option<Timestamp>) -> Result<Minted, OrganizationError> {
        let mut tx = MockOrganizationTx::new();
        tx.expect_is_revoked().return_const(Ok(false));
        tx.expect_forget_sessions().return_const(Ok(()));
        tx.expect_insert_credential().return_const(Ok(()));
        sign_in_on(tx, kind, expires_at)
    }

    fn sign_in_on(
        tx: MockOrganizationTx,
        kind: CredentialKind,
        expires_at: Option<Timestamp>,
    ) -> Result<Minted, OrganizationError> {
        let token = Token::from_random(kind, OrgId::new("acme").unwrap(), [9; 32]);
        let credential = Credential {
            id: CredentialId::named("cred_parent"),
            kind,
            permissions: Permissions::governance(),
            digest: token.digest(),
            parent: None,
            created_at: at(0),
            expires_at,
            last_used_at: Some(at(100)),
            revoked_at: None,
        };
        let mut reader = MockCredentialReader::new();
        reader.expect_find().return_const(Ok(Some(credential)));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(at(100));
        let mut randomness = MockRandomness::new();
        randomness.expect_bits().return_const([1; 32]);
        let store: Arc<RunsOnce<MockOrganizationTx>> = Arc::new(RunsOnce::on(tx));
        let clock: Arc<MockClock> = Arc::new(clock);
        let authenticate = Authenticate::new(Arc::new(reader), store.clone(), clock.clone());
        SignIn::new(authenticate, store, Arc::new(randomness), clock).sign_in(&token.reveal())
    }

    #[test]
    fn a_session_has_the_permissions_of_the_bearer_it_came_from() {
        let minted = sign_in(CredentialKind::Dashboard, None).unwrap();

        assert_eq!(minted.credential.permissions, Permissions::governance());
        assert_eq!(minted.credential.parent, Some(CredentialId::named("cred_parent")));
        assert_eq!(minted.credential.expires_at, Some(at(100 + SESSION_SECONDS)));
    }

    #[test]
    fn a_session_never_outlives_the_bearer_it_came_from() {
        let minted = sign_in(CredentialKind::Dashboard, Some(at(130))).unwrap();

        assert_eq!(minted.credential.expires_at, Some(at(130)));
    }

    #[test]
    fn a_bearer_that_is_revoked_while_somebody_signs_in_makes_no_session() {
        let mut tx = MockOrganizationTx::new();
        tx.expect_is_revoked().withf(|id| id.as_str() == "cred_parent").return_const(Ok(true));
        tx.expect_insert_credential().never();

        let refused = sign_in_on(tx, CredentialKind::Dashboard, None);

        assert_eq!(refused, Err(OrganizationError::NotAuthenticated));
    }

    #[test]
    fn an_agents_key_cannot_sign_in() {
        assert_eq!(sign_in(CredentialKind::Production, None), Err(OrganizationError::PersonRequired));
    }

    #[test]
    fn a_session_cannot_be_traded_for_another() {
        assert_eq!(sign_in(CredentialKind::Session, Some(at(500))), Err(OrganizationError::PersonRequired));
    }
}
