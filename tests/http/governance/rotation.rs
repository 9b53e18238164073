//! A rotated key neither lets an erased user write again nor changes the answer to a repeat.

use std::sync::Arc;

use storage::testing::SECRET;
use support::{Client, ServerProcess, TestDatabase, TestOrganization, run};
use touchstone_cli::SystemClock;

use super::{erase, preview};
use crate::activity::add_profile;

fn assert_outlives_the_key(database: &TestDatabase) {
    let acme = TestOrganization::found(&database.database, Arc::new(SystemClock), "acme");
    let tokens = [acme.production(), acme.governance()];
    let callers = |server: &ServerProcess| tokens.each_ref().map(|token| server.anonymous().bearing(token));
    let before = ServerProcess::on(&database.url);
    let [agent, officer] = callers(&before);
    assert_eq!(add_profile(&agent, "anna", "tea").told(), "200");
    let erased = erase(&officer, "anna", "t").json();
    let known = reference(&officer, "ben");
    drop(before);

    let rotated = format!("another secret of more than 32 characters,{SECRET}");
    let after = ServerProcess::with(&database.url, &[("TOUCHSTONE_REF_SECRETS", &rotated)]);
    let [agent, officer] = callers(&after);

    assert_eq!(add_profile(&agent, "anna", "tea").told(), "410 subject_erased");
    assert_eq!(erase(&officer, "anna", "t").json(), erased);
    assert_ne!(reference(&officer, "ben"), known, "new references use the newest key");
    assert_eq!(database.number("SELECT count(*) AS n FROM audit_events"), 1);
}

fn reference(officer: &Client, user: &str) -> String {
    preview(officer, user).json()["subject_ref"].as_str().unwrap().to_owned()
}

fn assert_who_lacks_a_secret_is_refused(database: &TestDatabase) {
    let other = [("TOUCHSTONE_REF_SECRETS", "another secret of more than 32 characters")];
    let _first = ServerProcess::on(&database.url);

    let server = ServerProcess::try_with(&database.url, &other).err().unwrap();
    let erase = ["erase-user", "--org", "acme", "--user-id", "anna", "--request-id", "t", "--yes"];
    let command = run(&database.url, &other, &erase);

    assert!(server.contains("TOUCHSTONE_REF_SECRETS lacks a secret"), "{server}");
    assert_eq!(command.status.code(), Some(2), "{}", String::from_utf8_lossy(&command.stderr));
    assert_eq!(database.number("SELECT count(*) AS n FROM reference_keys"), 1);
}

#[test]
fn who_lacks_a_secret_of_the_database_is_refused_over_sqlite() {
    assert_who_lacks_a_secret_is_refused(&TestDatabase::sqlite());
}

#[test]
fn who_lacks_a_secret_of_the_database_is_refused_over_postgres() {
    if let Some(database) = TestDatabase::postgres() {
        assert_who_lacks_a_secret_is_refused(&database);
    }
}

#[test]
fn an_erasure_outlives_the_key_over_sqlite() {
    assert_outlives_the_key(&TestDatabase::sqlite());
}

#[test]
fn an_erasure_outlives_the_key_over_postgres() {
    if let Some(database) = TestDatabase::postgres() {
        assert_outlives_the_key(&database);
    }
}
