//! Profiles, users' playbooks and playbooks of the organization.

use serde_json::{Value, json};
use support::{Answer, Client, TestApp, on_both};

use crate::activity::{add_agent_playbook, add_profile, add_user_playbook, count, first_id, with};

fn add_named(caller: &Client, user: &str, id: &str, content: &str) -> Answer {
    let profile = json!({ "profile_id": id, "user_id": user, "content": content });
    caller.post("/api/add_user_profile", &json!({ "user_profiles": [profile] }))
}

fn put(caller: &Client, path: &str, body: &Value) -> String {
    caller.send("PUT", path, Some(body)).told()
}

fn delete(caller: &Client, path: &str, body: &Value) -> String {
    caller.send("DELETE", path, Some(body)).told()
}

fn agent_playbooks(app: &TestApp) -> i64 {
    app.database.number("SELECT count(*) AS n FROM agent_playbooks")
}

on_both! {
    fn a_repeated_profile_id_replaces_that_users_profile(app) {
        let caller = app.production("acme");
        let first = add_named(&caller, "u", "p", "old");
        assert_eq!(first.json()["ids"], json!(["p"]));
        assert_eq!(add_named(&caller, "u", "p", "new").told(), "200");

        let listed = caller.post("/api/get_profiles", &json!({ "user_id": "u" })).json();

        assert_eq!(count(&listed, "user_profiles"), 1);
        assert_eq!(listed["user_profiles"][0]["content"], "new");
    }

    fn a_profile_id_of_another_user_is_refused(app) {
        let caller = app.production("acme");
        let _ = add_named(&caller, "u", "p", "mine");

        assert_eq!(add_named(&caller, "v", "p", "yours").told(), "409 profile_of_another_user");
        assert_eq!(add_named(&app.production("other"), "v", "p", "elsewhere").told(), "200");

        let listed = caller.post("/api/get_profiles", &json!({})).json();
        assert_eq!(listed["user_profiles"][0]["content"], "mine");
    }

    fn an_unknown_learning_can_be_neither_changed_nor_deleted(app) {
        let caller = app.production("acme");
        let (profile, playbook) = ("404 profile_not_found", "404 playbook_not_found");

        assert_eq!(put(&caller, "/api/update_user_profile", &json!({ "profile_id": "p", "content": "x" })), profile);
        assert_eq!(delete(&caller, "/api/delete_profile", &json!({ "profile_id": "p" })), profile);
        assert_eq!(put(&caller, "/api/update_user_playbook", &json!({ "user_playbook_id": 7, "content": "x" })), playbook);
        assert_eq!(delete(&caller, "/api/delete_user_playbook", &json!({ "user_playbook_id": 7 })), playbook);
        assert_eq!(put(&caller, "/api/update_agent_playbook", &json!({ "agent_playbook_id": 7, "content": "x" })), playbook);
        let approve = json!({ "agent_playbook_id": 7, "playbook_status": "approved" });
        assert_eq!(put(&caller, "/api/update_agent_playbook_status", &approve), playbook);
        assert_eq!(delete(&caller, "/api/delete_agent_playbook", &json!({ "agent_playbook_id": 7 })), playbook);
    }

    fn another_organizations_learning_is_as_unknown(app) {
        let (acme, other) = (app.production("acme"), app.production("other"));
        let _ = add_named(&acme, "u", "p", "x");
        let of_user = first_id(&add_user_playbook(&acme, "u", "x"));
        let of_org = first_id(&add_agent_playbook(&acme, "x", &[]));

        assert_eq!(delete(&other, "/api/delete_profile", &json!({ "profile_id": "p" })), "404 profile_not_found");
        let refused = delete(&other, "/api/delete_user_playbook", &json!({ "user_playbook_id": of_user }));
        assert_eq!(refused, "404 playbook_not_found");
        let refused = put(&other, "/api/update_agent_playbook", &json!({ "agent_playbook_id": of_org, "content": "y" }));
        assert_eq!(refused, "404 playbook_not_found");
        for path in ["/api/get_profiles", "/api/get_user_playbooks", "/api/get_agent_playbooks"] {
            let listed = other.post(path, &json!({})).json();
            assert!(listed["msg"].as_str().unwrap().starts_with("Found 0 "), "{listed}");
        }
    }

    fn what_is_changed_reads_changed_and_what_is_deleted_is_gone(app) {
        let caller = app.production("acme");
        let _ = add_named(&caller, "u", "p", "x");
        let of_user = first_id(&add_user_playbook(&caller, "u", "x"));
        let of_org = first_id(&add_agent_playbook(&caller, "x", &[of_user]));

        for (update, list, key, delete_path, id) in [
            ("user_profile", "profiles", "user_profiles", "delete_profile", json!({ "profile_id": "p" })),
            ("user_playbook", "user_playbooks", "user_playbooks", "delete_user_playbook", json!({ "user_playbook_id": of_user })),
            ("agent_playbook", "agent_playbooks", "agent_playbooks", "delete_agent_playbook", json!({ "agent_playbook_id": of_org })),
        ] {
            let read = || caller.post(&format!("/api/get_{list}"), &json!({})).json();
            let changed = with(id.clone(), &json!({ "content": "changed" }));
            assert_eq!(put(&caller, &format!("/api/update_{update}"), &changed), "200", "{update}");
            assert_eq!(read()[key][0]["content"], "changed", "{update}");
            assert_eq!(delete(&caller, &format!("/api/{delete_path}"), &id), "200", "{update}");
            assert_eq!(count(&read(), key), 0, "{update}");
        }
    }

    fn a_link_to_a_playbook_that_is_not_there_stores_nothing(app) {
        let (acme, other) = (app.production("acme"), app.production("other"));
        let mine = first_id(&add_user_playbook(&acme, "u", "x"));
        let theirs = first_id(&add_user_playbook(&other, "u", "x"));

        for sources in [vec![9_999], vec![theirs], vec![mine, theirs], vec![0], vec![-1]] {
            assert_eq!(add_agent_playbook(&acme, "x", &sources).told(), "422 invalid_request", "{sources:?}");
        }
        assert_eq!(agent_playbooks(app), 0);
        assert_eq!(add_agent_playbook(&acme, "x", &[mine]).told(), "200");
    }

    fn one_bad_learning_of_a_batch_stores_none(app) {
        let caller = app.production("acme");
        let good = json!({ "user_id": "u", "content": "x", "playbook_name": "p" });
        for bad in [
            json!({ "user_id": " ", "content": "x" }), json!({ "content": "x" }),
            json!({ "user_id": "u", "content": "nul \u{0}" }), json!({ "user_id": "u", "content": "x", "status": "lost" }),
            json!({ "user_id": "u", "content": "x", "tags": ["\u{7}"] }),
        ] {
            let profiles = json!({ "user_profiles": [good, bad] });
            assert_eq!(caller.post("/api/add_user_profile", &profiles).told(), "422 invalid_request", "{bad}");
            let playbooks = json!({ "user_playbooks": [good, bad] });
            assert_eq!(caller.post("/api/add_user_playbook", &playbooks).told(), "422 invalid_request", "{bad}");
        }
        assert_eq!(caller.post("/api/add_user_profile", &json!({ "user_profiles": [] })).told(), "422 invalid_request");
        assert_eq!(count(&caller.post("/api/get_profiles", &json!({})).json(), "user_profiles"), 0);
        assert_eq!(count(&caller.post("/api/get_user_playbooks", &json!({})).json(), "user_playbooks"), 0);
    }

    fn what_was_structured_is_returned_without_its_nulls(app) {
        let caller = app.production("acme");
        let parts = json!({ "trigger": "t", "rationale": null, "own": { "deep": [1, null], "text": "\\u0000" } });
        let playbook = json!({ "user_id": "u", "content": "x", "structured_data": parts });
        let _ = first_id(&caller.post("/api/add_user_playbook", &json!({ "user_playbooks": [playbook] })));

        let read = caller.post("/api/get_user_playbooks", &json!({})).json();

        assert_eq!(read["user_playbooks"][0]["structured_data"], json!({ "trigger": "t", "own": { "deep": [1, null], "text": "\\u0000" } }));
    }

    fn a_list_shows_what_is_in_use_unless_asked(app) {
        let caller = app.production("acme");
        let profiles = json!([
            { "user_id": "u", "content": "a" }, { "user_id": "u", "content": "b", "status": "archived" },
            { "user_id": "u", "content": "c", "status": "pending" },
        ]);
        let _ = caller.post("/api/add_user_profile", &json!({ "user_profiles": profiles }));
        let listed = |filter: Value| count(&caller.post("/api/get_profiles", &json!({ "status_filter": filter })).json(), "user_profiles");

        assert_eq!(listed(Value::Null), 1);
        assert_eq!(listed(json!([null, "archived"])), 2);
        assert_eq!(listed(json!(["pending"])), 1);
        let paged = caller.post("/api/get_profiles", &json!({ "limit": 1, "status_filter": [null, "archived", "pending"] })).json();
        assert_eq!(paged["has_more"], true);
        assert_eq!(add_profile(&caller, "u", "d").told(), "200");
    }
}
