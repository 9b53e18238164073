//! A store of published requests, filled by bulk statements with the rows that publishing writes.

use crate::raw::Raw;

/// Requests in a transaction while the tables are filled.
const CHUNK: u32 = 25_000;
/// Rows that each request brings: itself, four interactions, a session, an evaluation that will fall due, an entry of the feed.
pub(crate) const ROWS_OF_A_REQUEST: u32 = 8;

/// Whose requests they are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whose<'a> {
    /// Of so many users, scattered.
    Many(u32),
    /// Of one.
    One(&'a str),
}

/// Publishes requests `first` to `last`, each a session of its own.
pub(crate) fn fill(raw: &mut Raw, whose: Whose<'_>, mut first: u32, last: u32) -> anyhow::Result<()> {
    while first <= last {
        let end = (first + CHUNK - 1).min(last);
        raw.begin()?;
        raw.batch(&statements(whose, first, end))?;
        raw.batch("COMMIT")?;
        first = end + 1;
    }
    Ok(())
}

fn statements(whose: Whose<'_>, first: u32, last: u32) -> String {
    let user = match whose {
        Whose::Many(users) => format!("'user-' || ((i * 7919) % {users})"),
        Whose::One(user) => format!("'{user}'"),
    };
    let drawn = format!(
        "WITH RECURSIVE numbers (i) AS (SELECT CAST({first} AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < {last}), \
         drawn AS (SELECT i, {user} AS u, 'filled-' || i AS s, 1700000000 + i AS t FROM numbers)"
    );
    format!(
        "INSERT INTO requests (org_id, request_id, user_id, session_id, created_at, source, agent_version, evaluation_only, body_digest) \
         {drawn} SELECT 'acme', s, u, s, t, 'web', 'v1', false, \
         '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' FROM drawn; \
         INSERT INTO interactions (org_id, user_id, session_id, request_id, position, created_at, role, is_user, is_agent, content, \
         shadow_content, expert_content, user_action, user_action_description, interacted_image_url, tools_used, citations, \
         retrieved_learnings, output_tokens) \
         {drawn}, turns (p) AS (VALUES (0), (1), (2), (3)) SELECT 'acme', u, s, s, p, t, CASE WHEN p % 2 = 0 THEN 'user' ELSE 'agent' END, \
         p % 2 = 0, p % 2 = 1, 'I was charged twice for order ' || i || ' of last week. Can you give me one of the two back?', '', '', '', \
         '', '', '[]', '[]', '[]', CASE WHEN p % 2 = 1 THEN 25 END FROM drawn CROSS JOIN turns; \
         INSERT INTO sessions (org_id, user_id, session_id, first_request_at, first_request_id, source, last_request_at, last_request_id, \
         agent_version) {drawn} SELECT 'acme', u, s, t, s, 'web', t, s, 'v1' FROM drawn; \
         INSERT INTO work_items (org_id, user_id, session_id, kind, due_at) \
         {drawn} SELECT 'acme', u, s, 'session_evaluation', 4000000000 + i FROM drawn; \
         INSERT INTO feed_entries (org_id, user_id, session_id, request_id) {drawn} SELECT 'acme', u, s, s FROM drawn"
    )
}
