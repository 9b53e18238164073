//! Batch commands beside a live server on the same database: JSON, exit codes, and nothing but the answer on standard output.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use serde_json::{Value, json};
use storage::on_both;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, TestOrganization, run};
use touchstone_cli::SystemClock;

/// A server of its own process over the database, and a person who calls it.
fn beside(db: &TestDatabase) -> (ServerProcess, Client) {
    let token = TestOrganization::found(&db.database, Arc::new(SystemClock), "acme").governance();
    let server = ServerProcess::on(&db.url);
    let person = server.anonymous().bearing(&token);
    (server, person)
}

fn publish(caller: &Client, user: &str) {
    let body = json!({
        "user_id": user, "session_id": "s", "agent_version": "v1",
        "interaction_data_list": [{"role": "user", "content": "Hi"}, {"role": "agent", "content": "Hello"}],
    });
    assert_eq!(caller.post("/api/publish_interaction", &body).told(), "200");
}

fn ran(db: &TestDatabase, arguments: &[&str]) -> Output {
    run(&db.url, &[], &[arguments, &["--org", "acme"]].concat())
}

/// Runs a command that must succeed, and reads its JSON; without a terminal it tells no progress.
fn answer(db: &TestDatabase, arguments: &[&str]) -> Value {
    let output = ran(db, &[arguments, &["--json"]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), told.as_str()), (Some(0), ""), "{arguments:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

fn export_into(file: &Path) -> [&str; 7] {
    ["export-user", "--user-id", "ada", "--request-id", "ticket", "--out", file.to_str().unwrap()]
}

fn exit_code(output: &Output) -> i32 {
    assert!(output.stdout.is_empty(), "a failure is told on standard error");
    assert!(!output.stderr.is_empty());
    output.status.code().unwrap()
}

on_both! {
    fn experiments_at_the_keyboard_are_seen_by_the_server(db) {
        let (_server, person) = beside(db);

        let started = answer(db, &["experiment", "start", "autumn", "--holdout-percentage", "10"]);
        let seen = person.get("/api/retrieval_experiments").json();
        let results = answer(db, &["experiment", "results", "autumn"]);
        let stopped = answer(db, &["experiment", "stop", "autumn"]);
        let listed = answer(db, &["experiment", "list"]);

        assert_eq!(started["active_experiment"]["experiment_id"], "autumn");
        assert_eq!(seen, started);
        assert_eq!(results["experiment"]["experiment_id"], "autumn");
        assert_eq!(stopped["active_experiment"], Value::Null);
        assert_eq!(listed, stopped);
    }

    fn what_waits_is_judged_and_judged_again_beside_a_server(db) {
        let (_server, person) = beside(db);
        let settings = json!({ "group_evaluation_delay_seconds": 0, "sampling_rate": 1.0 });
        assert_eq!(person.post("/api/update_config", &settings).told(), "200");
        publish(&person, "ada");
        publish(&person, "ben");

        let due = answer(db, &["evaluate-due"]);
        let replayed = answer(db, &["regenerate", "--from", "1", "--to", "9000000000", "--wait"]);
        let overview = answer(db, &["overview", "--from", "1", "--to", "9000000000"]);

        // The server may have judged them first.
        assert_eq!(due["failed"], 0);
        assert_eq!((&replayed["status"], &replayed["completed"]), (&json!("completed"), &json!(2)));
        assert_eq!(overview["hero"]["buckets"][0]["regular_n"], 2);
    }

    fn a_user_is_exported_and_erased_beside_a_server(db) {
        let (_server, person) = beside(db);
        publish(&person, "ada");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ada.json");
        let whom = ["--user-id", "ada", "--request-id", "ticket"];

        let exported = answer(db, &[&["export-user"][..], &whom, &["--out", file.to_str().unwrap()]].concat());
        let erased = answer(db, &[&["erase-user"][..], &whom, &["--yes"]].concat());
        let status = answer(db, &["purge-status", erased["purge_id"].as_str().unwrap()]);

        let bundle: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(bundle["bundle"]["interactions"].as_array().unwrap().len(), 2);
        assert!(exported["rows"].as_i64().unwrap() > 2);
        assert_eq!((&erased["status"], &status["status"]), (&json!("complete"), &json!("complete")));
        let again = json!({ "user_id": "ada", "interaction_data_list": [{ "content": "x" }] });
        assert_eq!(person.post("/api/publish_interaction", &again).told(), "410 subject_erased");
    }

    fn an_export_can_be_read_by_its_owner_alone_and_leaves_nothing_else(db) {
        let _acme = TestOrganization::found(&db.database, Arc::new(SystemClock), "acme");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ada.json");
        std::fs::write(&file, "an older export that everybody may read").unwrap();

        let _ = answer(db, &export_into(&file));

        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    fn an_export_that_cannot_be_written_is_not_on_record(db) {
        let _acme = TestOrganization::found(&db.database, Arc::new(SystemClock), "acme");
        let folder = tempfile::tempdir().unwrap();

        let no_file = ran(db, &export_into(folder.path()));
        let nowhere = ran(db, &export_into(&folder.path().join("missing/ada.json")));

        assert_eq!((exit_code(&no_file), exit_code(&nowhere)), (2, 1));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(db.number("SELECT count(*) AS n FROM audit_events"), 0);
    }

    fn every_exit_code_means_what_the_help_says(db) {
        let _acme = TestOrganization::found(&db.database, Arc::new(SystemClock), "acme");
        let start = ["experiment", "start", "autumn", "--holdout-percentage"];
        assert_eq!(ran(db, &[&start[..], &["10"]].concat()).status.code(), Some(0));

        let wrong = ran(db, &[&start[..], &["100"]].concat());
        let unknown = ran(db, &["experiment", "results", "spring"]);
        let refused = ran(db, &[&start[..], &["10"]].concat());
        let unconfirmed = ran(db, &["erase-user", "--user-id", "ada", "--request-id", "ticket"]);

        assert_eq!(exit_code(&wrong), 2);
        assert_eq!(exit_code(&unknown), 4);
        assert_eq!(exit_code(&refused), 5);
        assert_eq!(exit_code(&unconfirmed), 1);
    }
}

#[test]
fn a_database_that_is_away_is_exit_code_3() {
    let away = run("postgres://nobody@127.0.0.1:1/none", &[], &["overview", "--from", "1", "--to", "2"]);

    assert_eq!(exit_code(&away), 3);
}

#[test]
fn a_name_that_cannot_be_one_is_exit_code_2_before_the_database_is_looked_for() {
    let away = "postgres://nobody@127.0.0.1:1/none";
    let no_org = ["--org", "Not One"];
    let wrong = [
        &["experiment", "start", " ", "--holdout-percentage", "10"][..],
        &["experiment", "stop", " "],
        &["experiment", "results", " "],
        &[&["experiment", "list"][..], &no_org].concat(),
        &[&["credential", "list"][..], &no_org].concat(),
        &[&["overview", "--from", "1", "--to", "2"][..], &no_org].concat(),
    ];

    for arguments in wrong {
        assert_eq!(exit_code(&run(away, &[], arguments)), 2, "{arguments:?}");
    }
}
