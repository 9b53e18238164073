//! Rows of results and outcomes, and their way to and from the domain.
#![expect(clippy::ref_option_ref, reason = "diesel derives take columns by reference")]

use ::evaluation::{
    AgentSuccessResult, FailureType, JudgedResult, Judgement, Reason, RegularVsShadow, ResultIdentity,
    SessionKey, Tally,
};
use diesel::{Insertable, Queryable, Selectable};
use kernel::{AgentVersion, EvaluationName, Label, SessionId, Source, StoreError, Timestamp, UserId};

use crate::schema::evaluation_results;

/// A value that no rule could have written.
pub(super) fn corrupt(place: &str) -> StoreError {
    StoreError::Corrupt(place.to_owned())
}

/// A number of the database that must be a count.
pub(super) fn count(n: i64, place: &str) -> Result<u64, StoreError> {
    u64::try_from(n).map_err(|_| corrupt(place))
}

/// The session that a row belongs to.
pub(super) fn session_of(user_id: &str, session_id: &str, table: &str) -> Result<SessionKey, StoreError> {
    Ok(SessionKey {
        user_id: UserId::new(user_id).map_err(|_| corrupt(&format!("{table}.user_id")))?,
        session_id: SessionId::new(session_id).map_err(|_| corrupt(&format!("{table}.session_id")))?,
    })
}

/// The source that a row states.
pub(super) fn source_of(text: &str, table: &str) -> Result<Source, StoreError> {
    Source::new(text).map_err(|_| corrupt(&format!("{table}.source")))
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = evaluation_results)]
pub(super) struct ResultRow {
    result_id: i64,
    user_id: String,
    session_id: String,
    agent_version: String,
    evaluation_name: String,
    is_success: bool,
    failure_type: Option<String>,
    failure_reason: String,
    regular_vs_shadow: Option<String>,
    number_of_correction_per_session: i64,
    user_turns_to_resolution: Option<i64>,
    is_escalated: bool,
    tags: Option<String>,
    source: String,
    created_at: i64,
    judged_at: i64,
}

impl ResultRow {
    /// The result, and the source of its session.
    pub(super) fn with_source(mut self) -> Result<(AgentSuccessResult, String), StoreError> {
        let source = std::mem::take(&mut self.source);
        Ok((AgentSuccessResult::try_from(self)?, source))
    }
}

impl TryFrom<ResultRow> for AgentSuccessResult {
    type Error = StoreError;

    fn try_from(row: ResultRow) -> Result<Self, StoreError> {
        let wrong = |column: &str| corrupt(&format!("evaluation_results.{column}"));
        let identity = ResultIdentity {
            session: session_of(&row.user_id, &row.session_id, "evaluation_results")?,
            agent_version: AgentVersion::new(&row.agent_version).map_err(|_| wrong("agent_version"))?,
            evaluation_name: EvaluationName::new(&row.evaluation_name)
                .map_err(|_| wrong("evaluation_name"))?,
        };
        let failure_type = row.failure_type.as_deref().map(|text| FailureType::parse(text).ok_or(text));
        let comparison =
            row.regular_vs_shadow.as_deref().map(|text| RegularVsShadow::parse(text).ok_or(text));
        let turns = row.user_turns_to_resolution.map(u32::try_from).transpose();
        let judgement = Judgement {
            is_success: row.is_success,
            failure_type: failure_type.transpose().map_err(|_| wrong("failure_type"))?,
            failure_reason: Reason::new(&row.failure_reason).map_err(|_| wrong("failure_reason"))?,
            regular_vs_shadow: comparison.transpose().map_err(|_| wrong("regular_vs_shadow"))?,
            corrections: u32::try_from(row.number_of_correction_per_session)
                .map_err(|_| wrong("number_of_correction_per_session"))?,
            turns_to_resolution: turns.map_err(|_| wrong("user_turns_to_resolution"))?,
            is_escalated: row.is_escalated,
            tags: row.tags.as_deref().map(tags_of).transpose().map_err(|()| wrong("tags"))?,
        };
        Ok(Self {
            result_id: row.result_id,
            identity,
            created_at: Timestamp::from_seconds(row.created_at),
            judged_at: Timestamp::from_seconds(row.judged_at),
            judgement,
        })
    }
}

