//! What the tests of several rooms publish and keep.

use serde_json::{Value, json};
use support::{Answer, Client};

/// A turn of the agent.
pub(crate) fn agent_turn(content: &str) -> Value {
    json!({ "role": "Agent", "content": content })
}

/// A request of one user's and one agent's turn.
pub(crate) fn request(user: &str, session: &str, request: &str) -> Value {
    json!({
        "user_id": user, "session_id": session, "request_id": request, "source": "web", "agent_version": "v1",
        "interaction_data_list": [{ "content": "a question" }, agent_turn("an answer")],
    })
}

/// Publishes.
pub(crate) fn publish(caller: &Client, body: &Value) -> Answer {
    caller.post("/api/publish_interaction", body)
}

/// The document with these fields put in.
pub(crate) fn with(mut document: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        document[name] = value.clone();
    }
    document
}

/// Adds one profile of a user.
pub(crate) fn add_profile(caller: &Client, user: &str, content: &str) -> Answer {
    caller
        .post("/api/add_user_profile", &json!({ "user_profiles": [{ "user_id": user, "content": content }] }))
}

/// Adds one playbook of a user.
pub(crate) fn add_user_playbook(caller: &Client, user: &str, content: &str) -> Answer {
    let playbook = json!({ "user_id": user, "playbook_name": "p", "content": content });
    caller.post("/api/add_user_playbook", &json!({ "user_playbooks": [playbook] }))
}

/// Adds one playbook of the organization, made from these users' playbooks.
pub(crate) fn add_agent_playbook(caller: &Client, content: &str, sources: &[i64]) -> Answer {
    let windows: Vec<_> = sources.iter().map(|id| json!({ "user_playbook_id": id })).collect();
    let playbook = json!({ "playbook_name": "p", "content": content, "source_windows": windows });
    caller.post("/api/add_agent_playbook", &json!({ "agent_playbooks": [playbook] }))
}

/// The first id of an answer to something added.
pub(crate) fn first_id(added: &Answer) -> i64 {
    assert_eq!(added.told(), "200", "{}", added.text());
    added.json()["ids"][0].as_i64().unwrap()
}

/// A judged result of a session that may be unknown here.
pub(crate) fn judged(user: &str, session: &str, created_at: i64) -> Value {
    json!({
        "user_id": user, "session_id": session, "agent_version": "v1", "is_success": true, "created_at": created_at,
    })
}

/// How many entries a list of the document holds.
pub(crate) fn count(document: &Value, list: &str) -> usize {
    document[list].as_array().unwrap_or_else(|| panic!("no {list} in {document}")).len()
}
