//! The answers of a judge as JSON: what is asked for, and what is accepted.

use evaluation::judging::{
    ImpactVerdict, JudgeFailure, LearningChunk, RelevanceVerdict, SessionGrade, ShadowGrade, VerdictRef,
};
use evaluation::text::LONGEST_REASON;
use evaluation::{
    BetterRequest, Diagnosis, DiagnosisCategory, FailureType, Impact, InteractionId, LearningKind, Reason,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct SessionAnswer {
    is_success: bool,
    failure_type: Option<String>,
    failure_reason: Option<String>,
    #[serde(default)]
    is_escalated: bool,
    #[serde(default)]
    number_of_correction_per_session: u32,
}

#[derive(Deserialize)]
struct Verdicts<T> {
    verdicts: Vec<T>,
}

#[derive(Deserialize)]
struct RelevanceAnswer {
    r#ref: String,
    is_relevant: bool,
    reason: Option<String>,
}

#[derive(Deserialize)]
struct ImpactAnswer {
    r#ref: String,
    impact: String,
    reason: Option<String>,
    diagnosis: Option<DiagnosisAnswer>,
}

/// A judge that says more than it was asked has not understood what a diagnosis is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiagnosisAnswer {
    category: String,
    reason: String,
    #[serde(default)]
    evidence_interaction_ids: Vec<i64>,
}

#[derive(Deserialize)]
struct ShadowAnswer {
    better_request: String,
    is_significantly_better: bool,
    comparison_reason: Option<String>,
}

