//! Results inside a transaction.

use std::collections::{BTreeMap, BTreeSet};

use ::evaluation::{AgentSuccessResult, JudgedResult, ResultIdentity, ResultTx, SessionKey, SessionStart};
use diesel::prelude::*;
use diesel::upsert::excluded;
use kernel::{StoreError, Timestamp, UserId};

use super::outcomes;
use super::rows::{NewResult, ResultRow, session_of, source_of};
use crate::backend::AnyConnection;
use crate::backend::pairs::is_one_of;
use crate::schema::{evaluation_results, sessions};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn ResultTx);

/// As many rows go into one statement; every database takes so many values.
pub(super) const ROWS_PER_STATEMENT: usize = 500;

impl ResultTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn session_starts(
        &mut self,
        wanted: &[SessionKey],
    ) -> Result<Vec<(SessionKey, SessionStart)>, StoreError> {
        let found: Vec<(String, String, i64, String)> = self.query(|conn, org| {
            let columns = ("sessions.session_id", "sessions.user_id");
            sessions::table
                .filter(sessions::org_id.eq(org))
                .filter(is_one_of(conn, columns, names_of(wanted)))
                .select((
                    sessions::user_id,
                    sessions::session_id,
                    sessions::first_request_at,
                    sessions::source,
                ))
                .load(conn)
        })?;
        let start = |(user, session, at, source): (String, String, i64, String)| {
            let start =
                SessionStart { at: Timestamp::from_seconds(at), source: source_of(&source, "sessions")? };
            Ok((session_of(&user, &session, "sessions")?, start))
        };
        found.into_iter().map(start).collect()
    }

    fn existing(&mut self, identities: &[ResultIdentity]) -> Result<Vec<AgentSuccessResult>, StoreError> {
        let sessions: BTreeSet<_> = identities.iter().map(|identity| &identity.session).collect();
        let wanted: BTreeSet<_> = identities.iter().collect();
        let results = self.results_of(sessions)?;
        Ok(results
            .into_iter()
            .map(|(result, _)| result)
            .filter(|result| wanted.contains(&result.identity))
            .collect())
    }

    fn keep(&mut self, results: &[JudgedResult]) -> Result<(), StoreError> {
        // Of two results of one identity the later stands.
        let results: BTreeMap<_, _> = results.iter().map(|result| (&result.identity, result)).collect();
        let sessions: BTreeSet<_> = results.keys().map(|identity| &identity.session).collect();
        let users: BTreeSet<_> = sessions.iter().map(|session| &session.user_id).collect();
        self.pass_gate(&users.into_iter().cloned().collect::<Vec<_>>())?;
        let results: Vec<_> = results.into_values().collect();
        let mut kept = Vec::with_capacity(results.len());
        for chunk in results.chunks(ROWS_PER_STATEMENT) {
            kept.extend(self.write_results(chunk)?);
        }
        outcomes::follow(self, &kept)
    }
}

impl OrgTx {
    /// Writes results and answers them with their numbers and sources.
    fn write_results(
        &mut self,
        results: &[&JudgedResult],
    ) -> Result<Vec<(AgentSuccessResult, String)>, StoreError> {
        for result in results {
            self.must_have_admitted(&result.identity.session.user_id)?;
        }
        let mut epochs = Vec::with_capacity(results.len());
        for result in results {
            epochs.push(result.judge.as_ref().map(|epoch| self.epoch(epoch, result.judged_at)).transpose()?);
        }
        let rows = self.query(|conn, org| {
            let rows: Vec<_> =
                results.iter().zip(epochs).map(|(result, epoch)| NewResult::of(org, result, epoch)).collect();
            upsert(conn, &rows)
        })?;
        rows.into_iter().map(ResultRow::with_source).collect()
    }

    /// Every result of these sessions, with its source.
    pub(super) fn results_of<'a>(
        &mut self,
        wanted: impl IntoIterator<Item = &'a SessionKey>,
    ) -> Result<Vec<(AgentSuccessResult, String)>, StoreError> {
        let found: Vec<ResultRow> = self.query(|conn, org| {
            let columns = ("evaluation_results.session_id", "evaluation_results.user_id");
            evaluation_results::table
                .filter(evaluation_results::org_id.eq(org))
                .filter(is_one_of(conn, columns, names_of(wanted)))
                .select(ResultRow::as_select())
                .load(conn)
        })?;
        found.into_iter().map(ResultRow::with_source).collect()
    }
}

/// The ids of sessions and their users, in the order of the indexes.
fn names_of<'a>(
    sessions: impl IntoIterator<Item = &'a SessionKey>,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    sessions.into_iter().map(|key| (key.session_id.as_str(), key.user_id.as_str()))
}

fn upsert(conn: &mut AnyConnection, rows: &[NewResult<'_>]) -> QueryResult<Vec<ResultRow>> {
    use evaluation_results as t;
    on_each!(conn, |c| diesel::insert_into(t::table)
        .values(rows)
        .on_conflict((t::org_id, t::session_id, t::user_id, t::agent_version, t::evaluation_name))
        .do_update()
        .set((
            t::is_success.eq(excluded(t::is_success)),
            t::failure_type.eq(excluded(t::failure_type)),
            t::failure_reason.eq(excluded(t::failure_reason)),
            t::regular_vs_shadow.eq(excluded(t::regular_vs_shadow)),
            t::number_of_correction_per_session.eq(excluded(t::number_of_correction_per_session)),
            t::user_turns_to_resolution.eq(excluded(t::user_turns_to_resolution)),
            t::is_escalated.eq(excluded(t::is_escalated)),
            t::tags.eq(excluded(t::tags)),
            t::source.eq(excluded(t::source)),
            t::created_at.eq(excluded(t::created_at)),
            t::judged_at.eq(excluded(t::judged_at)),
            t::epoch_id.eq(excluded(t::epoch_id)),
        ))
        .returning(ResultRow::as_returning())
        .get_results(c))
}
