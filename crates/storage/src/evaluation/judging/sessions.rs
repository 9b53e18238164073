//! Published sessions as judging reads them.

use ::evaluation::judging::{
    Attachment, Freshness, LastRun, LearningStatus, SessionFacts, SessionPurpose, SessionReader,
    SessionRecord, ShadowTurn, Turn,
};
use ::evaluation::{InteractionId, LearningKind, SessionKey};
use diesel::dsl::exists;
use diesel::prelude::*;
use kernel::{OrgId, SessionId, StoreError, Timestamp, UserId};

use super::super::rows::{corrupt, session_of, version_of};
use super::super::verdicts::fingerprint_of;
use super::turns::TurnRow;
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::{
    evaluation_results, interactions, requests, retrieved_learnings, session_judgings, sessions,
};

/// How the latest run ended that graded a session, if one has.
#[derive(Queryable, Selectable)]
#[diesel(table_name = session_judgings)]
struct GradedRow {
    graded_fingerprint: Option<String>,
    graded_at: Option<i64>,
    learning_status: Option<String>,
    asked_version: Option<String>,
}

impl SessionReader for Database {
    fn owners(&self, org: &OrgId, session: &SessionId) -> Result<Vec<UserId>, StoreError> {
        let users: Vec<String> = self.read(|conn| {
            sessions::table
                .filter(sessions::org_id.eq(org.as_str()))
                .filter(sessions::session_id.eq(session.as_str()))
                .order((sessions::last_request_at.desc(), sessions::last_request_id.desc()))
                .select(sessions::user_id)
                .load(conn)
        })?;
        users.iter().map(|user| UserId::new(user).map_err(|_| corrupt("sessions.user_id"))).collect()
    }

    fn facts(&self, org: &OrgId, session: &SessionKey) -> Result<Option<SessionFacts>, StoreError> {
        let key = (org.as_str(), session.user_id.as_str(), session.session_id.as_str());
        let learns: Option<bool> = self.read(|conn| {
            let to_learn_from = requests::table
                .filter(requests::org_id.eq(key.0))
                .filter(requests::session_id.eq(key.2))
                .filter(requests::user_id.eq(key.1))
                .filter(requests::evaluation_only.eq(false));
            sessions::table.find(key).select(exists(to_learn_from)).first(conn).optional()
        })?;
        Ok(learns.map(|learns| SessionFacts {
            purpose: if learns { SessionPurpose::Learning } else { SessionPurpose::EvaluationOnly },
        }))
    }

    fn session(&self, org: &OrgId, session: &SessionKey) -> Result<Option<SessionRecord>, StoreError> {
        let key = (org.as_str(), session.user_id.as_str(), session.session_id.as_str());
        self.snapshot(|conn| {
            let version: Option<String> =
                answer(sessions::table.find(key).select(sessions::agent_version).first(conn).optional())?;
            let Some(version) = version else { return Ok(None) };
            Ok(Some(SessionRecord {
                agent_version: version_of(&version, "sessions")?,
                turns: turns(conn, key, None)?,
                attachments: attachments(conn, key)?,
            }))
        })
    }

    fn last_graded(&self, org: &OrgId, session: &SessionKey) -> Result<Option<LastRun>, StoreError> {
        use evaluation_results as r;
        let key = (org.as_str(), session.user_id.as_str(), session.session_id.as_str());
        self.snapshot(|conn| {
            let row = session_judgings::table.find(key).select(GradedRow::as_select());
            let Some(run) = answer(row.first(conn).optional())? else { return Ok(None) };
            let (Some(fingerprint), Some(graded_at), Some(status)) =
                (run.graded_fingerprint, run.graded_at, run.learning_status)
            else {
                return Ok(None);
            };
            let result: Option<(i64, String)> = answer(
                r::table
                    .filter(r::org_id.eq(key.0))
                    .filter(r::session_id.eq(key.2))
                    .filter(r::user_id.eq(key.1))
                    .filter(r::evaluation_name.eq("agent_success"))
                    .filter(r::judged_at.eq(graded_at))
                    .order(r::result_id.desc())
                    .select((r::result_id, r::agent_version))
                    .first(conn)
                    .optional(),
            )?;
            let is_current = answer(fingerprint_of(conn, key.0, session))? == fingerprint;
            let learnings =
                LearningStatus::parse(&status).ok_or_else(|| corrupt("session_judgings.learning_status"))?;
            let Some((result_id, version)) = result else { return Ok(None) };
            Ok(Some(LastRun {
                freshness: if is_current { Freshness::Current } else { Freshness::Outdated },
                learnings,
                result_id,
                agent_version: version_of(&version, "evaluation_results")?,
                asked_version: run
                    .asked_version
                    .map(|asked| version_of(&asked, "session_judgings"))
                    .transpose()?,
                judged_at: Timestamp::from_seconds(graded_at),
            }))
        })
    }

