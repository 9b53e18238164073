//! What authentication may rely on.

use kernel::{CredentialKind, Permissions, UnitOfWork};
use organization::{Credential, CredentialId, CredentialReader, OrganizationTx, Token};
use storage::{Database, on_both};

use crate::{at, found, org};

fn store(database: &Database) -> &dyn UnitOfWork<dyn OrganizationTx> {
    database
}

fn credential(id: &str, kind: CredentialKind, created_at: i64) -> Credential {
    let fill = id.bytes().fold(0_u8, u8::wrapping_add);
    Credential {
        id: CredentialId::named(id),
        kind,
        permissions: if kind == CredentialKind::Production {
            Permissions::none()
        } else {
            Permissions::governance()
        },
        digest: Token::from_random(kind, org("acme"), [fill; 32]).digest(),
        parent: None,
        created_at: at(created_at),
        expires_at: Some(at(1_000)),
        last_used_at: None,
        revoked_at: None,
    }
}

fn keep(database: &Database, credential: &Credential) {
    store(database).transact(&org("acme"), |tx| tx.insert_credential(credential)).unwrap();
}

fn find(database: &Database, credential: &Credential) -> Option<Credential> {
    database.find(&org("acme"), &credential.digest).unwrap()
}

on_both! {
    fn a_credential_is_found_by_its_digest_in_its_organization_alone(db) {
        found(db, &["acme", "umbrella"]);
        let key = credential("key", CredentialKind::Production, 1);
        keep(&db.database, &key);

        assert_eq!(find(&db.database, &key), Some(key.clone()));
        assert_eq!(db.database.find(&org("umbrella"), &key.digest), Ok(None));
        assert_eq!(CredentialReader::list(&db.database, &org("umbrella")), Ok(vec![]));
    }

    fn credentials_are_listed_newest_first_without_sessions(db) {
        found(db, &["acme"]);
        keep(&db.database, &credential("old", CredentialKind::Production, 1));
        keep(&db.database, &credential("new", CredentialKind::Dashboard, 5));
        keep(&db.database, &credential("session", CredentialKind::Session, 9));

        let listed = CredentialReader::list(&db.database, &org("acme")).unwrap();

        let ids: Vec<_> = listed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["new", "old"]);
    }

    fn revoking_a_credential_ends_every_session_made_from_it(db) {
        found(db, &["acme"]);
        let bearer = credential("bearer", CredentialKind::Dashboard, 1);
        let session =
            Credential { parent: Some(bearer.id.clone()), ..credential("session", CredentialKind::Session, 2) };
        keep(&db.database, &bearer);
        keep(&db.database, &session);

        let revoke = |when| store(&db.database).transact(&org("acme"), |tx| tx.revoke_credential(&bearer.id, at(when)));
        let is_revoked = |of: &str| store(&db.database).transact(&org(of), |tx| tx.is_revoked(&bearer.id));
        assert_eq!(is_revoked("acme"), Ok(false));
        assert_eq!((revoke(7), revoke(9)), (Ok(true), Ok(true)));
        assert_eq!((is_revoked("acme"), is_revoked("umbrella")), (Ok(true), Ok(true)));

        assert_eq!(find(&db.database, &bearer).unwrap().revoked_at, Some(at(7)));
        assert_eq!(find(&db.database, &session).unwrap().revoked_at, Some(at(7)));
    }

    fn an_unknown_or_foreign_credential_cannot_be_revoked(db) {
        found(db, &["acme", "umbrella"]);
        let key = credential("key", CredentialKind::Production, 1);
        keep(&db.database, &key);

        let foreign = store(&db.database).transact(&org("umbrella"), |tx| tx.revoke_credential(&key.id, at(7)));

        assert_eq!(foreign, Ok(false));
        assert_eq!(find(&db.database, &key).unwrap().revoked_at, None);
    }

    fn a_use_is_noted(db) {
        found(db, &["acme"]);
        let key = credential("key", CredentialKind::Production, 1);
        keep(&db.database, &key);

        store(&db.database).transact(&org("acme"), |tx| tx.touch_credential(&key.id, at(61))).unwrap();

        assert_eq!(find(&db.database, &key).unwrap().last_used_at, Some(at(61)));
    }

    fn ended_sessions_are_forgotten_and_nothing_else(db) {
        found(db, &["acme"]);
        let bearer = credential("bearer", CredentialKind::Dashboard, 1);
        let ended = credential("ended", CredentialKind::Session, 2);
        let running = Credential { expires_at: Some(at(3_000)), ..credential("running", CredentialKind::Session, 2) };
        for one in [&bearer, &ended, &running] {
            keep(&db.database, one);
        }

        store(&db.database).transact(&org("acme"), |tx| tx.forget_sessions(at(2_000))).unwrap();

        assert_eq!(find(&db.database, &ended), None);
        assert!(find(&db.database, &bearer).is_some() && find(&db.database, &running).is_some());
    }
}
