//! Agent-success results and verdicts on retrieved learnings, page by page and streamed.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, on_both};

use super::{import, results, sessions};
use crate::activity::{judged, with};

/// Five results, a second apart, the last two at the same time.
fn five(person: &Client) {
    let rows: Vec<_> = (0..5)
        .map(|n: i64| {
            let version = if n < 2 { "v1" } else { "v2" };
            with(judged("u", &format!("s-{n}"), NOW + n.min(3)), &json!({ "agent_version": version }))
        })
        .collect();
    assert_eq!(import(person, &rows).told(), "200");
}

on_both! {
    fn results_come_newest_first_and_page_by_page(app) {
        let person = app.dashboard("acme");
        five(&person);
        let (mut found, mut cursor) = (Vec::new(), Value::Null);

        loop {
            let page = results(&person, &json!({ "limit": 2, "cursor": cursor }));
            found.extend(sessions(&page).into_iter().map(str::to_owned));
            let Some(next) = page.get("next_cursor") else { break };
            cursor = next.clone();
        }

        assert_eq!(found, ["s-4", "s-3", "s-2", "s-1", "s-0"]);
        assert_eq!(sessions(&results(&app.dashboard("other"), &json!({}))), Vec::<&str>::new());
    }

    fn results_are_filtered(app) {
        let person = app.dashboard("acme");
        five(&person);

        assert_eq!(sessions(&results(&person, &json!({ "agent_version": "v1" }))), ["s-1", "s-0"]);
        assert_eq!(sessions(&results(&person, &json!({ "start_time": NOW + 1, "end_time": NOW + 2 }))), ["s-2", "s-1"]);
        assert_eq!(sessions(&results(&person, &json!({ "end_time": "2025-06-15T15:06:40Z" }))), ["s-0"]);
        assert_eq!(sessions(&results(&person, &json!({ "end_time": "2025-06-15T17:06:40+02:00" }))), ["s-0"]);
        assert_eq!(sessions(&results(&person, &json!({ "agent_version": null, "limit": null }))).len(), 5);
    }

    fn results_are_filtered_by_how_they_came_out(app) {
        let person = app.dashboard("acme");
        let failed = json!({ "is_success": false, "failure_type": "wrong_tool", "is_escalated": true });
        let rows = [judged("u", "well", NOW), with(judged("u", "badly", NOW + 1), &failed)];
        assert_eq!(import(&person, &rows).told(), "200");
        let found = |filter: Value| sessions(&results(&person, &filter)).join(" ");

        assert_eq!(found(json!({ "is_success": true })), "well");
        assert_eq!(found(json!({ "is_success": false })), "badly");
        assert_eq!(found(json!({ "failure_type": "wrong_tool" })), "badly");
        assert_eq!(found(json!({ "failure_type": "system_error" })), "");
        assert_eq!(found(json!({ "is_escalated": true })), "badly");
        assert_eq!(found(json!({ "is_escalated": false })), "well");
        assert_eq!(found(json!({ "source": "" })), "badly well");
        assert_eq!(found(json!({ "source": "web" })), "");
        let path = "/api/get_agent_success_evaluation_results";
        for wrong in [json!({ "failure_type": "tired" }), json!({ "is_success": true, "failure_type": "wrong_tool" })] {
            assert_eq!(person.post(path, &wrong).told(), "422 invalid_request", "{wrong}");
        }
    }

    fn a_part_that_cannot_be_is_refused(app) {
        let caller = app.production("acme");
        for wrong in [
            json!({ "limit": 0 }), json!({ "limit": 1_001 }), json!({ "limit": -1 }), json!({ "limit": "ten" }),
            json!({ "cursor": "nonsense" }), json!({ "start_time": 2, "end_time": 1 }), json!({ "start_time": "yesterday" }),
            json!({ "end_time": "2025-06-15T15:06:40" }), json!({ "user_id": "a\u{7}" }),
        ] {
            for path in ["/api/get_agent_success_evaluation_results", "/api/get_retrieved_learning_evaluation_results"] {
                assert_eq!(caller.post(path, &wrong).told(), "422 invalid_request", "{path} {wrong}");
            }
        }
        for query in ["start_time=2&end_time=1", "start_time=soon", "user_id=%07"] {
            for ending in ["csv", "ndjson"] {
                let path = format!("/api/evaluations/results.{ending}?{query}");
                assert_eq!(caller.get(&path).told(), "422 invalid_request", "{path}");
            }
        }
    }

    fn the_streams_tell_what_the_list_tells(app) {
        let person = app.dashboard("acme");
        five(&person);
        let odd = json!({ "is_success": false, "failure_type": "wrong_answer", "failure_reason": "said \"no\",\nthen left",
            "regular_vs_shadow": "tied", "tags": ["a", "b;c"] });
        assert_eq!(import(&person, &[with(judged("=u", "odd", NOW + 9), &odd)]).told(), "200");

        let csv = person.get("/api/evaluations/results.csv");
        let ndjson = person.get("/api/evaluations/results.ndjson?agent_version=v2");

        assert_eq!(csv.told(), "200");
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        let text = csv.text();
        assert!(text.starts_with("result_id,user_id,session_id,"), "{text}");
        assert!(text.contains("\"said \"\"no\"\",\nthen left\""), "{text}");
        assert!(text.contains(",'=u,"), "{text}");
        assert!(text.contains(r#",tied,"[""a"",""b;c""]""#), "{text}");
        assert!(text.lines().next().unwrap().ends_with(",regular_vs_shadow,tags"), "{text}");
        assert_eq!(text.matches("\r\n").count(), 7);
        assert_eq!(ndjson.header("content-type"), "application/x-ndjson");
        let lines: Vec<Value> = ndjson.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(json!(lines), results(&person, &json!({ "agent_version": "v2" }))["agent_success_evaluation_results"]);
        assert_eq!(app.dashboard("other").get("/api/evaluations/results.ndjson").text(), "");
    }

    fn a_stream_of_many_pages_is_whole(app) {
        let person = app.dashboard("acme");
        for batch in 0..3 {
            let rows: Vec<_> = (0..1_000).map(|n| judged("u", &format!("s-{batch}-{n}"), NOW)).collect();
            assert_eq!(import(&person, &rows).told(), "200");
        }

        let text = person.get("/api/evaluations/results.ndjson").text();

        let distinct: std::collections::BTreeSet<_> = text.lines().collect();
        assert_eq!((text.lines().count(), distinct.len()), (3_000, 3_000));
    }

    fn verdicts_on_learnings_are_read_with_every_field(app) {
        app.database.execute(&format!(
            "INSERT INTO retrieved_learning_results (org_id, user_id, session_id, agent_version, interaction_id,
                 interaction_created_at, kind, learning_id, is_relevant, relevance_reason, impact, impact_reason, diagnosis,
                 evaluated_playbook_digest, diagnosis_evidence_complete, created_at)
             VALUES ('acme', 'u', 's', 'v1', 7, {NOW}, 'profile', 'p', NULL, '', NULL, '', NULL, NULL, true, {NOW})"
        ));
        let caller = app.production("acme");
        let read = |filter: Value| caller.post("/api/get_retrieved_learning_evaluation_results", &filter).json();

        let row = read(json!({}))["results"][0].clone();

        for field in ["interaction_id", "interaction_created_at", "is_relevant", "impact", "diagnosis", "evaluated_playbook_digest"] {
            assert!(row.get(field).is_some(), "{field} is left out of {row}");
        }
        assert_eq!((&row["kind"], &row["learning_id"], &row["impact"]), (&json!("profile"), &json!("p"), &Value::Null));
        assert_eq!(read(json!({ "start_time": NOW + 1 }))["results"], json!([]));
        assert_eq!(read(json!({ "user_id": "v" }))["results"], json!([]));
        let elsewhere = app.production("other").post("/api/get_retrieved_learning_evaluation_results", &json!({}));
        assert_eq!(elsewhere.json()["results"], json!([]));
    }
}
