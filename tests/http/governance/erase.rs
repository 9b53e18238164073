//! `POST /api/governance/erase-user`, `…/erase-preview` and `GET /api/governance/purge-operations/{purge_id}`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, TestApp, on_both};

use super::{FILLED, assert_reference, audit_rows, counts, erase, export, fill, preview, sizes, ticket};

const PATHS: [&str; 3] =
    ["/api/governance/export-user", "/api/governance/erase-user", "/api/governance/erase-preview"];

fn status(caller: &Client, purge_id: &str) -> support::Answer {
    caller.get(&format!("/api/governance/purge-operations/{purge_id}"))
}

fn rows_of_governance(app: &TestApp) -> i64 {
    app.database.number(
        "SELECT (SELECT count(*) FROM purge_operations) + (SELECT count(*) FROM audit_events)
              + (SELECT count(*) FROM purge_work) + (SELECT count(*) FROM subject_barriers) AS n",
    )
}

fn without_counts(erased: &Value) -> Value {
    let mut view = erased.clone();
    let fields = view.as_object_mut().unwrap();
    let _ = (fields.remove("deleted_counts"), fields.remove("unlinked_agent_playbook_ids"));
    view
}

on_both! {
    fn only_a_governance_credential_opens_governance(app) {
        let purge = erase(&app.governance("acme"), "someone", "t").json()["purge_id"].as_str().unwrap().to_owned();
        let before = rows_of_governance(app);
        let body = ticket("anna", "t");

        for path in PATHS {
            assert_eq!(app.production("acme").post(path, &body).told(), "403 governance_credential_required", "{path}");
            assert_eq!(app.dashboard("acme").post(path, &body).told(), "403 governance_credential_required", "{path}");
            let nobody = app.anonymous().post(path, &body);
            assert_eq!(nobody.told(), "401 not_authenticated", "{path}");
            assert_eq!(nobody.header("www-authenticate"), "Bearer", "{path}");
        }
        assert_eq!(status(&app.production("acme"), &purge).told(), "403 governance_credential_required");
        assert_eq!(status(&app.anonymous(), &purge).told(), "401 not_authenticated");
        assert_eq!(rows_of_governance(app), before);
    }

    fn a_ticket_needs_a_user_and_a_request(app) {
        let officer = app.governance("acme");
        for wrong in [
            json!({}), json!({ "user_id": "u" }), json!({ "request_id": "r" }), ticket(" ", "r"), ticket("u", " "),
            ticket("a\u{7}b", "r"), ticket(&"u".repeat(256), "r"), json!({ "user_id": 7, "request_id": "r" }),
        ] {
            assert_eq!(officer.post(PATHS[0], &wrong).told(), "422 invalid_request", "{wrong}");
            assert_eq!(officer.post(PATHS[1], &wrong).told(), "422 invalid_request", "{wrong}");
        }
        assert_eq!(officer.post(PATHS[2], &json!({ "user_id": "" })).told(), "422 invalid_request");
        assert_eq!(rows_of_governance(app), 0);
    }

    fn an_erase_deletes_what_the_export_showed_and_leaves_the_others(app) {
        let officer = app.governance("acme");
        let agent_playbook = fill(app, "acme", "anna");
        let _ = fill(app, "acme", "ben");
        let _ = fill(app, "other", "anna");
        let exported = export(&officer, "anna", "t").json();
        app.clock.advance(5);

        let answer = erase(&officer, "anna", "t");

        let erased = answer.json();
        assert_eq!(answer.told(), "200", "{erased}");
        assert_eq!(counts(&erased["deleted_counts"]), sizes(&exported));
        assert_eq!(erased["unlinked_agent_playbook_ids"], json!([agent_playbook]));
        assert_eq!((&erased["status"], &erased["completed_at"]), (&json!("complete"), &json!(NOW + 5)));
        assert_eq!(erased["subject_ref"], exported["subject_ref"]);
        assert_reference(&erased["purge_id"], "purge_");
        assert_reference(&erased["request_ref"], "reqref_v1_");
        assert_eq!(sizes(&export(&officer, "anna", "after").json()), [0; 10]);
        assert_eq!(sizes(&export(&officer, "ben", "after").json()), FILLED);
        assert_eq!(sizes(&export(&app.governance("other"), "anna", "after").json()), FILLED);
        let kept = app.production("acme").post("/api/get_agent_playbooks", &json!({})).json();
        assert_eq!(kept["agent_playbooks"].as_array().unwrap().len(), 2);
    }

    fn a_repeat_gets_the_same_body_and_writes_no_second_audit_row(app) {
        let officer = app.governance("acme");
        let _ = fill(app, "acme", "anna");
        let first = erase(&officer, "anna", "t");
        app.clock.advance(1_000);

        let repeat = erase(&officer, " anna ", "t");

        assert_eq!(repeat.told(), "200");
        assert_eq!(repeat.json(), first.json());
        assert_eq!(audit_rows(app, "ERASE"), 1);
    }

    fn the_status_is_exactly_the_nine_fields(app) {
        let officer = app.governance("acme");
        let _ = fill(app, "acme", "anna");
        let erased = erase(&officer, "anna", "t").json();

        let shown = status(&officer, erased["purge_id"].as_str().unwrap());

        assert_eq!(shown.told(), "200");
        assert_eq!(shown.json(), without_counts(&erased));
        let names: Vec<_> = shown.json().as_object().unwrap().keys().cloned().collect();
        let mut expected = [
            "purge_id", "subject_ref", "request_ref", "status", "error_code", "error_detail", "created_at",
            "updated_at", "completed_at",
        ];
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    fn an_unknown_purge_and_another_organizations_are_the_same(app) {
        let purge = erase(&app.governance("acme"), "anna", "t").json()["purge_id"].as_str().unwrap().to_owned();
        let other = app.governance("other");

        for id in [purge.as_str(), "purge_00000000000000000000000000000000", "purge_", "nonsense", "%00", "..%2f", "purge_%F0%9F%A6%80"] {
            assert_eq!(status(&other, id).told(), "404 purge_not_found", "{id}");
        }
    }

    fn an_unknown_user_is_erased_all_the_same(app) {
        let officer = app.governance("acme");

        let erased = erase(&officer, "nobody", "t").json();

        assert_eq!(erased["status"], "complete");
        assert_eq!(counts(&erased["deleted_counts"]), [0; 10]);
        assert_eq!(crate::activity::add_profile(&app.production("acme"), "nobody", "x").told(), "410 subject_erased");
        assert_eq!(audit_rows(app, "ERASE"), 1);
    }

    fn a_second_ticket_is_a_purge_of_its_own(app) {
        let officer = app.governance("acme");
        let _ = fill(app, "acme", "anna");
        let first = erase(&officer, "anna", "t-1").json();

        let second = erase(&officer, "anna", "t-2").json();

        assert_eq!(second["status"], "complete");
        assert_ne!(second["purge_id"], first["purge_id"]);
        assert_ne!(second["request_ref"], first["request_ref"]);
        assert_eq!(second["subject_ref"], first["subject_ref"]);
        assert_eq!(counts(&second["deleted_counts"]), [0; 10]);
        assert_eq!(audit_rows(app, "ERASE"), 2);
        assert_eq!(erase(&officer, "anna", "t-1").json(), first);
    }

    fn a_preview_counts_and_writes_nothing(app) {
        let officer = app.governance("acme");
        let agent_playbook = fill(app, "acme", "anna");
        let before = rows_of_governance(app);

        let shown = preview(&officer, "anna").json();

        assert_eq!(counts(&shown["counts"]), FILLED);
        assert_eq!(shown["agent_playbook_ids"], json!([agent_playbook]));
        assert_eq!(shown["subject_ref"], export(&officer, "anna", "t").json()["subject_ref"]);
        assert_eq!(rows_of_governance(app), before + 1, "only the export wrote a row");
        assert_eq!(crate::activity::add_profile(&app.production("acme"), "anna", "x").told(), "200");
    }

    fn no_two_users_share_a_reference(app) {
        let officer = app.governance("acme");
        let subject = |user: &str| preview(&officer, user).json()["subject_ref"].as_str().unwrap().to_owned();

        let refs = ["a", "A", "a:b", "a|b", "ab", "é", "e\u{301}", "1", "01"].map(subject);

        let distinct: std::collections::BTreeSet<_> = refs.iter().collect();
        assert_eq!(distinct.len(), refs.len());
        let elsewhere = preview(&app.governance("other"), "a").json()["subject_ref"].as_str().unwrap().to_owned();
        assert!(!refs.contains(&elsewhere));
    }
}
