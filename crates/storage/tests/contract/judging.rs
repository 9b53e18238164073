//! What the rules of judging may rely on.

mod candidates;
mod jobs;
mod queue;
mod runs;
mod sessions;

use evaluation::SessionKey;
use evaluation::judging::{Claimed, Holder, JudgingTx, WorkKind, WorkQueue};
use kernel::{SessionId, StoreError, UnitOfWork, UserId};
use storage::Database;
use storage::testing::TestDatabase;

use crate::org;

fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

fn session(user_id: &str, id: &str) -> SessionKey {
    SessionKey { user_id: user(user_id), session_id: SessionId::new(id).unwrap() }
}

/// One transaction of acme.
fn transact<T>(
    database: &Database,
    work: impl FnMut(&mut (dyn JudgingTx + 'static)) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let store: &dyn UnitOfWork<dyn JudgingTx> = database;
    store.transact(&org("acme"), work)
}

/// Gives a user of acme a session of one request with one user turn and one agent turn.
fn published(db: &TestDatabase, user: &str, session: &str, at: i64) {
    db.execute(&format!(
        "INSERT INTO requests (org_id, request_id, user_id, session_id, created_at, source, agent_version, \
         evaluation_only, body_digest) \
         VALUES ('acme', '{user}-{session}-{at}', '{user}', '{session}', {at}, 'web', 'v1', FALSE, '')"
    ));
    db.execute(&format!(
        "INSERT INTO sessions (org_id, user_id, session_id, first_request_at, first_request_id, source, \
         last_request_at, last_request_id, agent_version) \
         VALUES ('acme', '{user}', '{session}', {at}, '{user}-{session}-{at}', 'web', {at}, \
         '{user}-{session}-{at}', 'v1')"
    ));
    said(db, user, session, at, "user");
    said(db, user, session, at, "agent");
}

/// Adds a turn to a session.
fn said(db: &TestDatabase, user: &str, session: &str, at: i64, role: &str) {
    let (is_user, is_agent) = (role == "user", role == "agent");
    db.execute(&format!(
        "INSERT INTO interactions (org_id, user_id, session_id, request_id, position, created_at, role, is_user, \
         is_agent, content, shadow_content, expert_content, user_action, user_action_description, \
         interacted_image_url, tools_used, citations, retrieved_learnings) \
         VALUES ('acme', '{user}', '{session}', '{user}-{session}-{at}', 0, {at}, '{role}', {is_user}, {is_agent}, \
         'words of {role}', 'shadow', '', '', '', '', '[]', '[]', '[]')"
    ));
}

/// Makes a session of this organization due since this time.
fn due(db: &TestDatabase, in_org: &str, session: &str, at: i64) {
    db.execute(&format!(
        "INSERT INTO work_items (org_id, kind, user_id, session_id, due_at) \
         VALUES ('{in_org}', 'session_evaluation', 'ada', '{session}', {at})"
    ));
}

fn claim(database: &Database, limit: u32) -> Vec<Claimed> {
    database.claim(WorkKind::ALL, &[], &Holder("one".to_owned()), limit, 60).unwrap()
}

fn sessions_of(claimed: &[Claimed]) -> Vec<&str> {
    claimed.iter().map(|one| one.item.session.session_id.as_str()).collect()
}