fn tags_of(json: &str) -> Result<Vec<Label>, ()> {
    let texts: Vec<String> = serde_json::from_str(json).map_err(|_| ())?;
    texts.iter().map(|text| Label::new(text).map_err(|_| ())).collect()
}

#[derive(Insertable)]
#[diesel(table_name = evaluation_results, treat_none_as_default_value = false)]
pub(super) struct NewResult<'a> {
    org_id: &'a str,
    user_id: &'a str,
    session_id: &'a str,
    agent_version: &'a str,
    evaluation_name: &'a str,
    is_success: bool,
    failure_type: Option<&'static str>,
    failure_reason: &'a str,
    regular_vs_shadow: Option<&'static str>,
    number_of_correction_per_session: i64,
    user_turns_to_resolution: Option<i64>,
    is_escalated: bool,
    tags: Option<String>,
    source: &'a str,
    created_at: i64,
    judged_at: i64,
}

impl<'a> NewResult<'a> {
    pub(super) fn of(org_id: &'a str, result: &'a JudgedResult) -> Self {
        let ResultIdentity { session, agent_version, evaluation_name } = &result.identity;
        let judgement = &result.judgement;
        let texts = |tags: &Vec<Label>| tags.iter().map(|tag| tag.as_str().to_owned()).collect::<Vec<_>>();
        Self {
            org_id,
            user_id: session.user_id.as_str(),
            session_id: session.session_id.as_str(),
            agent_version: agent_version.as_str(),
            evaluation_name: evaluation_name.as_str(),
            is_success: judgement.is_success,
            failure_type: judgement.failure_type.map(FailureType::as_str),
            failure_reason: judgement.failure_reason.as_str(),
            regular_vs_shadow: judgement.regular_vs_shadow.map(RegularVsShadow::as_str),
            number_of_correction_per_session: i64::from(judgement.corrections),
            user_turns_to_resolution: judgement.turns_to_resolution.map(i64::from),
            is_escalated: judgement.is_escalated,
            tags: judgement.tags.as_ref().map(|tags| serde_json::json!(texts(tags)).to_string()),
            source: result.source.as_str(),
            created_at: result.created_at.seconds(),
            judged_at: result.judged_at.seconds(),
        }
    }
}

/// What one session counts for; all that the totals are made of.
#[expect(clippy::struct_excessive_bools, reason = "a row has the columns that it has")]
pub(super) struct NewOutcome<'a> {
    pub(super) org_id: &'a str,
    pub(super) user_id: &'a str,
    pub(super) session_id: &'a str,
    pub(super) result_id: i64,
    pub(super) is_agent_success: bool,
    pub(super) judged_at: i64,
    pub(super) created_at: i64,
    pub(super) source: &'a str,
    pub(super) is_success: bool,
    pub(super) corrections: i64,
    pub(super) turns: Option<i64>,
    pub(super) is_escalated: bool,
    pub(super) is_system_error: bool,
}

impl<'a> NewOutcome<'a> {
    /// The outcome of a session for which this result speaks.
    pub(super) fn of(org_id: &'a str, spokesman: &'a AgentSuccessResult, source: &'a str) -> Self {
        let AgentSuccessResult { identity, judgement, .. } = spokesman;
        Self {
            org_id,
            user_id: identity.session.user_id.as_str(),
            session_id: identity.session.session_id.as_str(),
            result_id: spokesman.result_id,
            is_agent_success: identity.evaluation_name.is_agent_success(),
            judged_at: spokesman.judged_at.seconds(),
            created_at: spokesman.created_at.seconds(),
            source,
            is_success: judgement.is_success,
            corrections: i64::from(judgement.corrections),
            turns: judgement.turns_to_resolution.map(i64::from),
            is_escalated: judgement.is_escalated,
            is_system_error: Tally::of(judgement).system_error_failures == 1,
        }
    }
}
