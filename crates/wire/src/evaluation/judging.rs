//! Grading on demand, and how judging stands.

use std::collections::BTreeMap;

use evaluation::judging::{GradeRequest, Graded, JudgingStatus};
use kernel::{AgentVersion, EvaluationName, SessionId, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Fields, Invalid};

/// A request to grade one session.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GradeOnDemandRequest {
    /// The session.
    pub session_id: String,
    /// The version of the agent; a session is judged at its latest.
    pub agent_version: String,
    /// The evaluation; `agent_success` unless said.
    pub evaluation_name: Option<String>,
    /// Whose session, when two users share the id; that of the latest request unless said.
    pub user_id: Option<String>,
}

impl GradeOnDemandRequest {
    /// The valid request.
    pub fn parse(self) -> Result<GradeRequest, Invalid> {
        let mut fields = Fields::of_body();
        let session = fields.required("session_id", self.session_id.as_str(), SessionId::new);
        let version = fields.required("agent_version", self.agent_version.as_str(), AgentVersion::new);
        fields.name("evaluation_name", self.evaluation_name, EvaluationName::new);
        let user = fields.name("user_id", self.user_id, UserId::new);
        let request = session.zip(user).zip(version).map(|((session_id, user_id), agent_version)| {
            GradeRequest { session_id, user_id, agent_version }
        });
        fields.finish(request)
    }
}

/// The grade of a session, or why there is none.
#[derive(Debug, Serialize, ToSchema)]
pub struct GradeOnDemandResponse {
    /// The session.
    pub session_id: String,
    /// The result's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<i64>,
    /// Whether the result was there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// `NO_REQUESTS` when there is no such session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<&'static str>,
    /// `complete`, `degraded`, `failed`, `not_applicable` or `skipped`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieved_learning_status: Option<&'static str>,
}

impl GradeOnDemandResponse {
    /// The answer about a session.
    #[must_use]
    pub fn of(session: &SessionId, graded: Graded) -> Self {
        let session_id = session.as_str().to_owned();
        match graded {
            Graded::NoRequests => Self {
                session_id,
                result_id: None,
                cached: None,
                skipped_reason: Some("NO_REQUESTS"),
                retrieved_learning_status: None,
            },
            Graded::Result { result_id, cached, learnings } => Self {
                session_id,
                result_id: Some(result_id),
                cached: Some(cached),
                skipped_reason: None,
                retrieved_learning_status: Some(learnings.as_str()),
            },
        }
    }
}

/// Under which rubric and by which model judgements are made now.
#[derive(Debug, Serialize, ToSchema)]
pub struct JudgeEpochRecord {
    /// `model` or `heuristic`.
    pub kind: &'static str,
    /// The version of the prompt.
    pub prompt_version: String,
    /// SHA-256 of the prompt, in hex.
    pub prompt_hash: String,
    /// The model that is asked for; empty for the heuristic.
    pub model: String,
}

/// Is my evaluator running?
#[derive(Debug, Serialize, ToSchema)]
pub struct EvaluationStatusResponse {
    /// Items that wait or are worked on, by kind.
    pub queue_depth: BTreeMap<&'static str, u64>,
    /// The earliest due time of what waits.
    pub oldest_due_at: Option<i64>,
    /// Items that are worked on now.
    pub running: u64,
    /// Items that wait after a failed attempt.
    pub retrying: u64,
    /// Items laid aside in the last 24 hours.
    pub failed_24h: u64,
    /// Whether the judge can be reached.
    pub judge_reachable: bool,
    /// Why it cannot.
    pub judge_trouble: Option<String>,
    /// Who judges now.
    pub epoch: JudgeEpochRecord,
}

impl From<&JudgingStatus> for EvaluationStatusResponse {
    fn from(status: &JudgingStatus) -> Self {
        let JudgingStatus { queue, judge } = status;
        Self {
            queue_depth: queue.depth.iter().map(|(kind, n)| (kind.as_str(), *n)).collect(),
            oldest_due_at: queue.oldest_due.map(kernel::Timestamp::seconds),
            running: queue.running,
            retrying: queue.retrying,
            failed_24h: queue.failed,
            judge_reachable: judge.trouble.is_none(),
            judge_trouble: judge.trouble.map(|trouble| trouble.to_string()),
            epoch: JudgeEpochRecord {
                kind: judge.epoch.kind.as_str(),
                prompt_version: judge.epoch.prompt_version.as_str().to_owned(),
                prompt_hash: judge.epoch.prompt_hash.clone(),
                model: judge.epoch.requested_model.clone(),
            },
        }
    }
}
