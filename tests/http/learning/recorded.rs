//! Every recorded call of an existing client works, and its answer carries what that client reads.

use serde_json::{Value, json};
use support::on_both;

use crate::activity::{judged, publish, with};

const RECORDED: &str = include_str!("../../fixtures/client-exchanges.json");
/// Shortly after the calls were recorded.
const THEN: i64 = 1_794_705_000;

/// The client's calls that were made but not recorded: a session it later deletes, and results a judge had left.
fn before_the_recording(app: &support::TestApp) {
    let hello = json!([{ "content": "async hi" }]);
    let session = json!({ "user_id": "wire_user", "session_id": "wire_s2", "interaction_data_list": hello });
    assert_eq!(publish(&app.production("acme"), &session).told(), "200");
    let named = |session: &str, at: i64| {
        with(judged("judged", session, at), &json!({ "evaluation_name": "overall" }))
    };
    let results = [
        with(named("wire_s1", 1_790_812_800), &json!({ "user_turns_to_resolution": 3 })),
        with(
            named("wire_s2", 1_790_899_200),
            &json!({ "is_success": false, "failure_type": "wrong_answer", "regular_vs_shadow": "regular_is_better" }),
        ),
        with(
            named("wire_s3", 1_790_985_600),
            &json!({ "agent_version": "v2", "regular_vs_shadow": "tied", "user_turns_to_resolution": 5 }),
        ),
    ];
    let imported =
        app.dashboard("acme").post("/api/import_evaluation_results", &json!({ "results": results }));
    assert_eq!(imported.told(), "200", "{}", imported.text());
}

/// The answer carries every field that was recorded, of the same kind, values aside; of a list, its first entry speaks.
fn assert_carries(recorded: &Value, answered: &Value, place: &str) {
    match (recorded, answered) {
        (Value::Object(fields), Value::Object(_)) => {
            for (name, value) in fields {
                let found = answered.get(name).unwrap_or_else(|| panic!("no {place}.{name} in {answered}"));
                assert_carries(value, found, &format!("{place}.{name}"));
            }
        }
        (Value::Array(recorded), Value::Array(answered)) => {
            if let Some(first) = recorded.first() {
                let found = answered.first().unwrap_or_else(|| panic!("{place} is empty"));
                assert_carries(first, found, &format!("{place}[0]"));
            }
        }
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Null, _) => {}
        _ => panic!("{place} was recorded as {recorded} and answered as {answered}"),
    }
}

on_both! {
    fn every_recorded_call_of_the_client_replays(app) {
        app.clock.set(THEN);
        before_the_recording(app);
        let caller = app.production("acme");
        let recorded: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
        let mut shape_of_requests = Value::Null;

        for exchange in &recorded {
            let call = exchange["call"].as_str().unwrap();
            let (method, path) = (exchange["method"].as_str().unwrap(), exchange["path"].as_str().unwrap());
            let answer = caller.send(method, path, Some(&exchange["request"]));

            assert_eq!(i64::from(answer.status), exchange["status"].as_i64().unwrap(), "{call}: {}", answer.text());
            if call == "get_requests" {
                shape_of_requests = exchange["response"].clone();
            }
            // One long answer was cut when it was recorded; it has the shape of the short one before it.
            let expected = if exchange["response"].is_string() { &shape_of_requests } else { &exchange["response"] };
            assert_carries(expected, &answer.json(), call);
        }
        assert_eq!(recorded.len(), 21);
    }
}
