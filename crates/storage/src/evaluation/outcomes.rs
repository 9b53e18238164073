//! Outcomes: one row per session, told by the result that speaks for it. Triggers let the totals follow.
//!
//! A result that is newer than the one that speaks now takes its place without anything being read, so that judges of
//! different sessions do not lose races against each other. Only where it is not newer are the session's results looked at.

use std::collections::BTreeMap;

use ::evaluation::{AgentSuccessResult, SessionKey, spokesman};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use kernel::StoreError;

use super::results::ROWS_PER_STATEMENT;
use super::rows::NewOutcome;
use crate::backend::AnyConnection;
use crate::transaction::OrgTx;

/// A result with the source of its session.
type Placed = (AgentSuccessResult, String);

/// Lets the outcomes of sessions follow the results that were just kept.
pub(super) fn follow(tx: &mut OrgTx, kept: &[Placed]) -> Result<(), StoreError> {
    let mut behind: Vec<&SessionKey> = Vec::new();
    for chunk in speaking(tx, kept)?.chunks(ROWS_PER_STATEMENT) {
        if tx.query(|conn, org| upsert(conn, &outcomes(org, chunk), Replace::IfNewer))? < chunk.len() {
            behind.extend(chunk.iter().map(|(result, _)| &result.identity.session));
        }
    }
    if behind.is_empty() {
        return Ok(());
    }
    let all = tx.results_of(behind)?;
    for chunk in speaking(tx, &all)?.chunks(ROWS_PER_STATEMENT) {
        tx.query(|conn, org| upsert(conn, &outcomes(org, chunk), Replace::Always))?;
    }
    Ok(())
}

/// The results among these that speak for their sessions.
fn speaking<'a>(tx: &OrgTx, results: &'a [Placed]) -> Result<Vec<&'a Placed>, StoreError> {
    let mut sessions: BTreeMap<&SessionKey, Vec<&Placed>> = BTreeMap::new();
    for placed in results {
        tx.must_have_admitted(&placed.0.identity.session.user_id)?;
        sessions.entry(&placed.0.identity.session).or_default().push(placed);
    }
    Ok(sessions.values().filter_map(|results| speaker(results)).collect())
}

/// The one among the results of a session that speaks for it.
fn speaker<'a>(results: &[&'a Placed]) -> Option<&'a Placed> {
    let speaks = spokesman(results.iter().map(|(result, _)| result))?.result_id;
    results.iter().copied().find(|(result, _)| result.result_id == speaks)
}

fn outcomes<'a>(org: &'a str, speaking: &[&'a Placed]) -> Vec<NewOutcome<'a>> {
    speaking.iter().map(|(result, source)| NewOutcome::of(org, result, source)).collect()
}

/// What becomes of an outcome that is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replace {
    /// It goes.
    Always,
    /// It goes, unless its result is chosen before the new one, in the order of [`spokesman`].
    IfNewer,
}

/// Writes outcomes and answers how many were written.
fn upsert(conn: &mut AnyConnection, rows: &[NewOutcome<'_>], replace: Replace) -> QueryResult<usize> {
    let mut query = diesel::sql_query(statement(rows.len(), replace)).into_boxed();
    for row in rows {
        query = query
            .bind::<Text, _>(row.org_id)
            .bind::<Text, _>(row.user_id)
            .bind::<Text, _>(row.session_id)
            .bind::<BigInt, _>(row.result_id)
            .bind::<Bool, _>(row.is_agent_success)
            .bind::<BigInt, _>(row.judged_at)
            .bind::<BigInt, _>(row.created_at)
            .bind::<Text, _>(row.source)
            .bind::<Bool, _>(row.is_success)
            .bind::<BigInt, _>(row.corrections)
            .bind::<Nullable<BigInt>, _>(row.turns)
            .bind::<Bool, _>(row.is_escalated)
            .bind::<Bool, _>(row.is_system_error);
    }
    query.execute(conn)
}

/// The columns in the order in which they are bound, the session's own first.
const COLUMNS: [&str; 13] = [
    "org_id",
    "user_id",
    "session_id",
    "result_id",
    "is_agent_success",
    "judged_at",
    "created_at",
    "source",
    "is_success",
    "corrections",
    "turns",
    "is_escalated",
    "is_system_error",
];

/// The common connection knows no condition on the update of many rows, so this statement is text.
fn statement(rows: usize, replace: Replace) -> String {
    let place = |row: usize| {
        let values: Vec<_> = (1..=COLUMNS.len()).map(|n| format!("${}", row * COLUMNS.len() + n)).collect();
        format!("({})", values.join(", "))
    };
    let values: Vec<_> = (0..rows).map(place).collect();
    let changes: Vec<_> =
        COLUMNS.iter().skip(3).map(|column| format!("{column} = excluded.{column}")).collect();
    let condition = match replace {
        Replace::Always => "",
        Replace::IfNewer => {
            " WHERE (excluded.is_agent_success, excluded.judged_at, excluded.result_id) >= \
             (session_outcomes.is_agent_success, session_outcomes.judged_at, session_outcomes.result_id)"
        }
    };
    format!(
        "INSERT INTO session_outcomes ({}) VALUES {} ON CONFLICT (org_id, user_id, session_id) DO UPDATE SET {}{}",
        COLUMNS.join(", "),
        values.join(", "),
        changes.join(", "),
        condition
    )
}
