//! Agent-success results.

use evaluation::judging::{JudgeEpoch, JudgeKind};
use evaluation::{Cursor, Escalation, FailureType, KeptResult, Outcome, Page, PageLimit, ResultFilter};
use kernel::{AgentVersion, Label, SessionId, Source, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::EvaluationPageFields;
use crate::time::Moment;
use crate::{Fields, Invalid};

/// A request for results, newest first.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct GetAgentSuccessEvaluationResultsRequest {
    /// Only of this version of the agent.
    pub agent_version: Option<String>,
    /// Only of this user.
    pub user_id: Option<String>,
    /// Only of sessions of this id.
    pub session_id: Option<String>,
    /// Only of sessions from this source; an empty text is the source of sessions that named none.
    pub source: Option<String>,
    /// Only successes, or only failures.
    pub is_success: Option<bool>,
    /// Only failures of this kind.
    pub failure_type: Option<String>,
    /// Only sessions that a person had to take over, or only those that none had to.
    pub is_escalated: Option<bool>,
    /// Which part of the list.
    #[serde(flatten)]
    pub page: EvaluationPageFields,
}

impl GetAgentSuccessEvaluationResultsRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(ResultFilter, Option<Cursor>, PageLimit), Invalid> {
        self.read(Fields::of_body())
    }

    fn read(self, mut fields: Fields) -> Result<(ResultFilter, Option<Cursor>, PageLimit), Invalid> {
        let agent_version = fields.name("agent_version", self.agent_version, AgentVersion::new);
        let user_id = fields.name("user_id", self.user_id, UserId::new);
        let session_id = fields.name("session_id", self.session_id, SessionId::new);
        let source = fields.optional("source", self.source, |text| Source::new(&text));
        let outcome = outcome(&mut fields, self.is_success, self.failure_type);
        let escalation = self
            .is_escalated
            .map(|is_escalated| if is_escalated { Escalation::Escalated } else { Escalation::NotEscalated });
        let period = self.page.period(&mut fields);
        let place = self.page.place(&mut fields);
        let read = || {
            let filter = ResultFilter {
                agent_version: agent_version?,
                user_id: user_id?,
                session_id: session_id?,
                source: source?,
                outcome: outcome?,
                escalation,
                period: period?,
            };
            let (after, limit) = place?;
            Some((filter, after, limit))
        };
        let read = read();
        fields.finish(read)
    }
}

/// How the sessions came out that are asked for; a kind of failure is asked for among failures.
fn outcome(
    fields: &mut Fields,
    is_success: Option<bool>,
    failure_type: Option<String>,
) -> Option<Option<Outcome>> {
    let cause = fields.name("failure_type", failure_type, |text| {
        FailureType::parse(text.trim()).ok_or("is not one of the words known here")
    })?;
    match (is_success, cause) {
        (Some(true), Some(_)) => {
            fields.refuse(&["failure_type"], "a success has none");
            None
        }
        (_, Some(cause)) => Some(Some(Outcome::FailureBy(cause))),
        (Some(true), None) => Some(Some(Outcome::Success)),
        (Some(false), None) => Some(Some(Outcome::Failure)),
        (None, None) => Some(None),
    }
}

/// Which results to stream.
#[derive(Debug, Deserialize, IntoParams)]
pub struct ResultStreamQuery {
    /// Only of this version of the agent.
    pub agent_version: Option<String>,
    /// Only of this user.
    pub user_id: Option<String>,
    /// Only of sessions of this id.
    pub session_id: Option<String>,
    /// Only of sessions from this source; an empty text is the source of sessions that named none.
    pub source: Option<String>,
    /// Only successes, or only failures.
    pub is_success: Option<bool>,
    /// Only failures of this kind.
    pub failure_type: Option<String>,
    /// Only sessions that a person had to take over, or only those that none had to.
    pub is_escalated: Option<bool>,
    /// Only from this time on: RFC 3339 or epoch seconds.
    pub start_time: Option<String>,
    /// Only up to this time.
    pub end_time: Option<String>,
}

impl ResultStreamQuery {
    /// The valid request.
    pub fn parse(self) -> Result<ResultFilter, Invalid> {
        let page = EvaluationPageFields {
            start_time: self.start_time.map(Moment::Text),
            end_time: self.end_time.map(Moment::Text),
            ..EvaluationPageFields::default()
        };
        let request = GetAgentSuccessEvaluationResultsRequest {
            agent_version: self.agent_version,
            user_id: self.user_id,
            session_id: self.session_id,
            source: self.source,
            is_success: self.is_success,
            failure_type: self.failure_type,
            is_escalated: self.is_escalated,
            page,
        };
        request.read(Fields::of_query()).map(|(filter, _, _)| filter)
    }
}

