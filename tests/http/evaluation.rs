//! Results, the overview, shadow verdicts and what is brought in: contract section 5 over HTTP.

mod import;
mod overview;
mod results;
mod scores;
mod shadow;

use serde_json::{Value, json};
use support::{Answer, Client};

/// Imports results; the caller must be a person.
fn import(caller: &Client, results: &[Value]) -> Answer {
    caller.post("/api/import_evaluation_results", &json!({ "results": results }))
}

/// Reads results, newest first.
fn results(caller: &Client, filter: &Value) -> Value {
    let answer = caller.post("/api/get_agent_success_evaluation_results", filter);
    assert_eq!(answer.told(), "200", "{filter}: {}", answer.text());
    answer.json()
}

/// The sessions of a page of results.
fn sessions(page: &Value) -> Vec<&str> {
    let rows = page["agent_success_evaluation_results"].as_array().unwrap();
    rows.iter().map(|row| row["session_id"].as_str().unwrap()).collect()
}
