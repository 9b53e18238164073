//! Shadow comparisons.

use evaluation::{RecentLimit, ShadowFilter, ShadowVerdict};
use kernel::{SessionId, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time::rfc3339;
use crate::{Fields, Invalid};

/// Which recent verdicts, and how many.
#[derive(Debug, Deserialize, IntoParams)]
pub struct RecentShadowQuery {
    /// 10 unless said; brought into 1 to 100.
    #[param(value_type = Option<i64>)]
    pub limit: Option<String>,
    /// Only those on turns of this user.
    pub user_id: Option<String>,
    /// Only those on turns of sessions of this id.
    pub session_id: Option<String>,
}

impl RecentShadowQuery {
    /// The valid request.
    pub fn parse(self) -> Result<(ShadowFilter, RecentLimit), Invalid> {
        let mut fields = Fields::of_query();
        let user_id = fields.name("user_id", self.user_id, UserId::new);
        let session_id = fields.name("session_id", self.session_id, SessionId::new);
        let limit = fields.optional("limit", self.limit, |text| whole_number(&text));
        let limit = limit.map(|limit| limit.map_or_else(RecentLimit::default, RecentLimit::clamped));
        let filter =
            user_id.zip(session_id).map(|(user_id, session_id)| ShadowFilter { user_id, session_id });
        fields.finish(filter.zip(limit))
    }
}

/// A whole number, brought within reach if it lies beyond all that we count with.
fn whole_number(text: &str) -> Result<i64, &'static str> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("must be a whole number");
    }
    Ok(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

/// What the judge said of one comparison.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShadowComparisonOutput {
    /// `1`, `2` or `tie`.
    pub better_request: String,
    /// Whether the difference matters.
    pub is_significantly_better: bool,
    /// Why, in the judge's words.
    pub comparison_reason: String,
}

/// The verdict on one answer and its shadow.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ShadowComparisonVerdict)]
pub struct ShadowVerdictRecord {
    /// Its number.
    pub verdict_id: i64,
    /// The answer.
    pub interaction_id: String,
    /// Whose session it is.
    pub user_id: String,
    /// The session.
    pub session_id: String,
    /// The version of the agent that answered.
    pub agent_version: String,
    /// Whether the service's answer was shown first.
    pub service_is_request_1: bool,
    /// What the judge said.
    pub output: ShadowComparisonOutput,
    /// The rubric epoch.
    pub judge_prompt_version: String,
    /// When it was judged, RFC 3339.
    pub created_at: String,
}

impl From<&ShadowVerdict> for ShadowVerdictRecord {
    fn from(row: &ShadowVerdict) -> Self {
        let verdict = &row.verdict;
        Self {
            verdict_id: row.verdict_id,
            interaction_id: verdict.interaction_id.0.to_string(),
            user_id: verdict.session.user_id.as_str().to_owned(),
            session_id: verdict.session.session_id.as_str().to_owned(),
            agent_version: verdict.agent_version.as_str().to_owned(),
            service_is_request_1: verdict.service.is_request_1(),
            output: ShadowComparisonOutput {
                better_request: verdict.better_request.as_str().to_owned(),
                is_significantly_better: verdict.is_significantly_better,
                comparison_reason: verdict.comparison_reason.as_str().to_owned(),
            },
            judge_prompt_version: verdict.judge_prompt_version.as_str().to_owned(),
            created_at: rfc3339(verdict.created_at),
        }
    }
}

/// Recent verdicts of the pinned rubric epoch, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentShadowResponse {
    /// The verdicts.
    pub verdicts: Vec<ShadowVerdictRecord>,
}