/// How one session went.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSuccessEvaluationResult)]
pub struct ResultRecord {
    /// Its number.
    pub result_id: i64,
    /// Whose session it is.
    pub user_id: String,
    /// The version of the agent that was evaluated.
    pub agent_version: String,
    /// The session.
    pub session_id: String,
    /// Whether the agent succeeded.
    pub is_success: bool,
    /// The kind of failure; empty when there is none.
    pub failure_type: String,
    /// The failure in the judge's words; empty when there is none.
    pub failure_reason: String,
    /// The evaluation that produced it.
    pub evaluation_name: String,
    /// When the session began, in epoch seconds.
    pub created_at: i64,
    /// How the answer compares with a shadow answer; only rows that carry it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regular_vs_shadow: Option<String>,
    /// How often the user had to correct the agent.
    pub number_of_correction_per_session: u32,
    /// The user's turns until success; only on success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_turns_to_resolution: Option<u32>,
    /// Whether a person had to take over.
    pub is_escalated: bool,
    /// Words to sort it by.
    pub tags: Option<Vec<String>>,
    /// Where the session came from; empty when it did not say.
    pub source: String,
    /// Who judged: `heuristic`, or the model. Left out when it was judged elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The version of the prompt that was used. Left out when it was judged elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_prompt_version: Option<String>,
    /// When it was judged or brought in, in epoch seconds.
    pub judged_at: i64,
}

/// Who judged, in a word: the model that answered, else the one that was asked.
fn judge_name(epoch: &JudgeEpoch) -> String {
    match epoch.kind {
        JudgeKind::Heuristic => epoch.kind.as_str().to_owned(),
        JudgeKind::Model if epoch.returned_model.is_empty() => epoch.requested_model.clone(),
        JudgeKind::Model => epoch.returned_model.clone(),
    }
}

impl From<&KeptResult> for ResultRecord {
    fn from(kept: &KeptResult) -> Self {
        let result = &kept.result;
        let judgement = &result.judgement;
        Self {
            result_id: result.result_id,
            user_id: result.identity.session.user_id.as_str().to_owned(),
            agent_version: result.identity.agent_version.as_str().to_owned(),
            session_id: result.identity.session.session_id.as_str().to_owned(),
            is_success: judgement.is_success,
            failure_type: judgement.failure_type.map_or("", evaluation::FailureType::as_str).to_owned(),
            failure_reason: judgement.failure_reason.as_str().to_owned(),
            evaluation_name: result.identity.evaluation_name.as_str().to_owned(),
            created_at: result.created_at.seconds(),
            regular_vs_shadow: judgement.regular_vs_shadow.map(|word| word.as_str().to_owned()),
            number_of_correction_per_session: judgement.corrections,
            user_turns_to_resolution: judgement.turns_to_resolution,
            is_escalated: judgement.is_escalated,
            tags: judgement
                .tags
                .as_ref()
                .map(|tags| tags.iter().map(Label::as_str).map(str::to_owned).collect()),
            source: kept.source.as_str().to_owned(),
            judge: kept.judge.as_ref().map(judge_name),
            judge_prompt_version: kept.judge.as_ref().map(|epoch| epoch.prompt_version.as_str().to_owned()),
            judged_at: result.judged_at.seconds(),
        }
    }
}

/// Results, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetAgentSuccessEvaluationResultsResponse {
    /// Always true.
    pub success: bool,
    /// The results.
    pub agent_success_evaluation_results: Vec<ResultRecord>,
    /// What was found, for people.
    pub msg: String,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl From<Page<KeptResult>> for GetAgentSuccessEvaluationResultsResponse {
    fn from(page: Page<KeptResult>) -> Self {
        Self {
            success: true,
            msg: format!("Found {} evaluation result(s)", page.items.len()),
            agent_success_evaluation_results: page.items.iter().map(Into::into).collect(),
            next_cursor: page.next.map(Cursor::encode),
        }
    }
}

/// The first line of the CSV.
pub const CSV_HEADER: &str = "result_id,user_id,session_id,agent_version,evaluation_name,created_at,is_success,\
     failure_type,failure_reason,number_of_correction_per_session,user_turns_to_resolution,is_escalated,\
     regular_vs_shadow,tags\r\n";

impl ResultRecord {
    /// The record as a line of CSV.
    #[must_use]
    pub fn csv_line(&self) -> String {
        let turns = self.user_turns_to_resolution.map(|turns| turns.to_string()).unwrap_or_default();
        // As a JSON list: a tag may hold any separator.
        let tags = self.tags.as_ref().and_then(|tags| serde_json::to_string(tags).ok()).unwrap_or_default();
        let cells = [
            self.result_id.to_string(),
            quoted(&self.user_id),
            quoted(&self.session_id),
            quoted(&self.agent_version),
            quoted(&self.evaluation_name),
            self.created_at.to_string(),
            self.is_success.to_string(),
            self.failure_type.clone(),
            quoted(&self.failure_reason),
            self.number_of_correction_per_session.to_string(),
            turns,
            self.is_escalated.to_string(),
            self.regular_vs_shadow.clone().unwrap_or_default(),
            quoted(&tags),
        ];
        cells.join(",") + "\r\n"
    }

    /// The record as a line of JSON.
    #[must_use]
    pub fn ndjson_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// Quotes a cell where CSV needs it, and keeps a spreadsheet from running it as a formula.
fn quoted(text: &str) -> String {
    let text =
        if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_where_it_must_be() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
    }

    #[test]
    fn a_cell_never_runs_as_a_formula() {
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(quoted("@x"), "'@x");
    }
}
