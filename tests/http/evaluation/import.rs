//! `POST /api/import_evaluation_results`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, on_both};

use super::{import, results, sessions};
use crate::activity::{judged, publish, request, with};

fn told(caller: &Client, rows: &[Value]) -> (Value, Value) {
    let answer = import(caller, rows);
    assert_eq!(answer.told(), "200", "{}", answer.text());
    (answer.json()["imported_count"].clone(), answer.json()["updated_count"].clone())
}

on_both! {
    fn only_a_person_imports(app) {
        let rows = [judged("u", "s", NOW)];

        assert_eq!(import(&app.production("acme"), &rows).told(), "403 dashboard_credential_required");
        assert_eq!(import(&app.anonymous(), &rows).told(), "401 not_authenticated");
        assert_eq!(import(&app.governance("acme"), &rows).told(), "200");
    }

    fn a_repeat_changes_nothing_and_a_correction_keeps_the_number(app) {
        let person = app.dashboard("acme");
        let rows = [judged("u", "s-1", NOW), judged("u", "s-2", NOW), judged("v", "s-1", NOW)];
        assert_eq!(told(&person, &rows), (json!(3), json!(0)));
        assert_eq!(told(&person, &rows), (json!(0), json!(0)));
        let filter = json!({ "user_id": "u", "session_id": "s-1" });
        let before = results(&person, &filter)["agent_success_evaluation_results"][0].clone();
        let corrected = with(rows[0].clone(), &json!({ "is_success": false, "failure_type": "wrong_tool" }));

        assert_eq!(told(&person, &[corrected, judged("u", "s-3", NOW)]), (json!(1), json!(1)));

        let after = &results(&person, &filter)["agent_success_evaluation_results"][0];
        assert_eq!(after["result_id"], before["result_id"]);
        assert_eq!((&after["is_success"], &after["failure_type"]), (&json!(false), &json!("wrong_tool")));
    }

    fn one_bad_row_stores_none(app) {
        let person = app.dashboard("acme");
        let good = judged("u", "s", NOW);
        for wrong in [
            json!({ "created_at": null }), json!({ "user_id": " " }), json!({ "session_id": null }), json!({ "agent_version": 1 }),
            json!({ "is_success": "yes" }), json!({ "is_success": null }), json!({ "failure_type": "bad_luck" }),
            json!({ "regular_vs_shadow": "better" }), json!({ "number_of_correction_per_session": -1 }),
            json!({ "user_turns_to_resolution": -1 }), json!({ "user_turns_to_resolution": 1.5 }),
            json!({ "user_id": "a\u{7}" }), json!({ "session_id": "s".repeat(256) }), json!({ "tags": ["\u{0}"] }),
            json!({ "created_at": -1 }), json!({ "created_at": i64::MIN }),
        ] {
            let bad = with(judged("u", "other", NOW), &wrong);
            assert_eq!(import(&person, &[good.clone(), bad]).told(), "422 invalid_request", "{wrong}");
        }
        assert_eq!(sessions(&results(&person, &json!({}))), Vec::<&str>::new());
    }

    fn a_call_brings_a_thousand_rows_and_not_one_more(app) {
        let person = app.dashboard("acme");
        let rows: Vec<_> = (0..1_001).map(|n| judged("u", &format!("s-{n}"), NOW)).collect();

        assert_eq!(import(&person, &rows).told(), "422 invalid_request");
        assert_eq!(told(&person, &[]), (json!(0), json!(0)));
        assert_eq!(told(&person, &rows[..1_000]), (json!(1_000), json!(0)));
    }

    fn a_known_sessions_own_time_stands_and_moves_with_an_earlier_request(app) {
        let (caller, person) = (app.production("acme"), app.dashboard("acme"));
        let at = |time: i64| json!({ "interaction_data_list": [{ "content": "x", "created_at": time }] });
        let _ = publish(&caller, &with(request("u", "s", "later"), &at(1_000)));
        assert_eq!(told(&person, &[judged("u", "s", 77)]), (json!(1), json!(0)));
        let time = || results(&person, &json!({}))["agent_success_evaluation_results"][0]["created_at"].clone();
        assert_eq!(time(), 1_000);

        let _ = publish(&caller, &with(request("u", "s", "earlier"), &at(500)));

        assert_eq!(time(), 500);
    }
}
