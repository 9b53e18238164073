//! What the rules of organizations may rely on.

use kernel::{StoreError, UnitOfWork};
use organization::{
    Configuration, JudgeProvider, JudgeSettings, OrganizationReader, OrganizationTx, Profile,
};
use storage::{Database, on_both};

use crate::{at, found, org};

fn store(database: &Database) -> &dyn UnitOfWork<dyn OrganizationTx> {
    database
}

fn unusual() -> Configuration {
    Configuration {
        sampling_rate: 0.125,
        retrieved_learning_sampling_rate: Some(0.5),
        shadow_mode_enabled: true,
        success_definition: Some("The user leaves \"happy\".\n".to_owned()),
        tools: Some("[{\"name\":\"search\"}]".to_owned()),
        judge: JudgeSettings {
            provider: Some(JudgeProvider::OpenAi),
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            model: Some("m".to_owned()),
        },
        ..Configuration::default_for(Profile::Standard)
    }
}

on_both! {
    fn founding_an_organization_again_changes_nothing(db) {
        let first: Result<bool, StoreError> =
            store(&db.database).transact(&org("acme"), |tx| tx.found(Profile::Embedded, at(1)));
        let second: Result<bool, StoreError> =
            store(&db.database).transact(&org("acme"), |tx| tx.found(Profile::Standard, at(2)));

        assert_eq!((first, second), (Ok(true), Ok(false)));
        let kept = OrganizationReader::configuration(&db.database, &org("acme")).unwrap();
        assert_eq!(kept, Some((Profile::Embedded, None)));
    }

    fn a_configuration_is_read_as_it_was_written_and_by_its_organization_alone(db) {
        found(db, &["acme", "umbrella"]);

        store(&db.database).transact(&org("acme"), |tx| tx.write_configuration(&unusual())).unwrap();

        let read = |id| OrganizationReader::configuration(&db.database, &org(id)).unwrap();
        assert_eq!(read("acme"), Some((Profile::Standard, Some(unusual()))));
        assert_eq!(read("umbrella"), Some((Profile::Standard, None)));
        assert_eq!(read("nobody"), None);
    }

    fn a_new_database_has_no_organization(db) {
        assert_eq!(db.database.is_empty(), Ok(true));
        found(db, &["acme"]);
        assert_eq!(db.database.is_empty(), Ok(false));
    }

    fn a_configuration_nobody_could_have_written_is_corrupt_not_a_default(db) {
        found(db, &["acme"]);
        db.execute("UPDATE organizations SET configuration = '{}'");

        let read = OrganizationReader::configuration(&db.database, &org("acme"));

        assert_eq!(read, Err(StoreError::Corrupt("organizations.configuration".to_owned())));
    }
}
