//! Partners' scores inside a transaction.
#![expect(clippy::ref_option_ref, reason = "diesel derives take columns by reference")]

use std::collections::{BTreeMap, BTreeSet};

use ::evaluation::{PartnerScore, PartnerScoreTx, ScoreIdentity, ScoreSubject, ScoreValue};
use diesel::prelude::*;
use diesel::upsert::excluded;
use kernel::{Label, SessionId, StoreError, Timestamp, UserId};

use super::results::ROWS_PER_STATEMENT;
use super::rows::corrupt;
use crate::backend::AnyConnection;
use crate::backend::pairs::is_one_of;
use crate::schema::partner_scores;
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn PartnerScoreTx);

#[derive(Queryable, Selectable)]
#[diesel(table_name = partner_scores)]
struct ScoreRow {
    source_run_id: String,
    scorer_name: String,
    value: f64,
    ts: i64,
    user_id: Option<String>,
    session_id: Option<String>,
}

impl TryFrom<ScoreRow> for PartnerScore {
    type Error = StoreError;

    fn try_from(row: ScoreRow) -> Result<Self, StoreError> {
        let wrong = |column: &str| corrupt(&format!("partner_scores.{column}"));
        let user = row.user_id.as_deref().map(UserId::new).transpose().map_err(|_| wrong("user_id"))?;
        let session =
            row.session_id.as_deref().map(SessionId::new).transpose().map_err(|_| wrong("session_id"))?;
        Ok(Self {
            identity: ScoreIdentity {
                source_run_id: Label::new(&row.source_run_id).map_err(|_| wrong("source_run_id"))?,
                scorer_name: Label::new(&row.scorer_name).map_err(|_| wrong("scorer_name"))?,
            },
            value: ScoreValue::new(row.value).map_err(|_| wrong("value"))?,
            at: Timestamp::from_seconds(row.ts),
            subject: ScoreSubject::new(user, session).map_err(|_| wrong("user_id"))?,
        })
    }
}

#[derive(Insertable)]
#[diesel(table_name = partner_scores, treat_none_as_default_value = false)]
struct NewScore<'a> {
    org_id: &'a str,
    source_run_id: &'a str,
    scorer_name: &'a str,
    value: f64,
    ts: i64,
    user_id: Option<&'a str>,
    session_id: Option<&'a str>,
}

impl<'a> NewScore<'a> {
    fn of(org_id: &'a str, score: &'a PartnerScore) -> Self {
        let session_id = match &score.subject {
            ScoreSubject::Session(session) => Some(session.session_id.as_str()),
            ScoreSubject::Unstated | ScoreSubject::User(_) => None,
        };
        Self {
            org_id,
            source_run_id: score.identity.source_run_id.as_str(),
            scorer_name: score.identity.scorer_name.as_str(),
            value: score.value.get(),
            ts: score.at.seconds(),
            user_id: score.subject.user().map(UserId::as_str),
            session_id,
        }
    }
}

impl PartnerScoreTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn existing(&mut self, identities: &[ScoreIdentity]) -> Result<Vec<PartnerScore>, StoreError> {
        let mut found = Vec::new();
        for chunk in identities.chunks(ROWS_PER_STATEMENT) {
            for row in self.query(|conn, org| named(conn, org, chunk))? {
                found.push(PartnerScore::try_from(row)?);
            }
        }
        Ok(found)
    }

    fn keep(&mut self, scores: &[PartnerScore]) -> Result<(), StoreError> {
        let users: BTreeSet<_> = scores.iter().filter_map(|score| score.subject.user()).collect();
        for user in users {
            self.must_have_admitted(user)?;
        }
        // Of two scores of one identity the later stands.
        let scores: BTreeMap<_, _> = scores.iter().map(|score| (&score.identity, score)).collect();
        let scores: Vec<_> = scores.into_values().collect();
        for chunk in scores.chunks(ROWS_PER_STATEMENT) {
            self.query(|conn, org| {
                let rows: Vec<_> = chunk.iter().map(|score| NewScore::of(org, score)).collect();
                upsert(conn, &rows)
            })?;
        }
        Ok(())
    }
}

/// The scores of these runs and scorers.
fn named(conn: &mut AnyConnection, org: &str, identities: &[ScoreIdentity]) -> QueryResult<Vec<ScoreRow>> {
    let names =
        identities.iter().map(|identity| (identity.source_run_id.as_str(), identity.scorer_name.as_str()));
    let columns = ("partner_scores.source_run_id", "partner_scores.scorer_name");
    let is_named = is_one_of(conn, columns, names);
    partner_scores::table
        .filter(partner_scores::org_id.eq(org))
        .filter(is_named)
        .select(ScoreRow::as_select())
        .load(conn)
}

fn upsert(conn: &mut AnyConnection, rows: &[NewScore<'_>]) -> QueryResult<usize> {
    use partner_scores as t;
    on_each!(conn, |c| diesel::insert_into(t::table)
        .values(rows)
        .on_conflict((t::org_id, t::source_run_id, t::scorer_name))
        .do_update()
        .set((
            t::value.eq(excluded(t::value)),
            t::ts.eq(excluded(t::ts)),
            t::user_id.eq(excluded(t::user_id)),
            t::session_id.eq(excluded(t::session_id)),
        ))
        .execute(c))
}
