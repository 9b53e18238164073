//! Nobody writes for an erased user, by any route.

use serde_json::{Value, json};
use support::app::NOW;
use support::{TestApp, on_both};

use super::{erase, export, fill, preview};
use crate::activity::{add_user_playbook, first_id, judged, request, with};

/// Every call that writes data of `anna`, as (method, path, body); ids are of hers.
fn writes(playbook: i64, agent_playbook: i64) -> Vec<(&'static str, &'static str, Value)> {
    let profile = json!({ "profile_id": "p", "user_id": "anna", "content": "x" });
    let of_user = json!({ "user_id": "anna", "playbook_name": "p", "content": "x" });
    let windows = json!([{ "user_playbook_id": playbook }]);
    let linked = json!({ "playbook_name": "p", "content": "x", "source_windows": windows });
    let score = json!({ "source_run_id": "run", "scorer_name": "s", "value": 1, "ts": NOW, "user_id": "anna", "session_id": "s" });
    let of_other = |user: &str| json!({ "user_id": user, "content": "x", "playbook_name": "p" });
    vec![
        ("POST", "/api/publish_interaction", request("anna", "s", "late")),
        (
            "POST",
            "/api/publish_interaction",
            with(request("anna", "new", "late"), &json!({ "evaluation_only": true })),
        ),
        ("POST", "/api/add_user_profile", json!({ "user_profiles": [profile] })),
        ("POST", "/api/add_user_profile", json!({ "user_profiles": [of_other("ben"), of_other("anna")] })),
        ("POST", "/api/add_user_playbook", json!({ "user_playbooks": [of_user] })),
        ("POST", "/api/add_user_playbook", json!({ "user_playbooks": [of_other("ben"), of_other("anna")] })),
        (
            "POST",
            "/api/import_evaluation_results",
            json!({ "results": [judged("ben", "s", NOW), judged("anna", "s", NOW)] }),
        ),
        ("POST", "/api/partner_scores", json!({ "scores": [score] })),
        ("POST", "/api/add_agent_playbook", json!({ "agent_playbooks": [linked] })),
        (
            "PUT",
            "/api/update_agent_playbook",
            json!({ "agent_playbook_id": agent_playbook, "source_windows": windows }),
        ),
    ]
}

fn rows(app: &TestApp) -> i64 {
    app.database.number(
        "SELECT (SELECT count(*) FROM requests) + (SELECT count(*) FROM interactions) + (SELECT count(*) FROM profiles)
              + (SELECT count(*) FROM user_playbooks) + (SELECT count(*) FROM agent_playbooks)
              + (SELECT count(*) FROM partner_scores) + (SELECT count(*) FROM evaluation_results) AS n",
    )
}

on_both! {
    fn every_writer_is_refused_after_the_erase(app) {
        let (officer, caller) = (app.governance("acme"), app.dashboard("acme"));
        let agent_playbook = fill(app, "acme", "anna");
        let playbook = first_id(&add_user_playbook(&caller, "anna", "linked"));
        assert_eq!(erase(&officer, "anna", "t").told(), "200");
        let before = rows(app);

        for (method, path, body) in writes(playbook, agent_playbook) {
            let told = caller.send(method, path, Some(&body)).told();
            // A playbook that went with its user cannot be told from one that never was.
            let expected: &[&str] =
                if path.contains("agent_playbook") { &["410 subject_erased", "422 invalid_request"] } else { &["410 subject_erased"] };
            assert!(expected.contains(&told.as_str()), "{method} {path}: {told}");
        }
        assert_eq!(rows(app), before);
    }

    fn every_writer_waits_while_the_erase_goes_on(app) {
        let (officer, caller) = (app.governance("acme"), app.dashboard("acme"));
        let agent_playbook = fill(app, "acme", "anna");
        let playbook = first_id(&add_user_playbook(&caller, "anna", "linked"));
        // Another executor holds the lease and has raised the barrier.
        app.database.execute(&raised_barrier(&officer));
        let before = rows(app);

        for (method, path, body) in writes(playbook, agent_playbook) {
            let refused = caller.send(method, path, Some(&body));
            if path.contains("agent_playbook") {
                assert_eq!(refused.told(), "410 subject_erased", "{path}");
            } else {
                assert_eq!(refused.told(), "409 subject_being_erased", "{path}");
                assert_ne!(refused.header("retry-after"), "", "{path}");
            }
        }
        let exported = export(&officer, "anna", "t");
        assert_eq!(exported.told(), "409 subject_being_erased");
        assert_eq!(rows(app), before);
    }

    fn others_write_on_after_the_erase(app) {
        assert_eq!(erase(&app.governance("acme"), "anna", "t").told(), "200");

        let _ = fill(app, "acme", "ben");
        let _ = fill(app, "other", "anna");
    }
}

/// The barrier of anna as an erase raises it.
fn raised_barrier(officer: &support::Client) -> String {
    let subject = preview(officer, "anna").json()["subject_ref"].as_str().unwrap().to_owned();
    format!(
        "INSERT INTO subject_barriers (org_id, subject_ref, purge_id, state, raised_at) VALUES ('acme', '{subject}', 'purge_00000000000000000000000000000000', 'erasing', {NOW})"
    )
}