    fn shadow_turn(&self, org: &OrgId, turn: InteractionId) -> Result<Option<ShadowTurn>, StoreError> {
        let org = org.as_str();
        self.snapshot(|conn| {
            let Some(row) = answer(shadow_row(conn, org, turn))? else { return Ok(None) };
            let version: String = answer(
                requests::table
                    .find((org, row.request_id.as_str()))
                    .select(requests::agent_version)
                    .first(conn),
            )?;
            let before = (row.created_at, row.interaction_id);
            Ok(Some(ShadowTurn {
                session: session_of(&row.user_id, &row.session_id, "interactions")?,
                agent_version: version_of(&version, "requests")?,
                before: turns(conn, (org, &row.user_id, &row.session_id), Some(before))?,
                service: row.content,
                shadow: row.shadow_content,
            }))
        })
    }
}

/// A session's turns in order, all of them or those before a place.
fn turns(
    conn: &mut AnyConnection,
    (org, user, session): (&str, &str, &str),
    before: Option<(i64, i64)>,
) -> Result<Vec<Turn>, StoreError> {
    let rows: Vec<TurnRow> = answer(
        interactions::table
            .filter(interactions::org_id.eq(org))
            .filter(interactions::session_id.eq(session))
            .filter(interactions::user_id.eq(user))
            .order((interactions::created_at, interactions::interaction_id))
            .select(TurnRow::as_select())
            .load(conn),
    )?;
    let earlier = |row: &TurnRow| before.is_none_or(|place| (row.created_at, row.interaction_id) < place);
    rows.into_iter().filter(earlier).map(Turn::try_from).collect()
}

fn attachments(
    conn: &mut AnyConnection,
    (org, user, session): (&str, &str, &str),
) -> Result<Vec<Attachment>, StoreError> {
    use retrieved_learnings as t;
    let rows: Vec<(i64, String, String)> = answer(
        t::table
            .filter(t::org_id.eq(org))
            .filter(t::user_id.eq(user))
            .filter(t::session_id.eq(session))
            .order((t::interaction_id, t::kind, t::learning_id))
            .select((t::interaction_id, t::kind, t::learning_id))
            .load(conn),
    )?;
    rows.into_iter()
        .map(|(turn, kind, learning_id)| {
            let kind = LearningKind::parse(&kind).ok_or_else(|| corrupt("retrieved_learnings.kind"))?;
            Ok(Attachment { interaction_id: InteractionId(turn), kind, learning_id })
        })
        .collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = interactions)]
struct ShadowedRow {
    interaction_id: i64,
    user_id: String,
    session_id: String,
    request_id: String,
    created_at: i64,
    content: String,
    shadow_content: String,
}

fn shadow_row(conn: &mut AnyConnection, org: &str, turn: InteractionId) -> QueryResult<Option<ShadowedRow>> {
    interactions::table
        .filter(interactions::interaction_id.eq(turn.0))
        .filter(interactions::org_id.eq(org))
        .filter(interactions::is_agent.eq(true))
        .filter(interactions::shadow_content.ne(""))
        .select(ShadowedRow::as_select())
        .first(conn)
        .optional()
}
