//! Rows of shadow verdicts, and their way to and from the domain.

use ::evaluation::{
    BetterRequest, InteractionId, NewShadowVerdict, PromptVersion, Reason, ServicePosition, ShadowVerdict,
};
use diesel::{AsChangeset, Insertable, Queryable, Selectable};
use kernel::{AgentVersion, StoreError, Timestamp};

use super::rows::{corrupt, session_of};
use crate::schema::shadow_verdicts;

#[derive(Queryable, Selectable)]
#[diesel(table_name = shadow_verdicts)]
pub(super) struct ShadowRow {
    verdict_id: i64,
    interaction_id: i64,
    judge_prompt_version: String,
    user_id: String,
    session_id: String,
    agent_version: String,
    service_is_request_1: bool,
    better_request: String,
    is_significantly_better: bool,
    comparison_reason: String,
    created_at: i64,
}

/// Which response a row prefers.
pub(super) fn better_request_of(text: &str) -> Result<BetterRequest, StoreError> {
    BetterRequest::parse(text).ok_or_else(|| corrupt("shadow_verdicts.better_request"))
}

impl TryFrom<ShadowRow> for ShadowVerdict {
    type Error = StoreError;

    fn try_from(row: ShadowRow) -> Result<Self, StoreError> {
        let wrong = |column: &str| corrupt(&format!("shadow_verdicts.{column}"));
        let verdict = NewShadowVerdict {
            interaction_id: InteractionId(row.interaction_id),
            session: session_of(&row.user_id, &row.session_id, "shadow_verdicts")?,
            agent_version: AgentVersion::new(&row.agent_version).map_err(|_| wrong("agent_version"))?,
            service: ServicePosition::from(row.service_is_request_1),
            better_request: better_request_of(&row.better_request)?,
            is_significantly_better: row.is_significantly_better,
            comparison_reason: Reason::new(&row.comparison_reason).map_err(|_| wrong("comparison_reason"))?,
            judge_prompt_version: PromptVersion::new(&row.judge_prompt_version)
                .map_err(|_| wrong("judge_prompt_version"))?,
            created_at: Timestamp::from_seconds(row.created_at),
        };
        Ok(Self { verdict_id: row.verdict_id, verdict })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = shadow_verdicts)]
pub(super) struct NewShadow<'a> {
    org_id: &'a str,
    interaction_id: i64,
    judge_prompt_version: &'a str,
    user_id: &'a str,
    session_id: &'a str,
    agent_version: &'a str,
    source: &'a str,
    service_is_request_1: bool,
    better_request: &'static str,
    is_significantly_better: bool,
    comparison_reason: &'a str,
    created_at: i64,
}

impl<'a> NewShadow<'a> {
    pub(super) fn of(org_id: &'a str, verdict: &'a NewShadowVerdict, source: &'a str) -> Self {
        Self {
            org_id,
            interaction_id: verdict.interaction_id.0,
            judge_prompt_version: verdict.judge_prompt_version.as_str(),
            user_id: verdict.session.user_id.as_str(),
            session_id: verdict.session.session_id.as_str(),
            agent_version: verdict.agent_version.as_str(),
            source,
            service_is_request_1: verdict.service.is_request_1(),
            better_request: verdict.better_request.as_str(),
            is_significantly_better: verdict.is_significantly_better,
            comparison_reason: verdict.comparison_reason.as_str(),
            created_at: verdict.created_at.seconds(),
        }
    }
}
