//! Turning a bearer into a caller.

use std::sync::Arc;

use kernel::{Caller, Clock, UnitOfWork};

use crate::{CredentialReader, OrganizationError, OrganizationTx, Token};

/// Last use is kept to the minute, so that reads do not become writes.
const LAST_USE_RESOLUTION_SECONDS: i64 = 60;

/// Authenticates callers by their bearer.
#[derive(Clone)]
pub struct Authenticate {
    credentials: Arc<dyn CredentialReader>,
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    clock: Arc<dyn Clock>,
}

impl Authenticate {
    /// Authenticates against these credentials, by this clock.
    #[must_use]
    pub fn new(
        credentials: Arc<dyn CredentialReader>,
        store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { credentials, store, clock }
    }

    /// The caller behind a bearer; a bearer that is unknown, expired or revoked opens nothing.
    pub fn authenticate(&self, bearer: &str) -> Result<Caller, OrganizationError> {
        let token = Token::parse(bearer).ok_or(OrganizationError::NotAuthenticated)?;
        let credential = self
            .credentials
            .find(token.org(), &token.digest())?
            .ok_or(OrganizationError::NotAuthenticated)?;
        let now = self.clock.now();
        if !credential.works_at(now) {
            return Err(OrganizationError::NotAuthenticated);
        }
        let is_stale =
            credential.last_used_at.is_none_or(|used| now.seconds_since(used) >= LAST_USE_RESOLUTION_SECONDS);
        if is_stale {
            // A door that opens late by a write is better than one that stays shut because the note failed.
            let noted: Result<(), OrganizationError> =
                self.store.transact(token.org(), |tx| Ok(tx.touch_credential(&credential.id, now)?));
            drop(noted);
        }
        Ok(credential.caller(token.org()))
    }
}

#[cfg(test)]
mod tests {
    use kernel::{CredentialKind, MockClock, OrgId, Permissions, RunsOnce, StoreError, Timestamp};

    use super::*;
    use crate::ports::{MockCredentialReader, MockOrganizationTx};
    use crate::{Credential, CredentialId};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn token() -> Token {
        Token::from_random(CredentialKind::Production, OrgId::new("acme").unwrap(), [7; 32])
    }

    fn credential() -> Credential {
        Credential {
            id: CredentialId::named("cred_1"),
            kind: CredentialKind::Production,
            permissions: Permissions::none(),
            digest: token().digest(),
            parent: None,
            created_at: at(0),
            expires_at: Some(at(1_000)),
            last_used_at: Some(at(500)),
            revoked_at: None,
        }
    }

    fn authenticate(
        found: Option<Credential>,
        now: i64,
        touches: usize,
    ) -> Result<Caller, OrganizationError> {
        let mut reader = MockCredentialReader::new();
        reader.expect_find().return_const(Ok(found));
        let mut tx = MockOrganizationTx::new();
        tx.expect_touch_credential().times(touches).return_const(Ok(()));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(at(now));
        Authenticate::new(Arc::new(reader), Arc::new(RunsOnce::on(tx)), Arc::new(clock))
            .authenticate(&token().reveal())
    }

    #[test]
    fn a_known_bearer_becomes_a_caller_of_its_organization() {
        let caller = authenticate(Some(credential()), 501, 0).unwrap();

        assert_eq!((caller.org.as_str(), caller.actor.as_str()), ("acme", "cred_1"));
    }

    #[test]
    fn an_unknown_bearer_opens_nothing() {
        assert_eq!(authenticate(None, 501, 0), Err(OrganizationError::NotAuthenticated));
    }

    #[test]
    fn a_bearer_stops_working_at_its_expiry() {
        assert!(authenticate(Some(credential()), 999, 1).is_ok());
        assert_eq!(authenticate(Some(credential()), 1_000, 0), Err(OrganizationError::NotAuthenticated));
    }

    #[test]
    fn a_revoked_bearer_opens_nothing() {
        let revoked = Credential { revoked_at: Some(at(400)), ..credential() };

        assert_eq!(authenticate(Some(revoked), 501, 0), Err(OrganizationError::NotAuthenticated));
    }

    #[test]
    fn last_use_is_noted_once_a_minute() {
        assert!(authenticate(Some(credential()), 559, 0).is_ok());
        assert!(authenticate(Some(credential()), 560, 1).is_ok());
    }

    #[test]
    fn a_failed_note_of_last_use_does_not_shut_the_door() {
        let mut reader = MockCredentialReader::new();
        reader.expect_find().return_const(Ok(Some(credential())));
        let mut tx = MockOrganizationTx::new();
        tx.expect_touch_credential().return_const(Err(StoreError::Contended));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(at(900));

        let caller = Authenticate::new(Arc::new(reader), Arc::new(RunsOnce::on(tx)), Arc::new(clock))
            .authenticate(&token().reveal());

        assert!(caller.is_ok());
    }

    #[test]
    fn garbage_is_refused_without_asking_the_store() {
        let mut reader = MockCredentialReader::new();
        reader.expect_find().never();

        let refused = Authenticate::new(
            Arc::new(reader),
            Arc::new(RunsOnce::on(MockOrganizationTx::new())),
            Arc::new(MockClock::new()),
        )
        .authenticate("garbage");

        assert_eq!(refused, Err(OrganizationError::NotAuthenticated));
    }
}
