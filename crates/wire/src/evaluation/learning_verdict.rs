//! Verdicts on retrieved learnings.

use evaluation::{Cursor, Diagnosis, Impact, LearningVerdict, LearningVerdictFilter, Page, PageLimit};
use kernel::{SessionId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::EvaluationPageFields;
use crate::{Fields, Invalid};

/// A request for verdicts, newest first.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetRetrievedLearningEvaluationResultsRequest {
    /// Only of this user.
    pub user_id: Option<String>,
    /// Only of sessions of this id.
    pub session_id: Option<String>,
    /// Which part of the list; times are those of the judged turns.
    #[serde(flatten)]
    pub page: EvaluationPageFields,
}

impl GetRetrievedLearningEvaluationResultsRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(LearningVerdictFilter, Option<Cursor>, PageLimit), Invalid> {
        let mut fields = Fields::of_body();
        let user_id = fields.name("user_id", self.user_id, UserId::new);
        let session_id = fields.name("session_id", self.session_id, SessionId::new);
        let period = self.page.period(&mut fields);
        let place = self.page.place(&mut fields);
        let read = || {
            let filter =
                LearningVerdictFilter { user_id: user_id?, session_id: session_id?, period: period? };
            let (after, limit) = place?;
            Some((filter, after, limit))
        };
        let read = read();
        fields.finish(read)
    }
}

/// Why a playbook did not help.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlaybookDiagnosis)]
pub struct DiagnosisRecord {
    /// The kind of problem.
    pub category: String,
    /// The problem in the judge's words.
    pub reason: String,
    /// The turns that show it.
    pub evidence_interaction_ids: Vec<i64>,
}

impl From<&Diagnosis> for DiagnosisRecord {
    fn from(diagnosis: &Diagnosis) -> Self {
        Self {
            category: diagnosis.category().as_str().to_owned(),
            reason: diagnosis.reason().to_owned(),
            evidence_interaction_ids: diagnosis.evidence().iter().map(|id| id.0).collect(),
        }
    }
}

/// The verdict on one learning for one answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RetrievedLearningEvaluationResult)]
pub struct LearningVerdictRecord {
    /// Its number.
    pub result_id: i64,
    /// Whose session it is.
    pub user_id: String,
    /// The session.
    pub session_id: String,
    /// The version of the agent that answered.
    pub agent_version: String,
    /// The answer.
    pub interaction_id: Option<i64>,
    /// When the answer was given.
    pub interaction_created_at: Option<i64>,
    /// The kind of learning.
    pub kind: String,
    /// The learning.
    pub learning_id: String,
    /// Whether it concerned the question.
    pub is_relevant: Option<bool>,
    /// Why, in the judge's words.
    pub relevance_reason: String,
    /// What it did to the answer.
    pub impact: Option<String>,
    /// Why, in the judge's words.
    pub impact_reason: String,
    /// Why a playbook did not help.
    pub diagnosis: Option<DiagnosisRecord>,
    /// The playbook as it was when it was judged.
    pub evaluated_playbook_digest: Option<String>,
    /// Whether nothing the judge was shown had to be cut.
    pub diagnosis_evidence_complete: bool,
    /// When it was judged.
    pub created_at: i64,
}

impl From<&LearningVerdict> for LearningVerdictRecord {
    fn from(row: &LearningVerdict) -> Self {
        let verdict = &row.verdict;
        Self {
            result_id: row.result_id,
            user_id: row.session.user_id.as_str().to_owned(),
            session_id: row.session.session_id.as_str().to_owned(),
            agent_version: verdict.agent_version.as_str().to_owned(),
            interaction_id: verdict.interaction_id.map(|id| id.0),
            interaction_created_at: verdict.interaction_created_at.map(Timestamp::seconds),
            kind: verdict.kind.as_str().to_owned(),
            learning_id: verdict.learning_id.clone(),
            is_relevant: verdict.is_relevant,
            relevance_reason: verdict.relevance_reason.as_str().to_owned(),
            impact: verdict.impact.map(Impact::as_str).map(str::to_owned),
            impact_reason: verdict.impact_reason.as_str().to_owned(),
            diagnosis: verdict.diagnosis.as_ref().map(Into::into),
            evaluated_playbook_digest: verdict.evaluated_playbook_digest.clone(),
            diagnosis_evidence_complete: verdict.diagnosis_evidence_complete,
            created_at: verdict.created_at.seconds(),
        }
    }
}

/// Verdicts, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetRetrievedLearningEvaluationResultsResponse {
    /// Always true.
    pub success: bool,
    /// The verdicts.
    pub results: Vec<LearningVerdictRecord>,
    /// What was found, for people.
    pub msg: String,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl From<Page<LearningVerdict>> for GetRetrievedLearningEvaluationResultsResponse {
    fn from(page: Page<LearningVerdict>) -> Self {
        Self {
            success: true,
            msg: format!("Found {} verdict(s)", page.items.len()),
            results: page.items.iter().map(Into::into).collect(),
            next_cursor: page.next.map(Cursor::encode),
        }
    }
}
