//! Rows of results and outcomes, and their way to and from the domain.
#![expect(clippy::ref_option_ref, reason = "diesel derives take columns by reference")]

use std::collections::{BTreeSet, HashMap};

use ::evaluation::judging::{JudgeEpoch, JudgeKind};
use ::evaluation::{
    AgentSuccessResult, FailureType, JudgedResult, Judgement, KeptResult, PromptVersion, Reason,
    RegularVsShadow, ResultIdentity, SessionKey, Tally,
};
use diesel::prelude::*;
use kernel::{AgentVersion, EvaluationName, Label, SessionId, Source, StoreError, Timestamp, UserId};

use crate::backend::AnyConnection;
use crate::schema::{evaluation_results, judge_epochs};

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

pub(super) fn version_of(text: &str, table: &str) -> Result<AgentVersion, StoreError> {
    AgentVersion::new(text).map_err(|_| corrupt(&format!("{table}.agent_version")))
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
    epoch_id: Option<i64>,
}

impl ResultRow {
    /// The result, and the source of its session.
    pub(super) fn with_source(mut self) -> Result<(AgentSuccessResult, String), StoreError> {
        let source = std::mem::take(&mut self.source);
        Ok((AgentSuccessResult::try_from(self)?, source))
    }
}

/// The epochs that these rows name, by number.
pub(super) fn epochs_of(
    conn: &mut AnyConnection,
    org: &str,
    rows: &[ResultRow],
) -> QueryResult<HashMap<i64, EpochRow>> {
    let named: BTreeSet<i64> = rows.iter().filter_map(|row| row.epoch_id).collect();
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let found: Vec<EpochRow> = judge_epochs::table
        .filter(judge_epochs::org_id.eq(org))
        .filter(judge_epochs::epoch_id.eq_any(named))
        .select(EpochRow::as_select())
        .load(conn)?;
    Ok(found.into_iter().map(|epoch| (epoch.epoch_id, epoch)).collect())
}

/// Rows as they are read, each with its epoch.
pub(super) fn kept_results(
    rows: Vec<ResultRow>,
    epochs: &HashMap<i64, EpochRow>,
) -> Result<Vec<KeptResult>, StoreError> {
    let kept = |row: ResultRow| {
        let judge =
            row.epoch_id.and_then(|epoch| epochs.get(&epoch)).map(JudgeEpoch::try_from).transpose()?;
        let (result, source) = row.with_source()?;
        Ok(KeptResult { result, source: source_of(&source, "evaluation_results")?, judge })
    };
    rows.into_iter().map(kept).collect()
}

/// Under which rubric and by which model judgements were made.
#[derive(Queryable, Selectable)]
#[diesel(table_name = judge_epochs)]
pub(super) struct EpochRow {
    epoch_id: i64,
    prompt_version: String,
    prompt_hash: String,
    provider: String,
    requested_model: String,
    returned_model: String,
}

impl TryFrom<&EpochRow> for JudgeEpoch {
    type Error = StoreError;

    fn try_from(row: &EpochRow) -> Result<Self, StoreError> {
        Ok(Self {
            kind: JudgeKind::parse(&row.provider).ok_or_else(|| corrupt("judge_epochs.provider"))?,
            prompt_version: PromptVersion::new(&row.prompt_version)
                .map_err(|_| corrupt("judge_epochs.prompt_version"))?,
            prompt_hash: row.prompt_hash.clone(),
            requested_model: row.requested_model.clone(),
            returned_model: row.returned_model.clone(),
        })
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
    epoch_id: Option<i64>,
}

impl<'a> NewResult<'a> {
    /// The row of a result that was judged under the epoch of this number.
    pub(super) fn of(org_id: &'a str, result: &'a JudgedResult, epoch_id: Option<i64>) -> Self {
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
            epoch_id,
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