fn object(properties: &Value) -> Value {
    let names: Vec<_> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn words(all: impl Iterator<Item = &'static str>) -> Value {
    Value::from(all.collect::<Vec<_>>())
}

fn verdicts_of(properties: &Value) -> Value {
    object(&json!({"verdicts": {"type": "array", "items": object(properties)}}))
}

/// The schema of a session's grade.
pub(crate) fn session() -> Value {
    let mut types = words(FailureType::ALL.iter().map(|word| word.as_str()));
    if let Some(types) = types.as_array_mut() {
        types.push(Value::Null);
    }
    object(&json!({
        "is_success": {"type": "boolean"},
        "failure_type": {"type": ["string", "null"], "enum": types},
        "failure_reason": {"type": "string"},
        "is_escalated": {"type": "boolean"},
        "number_of_correction_per_session": {"type": "integer"},
    }))
}

/// The schema of verdicts on relevance.
pub(crate) fn relevance() -> Value {
    verdicts_of(&json!({
        "ref": {"type": "string"},
        "is_relevant": {"type": "boolean"},
        "reason": {"type": "string"},
    }))
}

/// The schema of verdicts on impact.
pub(crate) fn impact() -> Value {
    let diagnosis = object(&json!({
        "category": {"type": "string", "enum": words(DiagnosisCategory::ALL.iter().map(|word| word.as_str()))},
        "reason": {"type": "string"},
        "evidence_interaction_ids": {"type": "array", "items": {"type": "integer"}},
    }));
    verdicts_of(&json!({
        "ref": {"type": "string"},
        "impact": {"type": "string", "enum": words(Impact::ALL.iter().map(|word| word.as_str()))},
        "reason": {"type": "string"},
        "diagnosis": {"anyOf": [diagnosis, {"type": "null"}]},
    }))
}

/// The schema of a comparison.
pub(crate) fn shadow() -> Value {
    object(&json!({
        "better_request": {"type": "string", "enum": words(BetterRequest::ALL.iter().map(|word| word.as_str()))},
        "is_significantly_better": {"type": "boolean"},
        "comparison_reason": {"type": "string"},
    }))
}

/// Reads a session's grade.
pub(crate) fn read_session(text: &str) -> Result<SessionGrade, JudgeFailure> {
    let answer: SessionAnswer = read(text)?;
    let failure_type = answer
        .failure_type
        .filter(|word| !answer.is_success && !word.is_empty())
        .map(|word| FailureType::parse(&word).ok_or(UNKNOWN_WORD))
        .transpose()?;
    Ok(SessionGrade {
        is_success: answer.is_success,
        failure_type,
        failure_reason: reason(answer.failure_reason),
        is_escalated: answer.is_escalated,
        corrections: answer.number_of_correction_per_session,
    })
}

/// Reads verdicts on relevance; they must speak of exactly what was asked.
pub(crate) fn read_relevance(
    text: &str,
    chunk: &LearningChunk,
) -> Result<Vec<RelevanceVerdict>, JudgeFailure> {
    let answers: Verdicts<RelevanceAnswer> = read(text)?;
    let verdict = |answer: RelevanceAnswer| {
        Ok(RelevanceVerdict {
            reference: reference(&answer.r#ref)?,
            is_relevant: answer.is_relevant,
            reason: reason(answer.reason),
        })
    };
    let verdicts: Vec<_> = answers.verdicts.into_iter().map(verdict).collect::<Result<_, _>>()?;
    chunk.check(verdicts.iter().map(|verdict| &verdict.reference))?;
    Ok(verdicts)
}

/// Reads verdicts on impact; they must speak of exactly what was asked.
pub(crate) fn read_impact(text: &str, chunk: &LearningChunk) -> Result<Vec<ImpactVerdict>, JudgeFailure> {
    let answers: Verdicts<ImpactAnswer> = read(text)?;
    let verdict = |answer: ImpactAnswer| {
        let reference = reference(&answer.r#ref)?;
        // A profile is not diagnosed, so what was said there need not make sense.
        let diagnosis = answer.diagnosis.filter(|_| reference.kind != LearningKind::Profile);
        Ok(ImpactVerdict {
            reference,
            impact: Impact::parse(&answer.impact).ok_or(UNKNOWN_WORD)?,
            reason: reason(answer.reason),
            diagnosis: diagnosis.map(read_diagnosis).transpose()?,
        })
    };
    let verdicts: Vec<_> = answers.verdicts.into_iter().map(verdict).collect::<Result<_, _>>()?;
    chunk.check(verdicts.iter().map(|verdict| &verdict.reference))?;
    Ok(verdicts)
}

/// Reads a comparison.
pub(crate) fn read_shadow(text: &str) -> Result<ShadowGrade, JudgeFailure> {
    let answer: ShadowAnswer = read(text)?;
    let better_request = BetterRequest::parse(&answer.better_request).ok_or(UNKNOWN_WORD)?;
    Ok(ShadowGrade {
        better_request,
        is_significantly_better: answer.is_significantly_better && better_request != BetterRequest::Tie,
        reason: reason(answer.comparison_reason),
    })
}

const UNKNOWN_WORD: JudgeFailure = JudgeFailure::Malformed("it holds a word that is not among the choices");

fn read_diagnosis(answer: DiagnosisAnswer) -> Result<Diagnosis, JudgeFailure> {
    let category = DiagnosisCategory::parse(&answer.category).ok_or(UNKNOWN_WORD)?;
    let evidence = answer.evidence_interaction_ids.into_iter().map(InteractionId).collect();
    Diagnosis::new(category, answer.reason.trim(), evidence)
        .map_err(|_| JudgeFailure::Malformed("its diagnosis is out of bounds"))
}

fn reference(text: &str) -> Result<VerdictRef, JudgeFailure> {
    VerdictRef::parse(text).ok_or(JudgeFailure::Malformed("it holds something that is no reference"))
}

/// An explanation within our limits: a judge that talks too much is cut short, not refused.
fn reason(text: Option<String>) -> Reason {
    let text: String =
        text.unwrap_or_default().chars().filter(|letter| *letter != '\0').take(LONGEST_REASON).collect();
    Reason::new(&text).unwrap_or_default()
}

/// Reads the JSON object in an answer. A model without structured output may wrap it in words or a code block.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, JudgeFailure> {
    let text = text.trim();
    if text.is_empty() {
        return Err(JudgeFailure::Malformed("it is empty"));
    }
    let object = match (text.find('{'), text.rfind('}')) {
        (Some(start), Some(end)) if start < end => text.get(start..=end).unwrap_or_default(),
        _ => return Err(JudgeFailure::Malformed("it is not JSON")),
    };
    let value: Value = serde_json::from_str(object).map_err(|_| JudgeFailure::Malformed("it is not JSON"))?;
    serde_json::from_value(value).map_err(|_| JudgeFailure::Malformed("it does not fit the schema"))
}

#[cfg(test)]
mod tests;
