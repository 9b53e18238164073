//! Exporting and erasing users: contract section 3 over HTTP.

mod erase;
mod export;
mod race;
mod residue;
mod rotation;
mod writers;

use serde_json::{Value, json};
use support::app::NOW;
use support::{Answer, Client, TestApp};

use crate::activity::{
    add_agent_playbook, add_profile, add_user_playbook, first_id, judged, publish, request, with,
};

/// The lists of an export and the keys of the counts of an erasure.
const TARGETS: [&str; 10] = [
    "profiles",
    "user_playbooks",
    "requests",
    "sessions",
    "interactions",
    "agent_success_evaluation_results",
    "retrieved_learning_evaluation_results",
    "shadow_comparison_verdicts",
    "partner_scores",
    "search_exposures",
];

/// How many rows of each target [`fill`] leaves; verdicts are a judge's and come by no route.
const FILLED: [u64; 10] = [1, 1, 2, 1, 4, 1, 0, 0, 1, 1];

/// Leaves data of a user wherever a route writes it; answers the organization's playbook made from the user's.
fn fill(app: &TestApp, org: &str, user: &str) -> i64 {
    let (caller, person) = (app.production(org), app.dashboard(org));
    for n in 0..2 {
        let learnings = json!([{ "kind": "profile", "learning_id": "1" }]);
        let citations = json!([{ "kind": "profile", "real_id": "1", "tag": "t", "title": "T" }]);
        let turn = json!({
            "role": "Agent", "content": "an answer", "shadow_content": "another", "retrieved_learnings": learnings,
            "citations": citations, "tools_used": [{ "tool_name": "search", "tool_data": { "q": user } }],
        });
        let turns = json!({ "interaction_data_list": [{ "content": "a question" }, turn] });
        let body = with(request(user, "s", &format!("{user}-r-{n}")), &turns);
        assert_eq!(publish(&caller, &body).told(), "200");
    }
    assert_eq!(add_profile(&caller, user, "prefers tea").told(), "200");
    let playbook = first_id(&add_user_playbook(&caller, user, "offer tea"));
    let agent_playbook = first_id(&add_agent_playbook(&caller, "offer tea", &[playbook]));
    let results = json!({ "results": [judged(user, "s", NOW)] });
    assert_eq!(person.post("/api/import_evaluation_results", &results).told(), "200");
    let score = json!({
        "source_run_id": format!("run-{user}"), "scorer_name": "tone", "value": 0.5, "ts": NOW, "user_id": user,
        "session_id": "s",
    });
    assert_eq!(caller.post("/api/partner_scores", &json!({ "scores": [score] })).told(), "200");
    let _ = caller
        .post("/api/retrieval_experiments", &json!({ "experiment_id": "exp", "holdout_percentage": 50 }));
    assert_eq!(caller.post("/api/search", &json!({ "query": "tea", "user_id": user })).told(), "200");
    agent_playbook
}

fn ticket(user: &str, request: &str) -> Value {
    json!({ "user_id": user, "request_id": request })
}

fn erase(caller: &Client, user: &str, request: &str) -> Answer {
    caller.post("/api/governance/erase-user", &ticket(user, request))
}

fn export(caller: &Client, user: &str, request: &str) -> Answer {
    caller.post("/api/governance/export-user", &ticket(user, request))
}

fn preview(caller: &Client, user: &str) -> Answer {
    caller.post("/api/governance/erase-preview", &json!({ "user_id": user }))
}

/// Counts by target, as a document tells them.
fn counts(document: &Value) -> Vec<u64> {
    TARGETS
        .iter()
        .map(|target| document[target].as_u64().unwrap_or_else(|| panic!("no {target}: {document}")))
        .collect()
}

/// How many rows each list of an export holds.
fn sizes(exported: &Value) -> Vec<u64> {
    let bundle = exported["bundle"].as_object().unwrap();
    assert_eq!(bundle.len(), TARGETS.len(), "{exported}");
    TARGETS.iter().map(|target| u64::try_from(bundle[*target].as_array().unwrap().len()).unwrap()).collect()
}

fn audit_rows(app: &TestApp, operation: &str) -> i64 {
    app.database.number(&format!(
        "SELECT count(*) AS n FROM audit_events WHERE operation = '{operation}' AND outcome = 'ok'"
    ))
}

/// Prefix and 32 hexadecimal digits.
fn assert_reference(value: &Value, prefix: &str) {
    let text = value.as_str().unwrap();
    let digits = text.strip_prefix(prefix).unwrap_or_else(|| panic!("{text} is no {prefix}"));
    assert!(digits.len() == 32 && digits.chars().all(|digit| digit.is_ascii_hexdigit()), "{text}");
}
