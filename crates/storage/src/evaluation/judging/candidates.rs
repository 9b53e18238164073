//! The sessions that a replay chooses from, found by their requests: what it costs follows the window, not the table.

use ::evaluation::judging::{Candidate, CandidateReader, CandidateReceiver};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{OrgId, StoreError, Timestamp, Window};

use super::super::rows::{session_of, source_of};
use crate::database::Database;
use crate::transaction::OrgSnapshot;

/// So many requests are held at a time; PostgreSQL would compile the statement for many more, which takes longer than to run it.
const PAGE: usize = 2_000;

/// Requests of a window in their order, behind the last one seen. The first of each session tells of the session.
///
/// The sessions are looked up one by one: a planner would rather join the page with all sessions of the organization.
const REQUESTS: &str = "WITH page AS (\
     SELECT created_at, request_id, user_id, session_id FROM requests \
     WHERE org_id = $1 AND (created_at, request_id) > ($2, $3) AND created_at <= $4 \
     ORDER BY created_at, request_id LIMIT $5) \
     SELECT created_at, request_id, user_id, session_id, \
     CASE WHEN request_id = (SELECT r.request_id FROM requests AS r WHERE r.org_id = $1 \
     AND r.session_id = page.session_id AND r.user_id = page.user_id AND r.created_at >= $6 \
     ORDER BY r.created_at, r.request_id LIMIT 1) \
     THEN (SELECT s.first_request_at FROM sessions AS s WHERE s.org_id = $1 \
     AND s.user_id = page.user_id AND s.session_id = page.session_id) END AS began_at, \
     (SELECT s.source FROM sessions AS s WHERE s.org_id = $1 \
     AND s.user_id = page.user_id AND s.session_id = page.session_id) AS source \
     FROM page ORDER BY created_at, request_id";

/// A request, and when its session began if it is the session's first in the window.
#[derive(QueryableByName)]
struct RequestRow {
    #[diesel(sql_type = BigInt)]
    created_at: i64,
    #[diesel(sql_type = Text)]
    request_id: String,
    #[diesel(sql_type = Text)]
    user_id: String,
    #[diesel(sql_type = Text)]
    session_id: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    began_at: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    source: Option<String>,
}

impl RequestRow {
    /// The session that this request stands for.
    fn candidate(&self) -> Result<Option<Candidate>, StoreError> {
        let (Some(began_at), Some(source)) = (self.began_at, &self.source) else { return Ok(None) };
        Ok(Some(Candidate {
            session: session_of(&self.user_id, &self.session_id, "requests")?,
            began_at: Timestamp::from_seconds(began_at),
            source: source_of(source, "sessions")?,
        }))
    }
}

impl CandidateReader for Database {
    fn candidates(
        &self,
        org: &OrgId,
        window: Window,
        receiver: &mut dyn CandidateReceiver,
    ) -> Result<(), StoreError> {
        let mut handed_over = Ok(());
        self.look(org, |snapshot| handed_over = hand_over(snapshot, window, receiver))?;
        handed_over
    }
}

fn hand_over(
    snapshot: &mut OrgSnapshot,
    window: Window,
    receiver: &mut dyn CandidateReceiver,
) -> Result<(), StoreError> {
    // No request has an empty id, so this is before all requests of the first second.
    let mut behind = (window.start().seconds(), String::new());
    loop {
        let rows = page(snapshot, window, &behind)?;
        for row in &rows {
            if let Some(candidate) = row.candidate()? {
                receiver.receive(candidate);
            }
        }
        let is_last = rows.len() < PAGE;
        match rows.into_iter().next_back() {
            Some(last) if !is_last => behind = (last.created_at, last.request_id),
            _ => return Ok(()),
        }
    }
}

fn page(
    snapshot: &mut OrgSnapshot,
    window: Window,
    (at, request): &(i64, String),
) -> Result<Vec<RequestRow>, StoreError> {
    snapshot.query(|conn, org| {
        diesel::sql_query(REQUESTS)
            .bind::<Text, _>(org)
            .bind::<BigInt, _>(at)
            .bind::<Text, _>(request)
            .bind::<BigInt, _>(window.end().seconds())
            .bind::<BigInt, _>(i64::try_from(PAGE).unwrap_or(i64::MAX))
            .bind::<BigInt, _>(window.start().seconds())
            .load(conn)
    })
}
