//! What is kept about an erasure names nobody.

use std::sync::Arc;

use serde_json::json;
use support::{ServerProcess, TestDatabase, TestOrganization};
use touchstone_cli::SystemClock;

use super::{erase, export, preview};
use crate::activity::{add_profile, publish, request};

const USER: &str = "marker-user-7c1f";
const TICKET: &str = "marker-ticket-9d2e";

/// Every text that governance keeps.
const KEPT: [&str; 4] = [
    "SELECT purge_id || ' ' || subject_ref || ' ' || request_ref || ' ' || actor_ref || ' ' || coalesce(error_detail, '')
         || ' ' || coalesce(lease_holder, '') AS t FROM purge_operations",
    "SELECT actor_kind || ' ' || actor_ref || ' ' || subject_ref || ' ' || request_ref || ' ' || counts AS t FROM audit_events",
    "SELECT org_id || ' ' || subject_ref || ' ' || state AS t FROM subject_barriers",
    "SELECT user_id AS t FROM purge_work",
];

fn assert_nobody_is_named(database: &TestDatabase) {
    let acme = TestOrganization::found(&database.database, Arc::new(SystemClock), "acme");
    let (key, bearer) = (acme.production(), acme.governance());
    let mut server = ServerProcess::on(&database.url);
    let (agent, officer) = (server.anonymous().bearing(&key), server.anonymous().bearing(&bearer));
    let text = "marker-text-51aa";
    assert_eq!(publish(&agent, &request(USER, "marker-session", TICKET)).told(), "200");
    assert_eq!(add_profile(&agent, USER, text).told(), "200");
    assert_eq!(agent.post("/api/search", &json!({ "query": text, "user_id": USER })).told(), "200");

    for answer in [export(&agent, USER, TICKET), erase(&agent, USER, TICKET)] {
        assert_eq!(answer.told(), "403 governance_credential_required");
    }
    assert_eq!(preview(&officer, USER).told(), "200");
    assert_eq!(export(&officer, USER, TICKET).told(), "200");
    let erased = erase(&officer, USER, TICKET);
    assert_eq!(erased.told(), "200");
    assert_eq!(add_profile(&agent, USER, text).told(), "410 subject_erased");
    server.terminate();
    assert!(server.wait().success());

    let mut kept = vec![server.printed_to_the_end(), erased.text()];
    kept.extend(KEPT.iter().flat_map(|query| database.texts(query)));
    for secret in ["marker-", &key, &bearer] {
        for place in &kept {
            assert!(!place.contains(secret), "{secret} is in {place}");
        }
    }
    assert!(kept.len() >= 6, "a purge, two audit rows and a barrier were looked through");
}

#[test]
fn what_is_kept_and_logged_names_nobody_over_sqlite() {
    assert_nobody_is_named(&TestDatabase::sqlite());
}

#[test]
fn what_is_kept_and_logged_names_nobody_over_postgres() {
    if let Some(database) = TestDatabase::postgres() {
        assert_nobody_is_named(&database);
    }
}
