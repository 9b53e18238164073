//! Sessions: what their first and last requests say, and taking them back.

use ::learning::{Request, SessionKey, SessionTx};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{SessionId, StoreError, UserId};

use super::columns::corrupt;
use crate::evaluation::forgetting::forget_session;
use crate::kept::Keep as _;
use crate::schema::{
    experiment_sessions, feed_entries, interactions, requests, retrieved_learnings, session_citations,
    sessions, work_items,
};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn SessionTx);

/// One statement whatever the order of arrival: each side moves only for an earlier, or a later, request.
const NOTE_IN_SESSION: &str = "INSERT INTO sessions \
     (org_id, user_id, session_id, first_request_at, first_request_id, source, \
      last_request_at, last_request_id, agent_version) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
     ON CONFLICT (org_id, user_id, session_id) DO UPDATE SET \
     source = CASE WHEN (excluded.first_request_at, excluded.first_request_id) \
         < (sessions.first_request_at, sessions.first_request_id) THEN excluded.source ELSE sessions.source END, \
     first_request_id = CASE WHEN (excluded.first_request_at, excluded.first_request_id) \
         < (sessions.first_request_at, sessions.first_request_id) \
         THEN excluded.first_request_id ELSE sessions.first_request_id END, \
     first_request_at = CASE WHEN excluded.first_request_at < sessions.first_request_at \
         THEN excluded.first_request_at ELSE sessions.first_request_at END, \
     agent_version = CASE WHEN (excluded.last_request_at, excluded.last_request_id) \
         > (sessions.last_request_at, sessions.last_request_id) \
         THEN excluded.agent_version ELSE sessions.agent_version END, \
     last_request_id = CASE WHEN (excluded.last_request_at, excluded.last_request_id) \
         > (sessions.last_request_at, sessions.last_request_id) \
         THEN excluded.last_request_id ELSE sessions.last_request_id END, \
     last_request_at = CASE WHEN excluded.last_request_at > sessions.last_request_at \
         THEN excluded.last_request_at ELSE sessions.last_request_at END";

impl OrgTx {
    /// Notes that the session has this request.
    pub(super) fn note_in_session(&mut self, request: &Request) -> Result<(), StoreError> {
        self.must_have_admitted(&request.session.user)?;
        // Results of the session follow a change of its first facts by triggers.
        self.query(|conn, org| {
            diesel::sql_query(NOTE_IN_SESSION)
                .bind::<Text, _>(org)
                .bind::<Text, _>(request.session.user.as_str())
                .bind::<Text, _>(request.session.session.as_str())
                .bind::<BigInt, _>(request.created_at.seconds())
                .bind::<Text, _>(request.request_id.as_str())
                .bind::<Text, _>(request.source.as_str())
                .bind::<BigInt, _>(request.created_at.seconds())
                .bind::<Text, _>(request.request_id.as_str())
                .bind::<Text, _>(request.agent_version.as_str())
                .kept()
                .run(conn)
        })
    }
}

/// Deletes the rows of one session from a table, and says how many there were.
macro_rules! delete_of_session {
    ($tx:expr, $table:ident, $session:expr) => {
        $tx.query(|conn, org| {
            let of_session = $table::table
                .filter($table::org_id.eq(org))
                .filter($table::user_id.eq($session.user.as_str()))
                .filter($table::session_id.eq($session.session.as_str()));
            diesel::delete(of_session).execute(conn)
        })
    };
}

impl SessionTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn owners(&mut self, session: &SessionId) -> Result<Vec<UserId>, StoreError> {
        let users: Vec<String> = self.query(|conn, org| {
            sessions::table
                .filter(sessions::org_id.eq(org))
                .filter(sessions::session_id.eq(session.as_str()))
                .order(sessions::user_id)
                .select(sessions::user_id)
                .load(conn)
        })?;
        users.iter().map(|user| UserId::new(user).map_err(|_| corrupt("sessions.user_id"))).collect()
    }

    fn delete(&mut self, session: &SessionKey) -> Result<u64, StoreError> {
        self.must_have_admitted(&session.user)?;
        forget_session(self, &session.user, &session.session)?;
        delete_of_session!(self, experiment_sessions, session)?;
        delete_of_session!(self, feed_entries, session)?;
        delete_of_session!(self, work_items, session)?;
        delete_of_session!(self, retrieved_learnings, session)?;
        delete_of_session!(self, session_citations, session)?;
        delete_of_session!(self, interactions, session)?;
        delete_of_session!(self, sessions, session)?;
        let deleted = delete_of_session!(self, requests, session)?;
        u64::try_from(deleted).map_err(|_| StoreError::Failed("a count does not fit".to_owned()))
    }
}
