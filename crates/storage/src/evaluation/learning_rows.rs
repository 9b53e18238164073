//! Rows of verdicts on retrieved learnings, and their way to and from the domain.
#![expect(clippy::ref_option_ref, reason = "diesel derives take columns by reference")]

use ::evaluation::{
    Diagnosis, DiagnosisCategory, Impact, InteractionId, LearningKind, LearningVerdict, NewLearningVerdict,
    Reason, SessionKey,
};
use diesel::{Insertable, Queryable, Selectable};
use kernel::{AgentVersion, StoreError, Timestamp};
use serde::{Deserialize, Serialize};

use super::rows::{corrupt, session_of};
use crate::schema::retrieved_learning_results;

/// A diagnosis as its column holds it.
#[derive(Serialize, Deserialize)]
struct DiagnosisColumn {
    category: String,
    reason: String,
    evidence_interaction_ids: Vec<i64>,
}

fn diagnosis_text(diagnosis: &Diagnosis) -> Result<String, StoreError> {
    let column = DiagnosisColumn {
        category: diagnosis.category().as_str().to_owned(),
        reason: diagnosis.reason().to_owned(),
        evidence_interaction_ids: diagnosis.evidence().iter().map(|turn| turn.0).collect(),
    };
    serde_json::to_string(&column).map_err(|_| StoreError::Failed("a diagnosis is no JSON".to_owned()))
}

fn diagnosis_of(text: &str) -> Option<Diagnosis> {
    let column: DiagnosisColumn = serde_json::from_str(text).ok()?;
    let evidence = column.evidence_interaction_ids.into_iter().map(InteractionId).collect();
    Diagnosis::new(DiagnosisCategory::parse(&column.category)?, &column.reason, evidence).ok()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = retrieved_learning_results)]
pub(super) struct LearningRow {
    result_id: i64,
    user_id: String,
    session_id: String,
    agent_version: String,
    interaction_id: Option<i64>,
    interaction_created_at: Option<i64>,
    kind: String,
    learning_id: String,
    is_relevant: Option<bool>,
    relevance_reason: String,
    impact: Option<String>,
    impact_reason: String,
    diagnosis: Option<String>,
    evaluated_playbook_digest: Option<String>,
    diagnosis_evidence_complete: bool,
    created_at: i64,
}

impl TryFrom<LearningRow> for LearningVerdict {
    type Error = StoreError;

    fn try_from(row: LearningRow) -> Result<Self, StoreError> {
        let wrong = |column: &str| corrupt(&format!("retrieved_learning_results.{column}"));
        let impact = row.impact.as_deref().map(|text| Impact::parse(text).ok_or_else(|| wrong("impact")));
        let diagnosis =
            row.diagnosis.as_deref().map(|text| diagnosis_of(text).ok_or_else(|| wrong("diagnosis")));
        let verdict = NewLearningVerdict {
            agent_version: AgentVersion::new(&row.agent_version).map_err(|_| wrong("agent_version"))?,
            interaction_id: row.interaction_id.map(InteractionId),
            interaction_created_at: row.interaction_created_at.map(Timestamp::from_seconds),
            kind: LearningKind::parse(&row.kind).ok_or_else(|| wrong("kind"))?,
            learning_id: row.learning_id,
            is_relevant: row.is_relevant,
            relevance_reason: Reason::new(&row.relevance_reason).map_err(|_| wrong("relevance_reason"))?,
            impact: impact.transpose()?,
            impact_reason: Reason::new(&row.impact_reason).map_err(|_| wrong("impact_reason"))?,
            diagnosis: diagnosis.transpose()?,
            evaluated_playbook_digest: row.evaluated_playbook_digest,
            diagnosis_evidence_complete: row.diagnosis_evidence_complete,
            created_at: Timestamp::from_seconds(row.created_at),
        };
        let session = session_of(&row.user_id, &row.session_id, "retrieved_learning_results")?;
        Ok(Self { result_id: row.result_id, session, verdict })
    }
}

#[derive(Insertable)]
#[diesel(table_name = retrieved_learning_results, treat_none_as_default_value = false)]
pub(super) struct NewLearning<'a> {
    org_id: &'a str,
    user_id: &'a str,
    session_id: &'a str,
    agent_version: &'a str,
    interaction_id: Option<i64>,
    interaction_created_at: Option<i64>,
    kind: &'static str,
    learning_id: &'a str,
    is_relevant: Option<bool>,
    relevance_reason: &'a str,
    impact: Option<&'static str>,
    impact_reason: &'a str,
    diagnosis: Option<String>,
    evaluated_playbook_digest: Option<&'a str>,
    diagnosis_evidence_complete: bool,
    created_at: i64,
}

/// A verdict that takes the number of the one it replaces.
#[derive(Insertable)]
#[diesel(table_name = retrieved_learning_results)]
pub(super) struct NumberedLearning<'a> {
    pub(super) result_id: i64,
    #[diesel(embed)]
    pub(super) verdict: NewLearning<'a>,
}

impl<'a> NewLearning<'a> {
    pub(super) fn of(
        org_id: &'a str,
        session: &'a SessionKey,
        verdict: &'a NewLearningVerdict,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            org_id,
            user_id: session.user_id.as_str(),
            session_id: session.session_id.as_str(),
            agent_version: verdict.agent_version.as_str(),
            interaction_id: verdict.interaction_id.map(|turn| turn.0),
            interaction_created_at: verdict.interaction_created_at.map(Timestamp::seconds),
            kind: verdict.kind.as_str(),
            learning_id: &verdict.learning_id,
            is_relevant: verdict.is_relevant,
            relevance_reason: verdict.relevance_reason.as_str(),
            impact: verdict.impact.map(Impact::as_str),
            impact_reason: verdict.impact_reason.as_str(),
            diagnosis: verdict.diagnosis.as_ref().map(diagnosis_text).transpose()?,
            evaluated_playbook_digest: verdict.evaluated_playbook_digest.as_deref(),
            diagnosis_evidence_complete: verdict.diagnosis_evidence_complete,
            created_at: verdict.created_at.seconds(),
        })
    }
}
