//! Judged results and partner scores brought in from elsewhere.

use evaluation::{
    FailureType, ImportBatch, ImportRow, Intake, Judgement, PartnerScore, Reason, RegularVsShadow,
    ResultIdentity, ScoreBatch, ScoreIdentity, ScoreSubject, ScoreValue, SessionKey,
};
use kernel::{AgentVersion, EvaluationName, Label, SessionId, Timestamp, UserId};
use learning::EventTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Fields, Invalid};

/// A judged result, without its number.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ImportedResultData {
    /// Whose session it is.
    #[schema(min_length = 1, max_length = 255)]
    pub user_id: String,
    /// The session.
    #[schema(min_length = 1, max_length = 255)]
    pub session_id: String,
    /// The version of the agent that was evaluated.
    pub agent_version: String,
    /// Whether the agent succeeded.
    pub is_success: bool,
    /// The kind of failure.
    pub failure_type: Option<String>,
    /// The failure in words.
    pub failure_reason: Option<String>,
    /// The evaluation that produced it; `agent_success` unless said.
    pub evaluation_name: Option<String>,
    /// When the session began; needed for a session that was not published here.
    pub created_at: Option<i64>,
    /// How the answer compares with a shadow answer.
    pub regular_vs_shadow: Option<String>,
    /// How often the user had to correct the agent.
    pub number_of_correction_per_session: Option<i64>,
    /// The user's turns until success.
    pub user_turns_to_resolution: Option<i64>,
    /// Whether a person had to take over.
    pub is_escalated: Option<bool>,
    /// Words to sort it by.
    pub tags: Option<Vec<String>>,
}

fn count(number: i64) -> Result<u32, &'static str> {
    u32::try_from(number).map_err(|_| "must be a whole number from 0 on")
}

/// Reads a word of a closed vocabulary; an empty one counts as absent.
fn word<T>(
    fields: &mut Fields,
    name: &str,
    text: Option<String>,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Option<Option<T>> {
    fields.name(name, text, |text| parse(text.trim()).ok_or("is not one of the words known here"))
}

impl ImportedResultData {
    fn read(self, fields: &mut Fields) -> Option<ImportRow> {
        let identity = self.read_identity(fields);
        let created_at = fields.optional("created_at", self.created_at, EventTime::new);
        let failure_type = word(fields, "failure_type", self.failure_type, FailureType::parse);
        let reason = fields.required(
            "failure_reason",
            self.failure_reason.as_deref().unwrap_or_default(),
            Reason::new,
        );
        let versus = word(fields, "regular_vs_shadow", self.regular_vs_shadow, RegularVsShadow::parse);
        let corrections = self.number_of_correction_per_session.unwrap_or(0);
        let corrections = fields.required("number_of_correction_per_session", corrections, count);
        let turns = fields.optional("user_turns_to_resolution", self.user_turns_to_resolution, count);
        let tags = match self.tags {
            None => Some(None),
            Some(tags) => fields
                .each("tags", tags, |fields, tag| fields.required("", tag.as_str(), Label::new))
                .map(Some),
        };
        let judgement = Judgement {
            is_success: self.is_success,
            failure_type: failure_type?,
            failure_reason: reason?,
            regular_vs_shadow: versus?,
            corrections: corrections?,
            turns_to_resolution: turns?,
            is_escalated: self.is_escalated.unwrap_or(false),
            tags: tags?,
        };
        let created_at = created_at?.map(EventTime::timestamp);
        Some(ImportRow { identity: identity?, created_at, judgement })
    }

    fn read_identity(&self, fields: &mut Fields) -> Option<ResultIdentity> {
        let user_id = fields.required("user_id", self.user_id.as_str(), UserId::new);
        let session_id = fields.required("session_id", self.session_id.as_str(), SessionId::new);
        let agent_version = fields.required("agent_version", self.agent_version.as_str(), AgentVersion::new);
        let name = self.evaluation_name.clone();
        let evaluation_name = fields.name("evaluation_name", name, EvaluationName::new);
        Some(ResultIdentity {
            session: SessionKey { user_id: user_id?, session_id: session_id? },
            agent_version: agent_version?,
            evaluation_name: evaluation_name?.unwrap_or_else(EvaluationName::agent_success),
        })
    }
}

/// A request to bring judged results in.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ImportResultsRequest {
    /// The results, at most 1000.
    pub results: Vec<ImportedResultData>,
}

impl ImportResultsRequest {
    /// The valid request.
    pub fn parse(self) -> Result<ImportBatch, Invalid> {
        let mut fields = Fields::of_body();
        let rows = fields.each("results", self.results, |fields, row| row.read(fields));
        let batch = rows.and_then(|rows| fields.required("results", rows, ImportBatch::new));
        fields.finish(batch)
    }
}

/// What became of an import.
#[derive(Debug, Serialize, ToSchema)]
pub struct IntakeResponse {
    /// Always true.
    pub success: bool,
    /// Rows that are new.
    pub imported_count: u64,
    /// Rows that changed; an unchanged repeat counts in neither.
    pub updated_count: u64,
}

impl From<Intake> for IntakeResponse {
    fn from(intake: Intake) -> Self {
        Self { success: true, imported_count: intake.imported, updated_count: intake.updated }
    }
}

/// A score that somebody else's scorer gave.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct PartnerScoreData {
    /// The run that gave it.
    #[schema(min_length = 1, max_length = 255)]
    pub source_run_id: String,
    /// The scorer.
    #[schema(min_length = 1, max_length = 255)]
    pub scorer_name: String,
    /// The score.
    pub value: f64,
    /// When, in epoch seconds.
    pub ts: i64,
    /// Whose session it is about; needed with `session_id`.
    pub user_id: Option<String>,
    /// The session it is about.
    pub session_id: Option<String>,
}

impl PartnerScoreData {
    fn read(self, fields: &mut Fields) -> Option<PartnerScore> {
        let source_run_id = fields.required("source_run_id", self.source_run_id.as_str(), Label::new);
        let scorer_name = fields.required("scorer_name", self.scorer_name.as_str(), Label::new);
        let value = fields.required("value", self.value, ScoreValue::new);
        let user = fields.name("user_id", self.user_id, UserId::new);
        let session = fields.name("session_id", self.session_id, SessionId::new);
        let subject = user.zip(session).and_then(|(user, session)| {
            fields.required("user_id", (user, session), |(user, session)| ScoreSubject::new(user, session))
        });
        Some(PartnerScore {
            identity: ScoreIdentity { source_run_id: source_run_id?, scorer_name: scorer_name? },
            value: value?,
            at: Timestamp::from_seconds(self.ts),
            subject: subject?,
        })
    }
}

/// A request to bring partner scores in.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PartnerScoresRequest {
    /// The scores, at most 10,000.
    pub scores: Vec<PartnerScoreData>,
}

impl PartnerScoresRequest {
    /// The valid request.
    pub fn parse(self) -> Result<ScoreBatch, Invalid> {
        let mut fields = Fields::of_body();
        let scores = fields.each("scores", self.scores, |fields, score| score.read(fields));
        let batch = scores.and_then(|scores| fields.required("scores", scores, ScoreBatch::new));
        fields.finish(batch)
    }
}
