//! Interaction rows and their way to and from the domain.

use ::learning::{
    Citation, FreeText, Interaction, InteractionId, JsonText, LearningId, PublishedInteraction, Remark,
    Request, RetrievedLearning, Role, TimedInteraction, TokenCount, ToolUse,
};
use diesel::{Insertable, Queryable, Selectable};
use kernel::{RequestId, StoreError, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::columns::{corrupt, from_json, kind_of, kind_text, to_json};
use crate::schema::interactions;

#[derive(Queryable, Selectable)]
#[diesel(table_name = interactions)]
pub(super) struct InteractionRow {
    interaction_id: i64,
    user_id: String,
    pub(super) request_id: String,
    created_at: i64,
    role: String,
    content: String,
    shadow_content: String,
    expert_content: String,
    user_action: String,
    user_action_description: String,
    interacted_image_url: String,
    tools_used: String,
    citations: String,
    retrieved_learnings: String,
    output_tokens: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = interactions, treat_none_as_default_value = false)]
pub(super) struct NewInteraction<'a> {
    org_id: &'a str,
    user_id: &'a str,
    session_id: &'a str,
    request_id: &'a str,
    position: i32,
    created_at: i64,
    role: &'a str,
    is_user: bool,
    is_agent: bool,
    content: &'a str,
    shadow_content: &'a str,
    expert_content: &'a str,
    user_action: &'a str,
    user_action_description: &'a str,
    interacted_image_url: &'a str,
    tools_used: String,
    citations: String,
    retrieved_learnings: String,
    output_tokens: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct ToolColumn {
    tool_name: String,
    tool_data: Option<Box<RawValue>>,
    status: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct CitationColumn {
    kind: String,
    real_id: String,
    tag: String,
    title: String,
}

#[derive(Serialize, Deserialize)]
struct RetrievedColumn {
    kind: String,
    learning_id: String,
}

impl<'a> NewInteraction<'a> {
    pub(super) fn of(
        org_id: &'a str,
        request: &'a Request,
        position: usize,
        turn: &'a TimedInteraction,
    ) -> Result<Self, StoreError> {
        let body = &turn.body;
        Ok(Self {
            org_id,
            user_id: request.session.user.as_str(),
            session_id: request.session.session.as_str(),
            request_id: request.request_id.as_str(),
            position: i32::try_from(position)
                .map_err(|_| StoreError::Failed("too many interactions".to_owned()))?,
            created_at: turn.created_at.seconds(),
            role: body.role.as_str(),
            is_user: body.role.is_user(),
            is_agent: body.role.is_agent(),
            content: body.content.as_str(),
            shadow_content: body.shadow_content.as_str(),
            expert_content: body.expert_content.as_str(),
            user_action: body.user_action.as_str(),
            user_action_description: body.user_action_description.as_str(),
            interacted_image_url: body.interacted_image_url.as_str(),
            tools_used: tools_text(&body.tools_used)?,
            citations: citations_text(&body.citations)?,
            retrieved_learnings: retrieved_text(&body.retrieved_learnings)?,
            output_tokens: turn.output_tokens.map(|tokens| i64::from(tokens.0)),
        })
    }
}

fn tools_text(tools: &[ToolUse]) -> Result<String, StoreError> {
    let not_json = |_| StoreError::Failed("a tool's data is not JSON".to_owned());
    let columns: Result<Vec<_>, StoreError> = tools
        .iter()
        .map(|tool| {
            let data = tool.tool_data.as_ref().map(|data| RawValue::from_string(data.as_str().to_owned()));
            Ok(ToolColumn {
                tool_name: tool.tool_name.as_str().to_owned(),
                tool_data: data.transpose().map_err(not_json)?,
                status: tool.status.as_ref().map(|status| status.as_str().to_owned()),
            })
        })
        .collect();
    to_json(&columns?)
}

fn tools_of(text: &str) -> Result<Vec<ToolUse>, StoreError> {
    let column = "interactions.tools_used";
    let remark = |text: &str| Remark::new(text).map_err(|_| corrupt(column));
    from_json::<Vec<ToolColumn>>(text, column)?
        .into_iter()
        .map(|tool| {
            Ok(ToolUse {
                tool_name: remark(&tool.tool_name)?,
                tool_data: tool.tool_data.map(|data| JsonText::new(data.get())),
                status: tool.status.as_deref().map(remark).transpose()?,
            })
        })
        .collect()
}

fn citations_text(citations: &[Citation]) -> Result<String, StoreError> {
    let columns: Vec<_> = citations
        .iter()
        .map(|cited| CitationColumn {
            kind: kind_text(cited.kind).to_owned(),
            real_id: cited.real_id.as_str().to_owned(),
            tag: cited.tag.as_str().to_owned(),
            title: cited.title.as_str().to_owned(),
        })
        .collect();
    to_json(&columns)
}

fn citations_of(text: &str) -> Result<Vec<Citation>, StoreError> {
    let column = "interactions.citations";
    from_json::<Vec<CitationColumn>>(text, column)?
        .into_iter()
        .map(|cited| {
            Ok(Citation {
                kind: kind_of(&cited.kind, column)?,
                real_id: LearningId::new(&cited.real_id).map_err(|_| corrupt(column))?,
                tag: Remark::new(&cited.tag).map_err(|_| corrupt(column))?,
                title: FreeText::new(cited.title).map_err(|_| corrupt(column))?,
            })
        })
        .collect()
}

fn retrieved_text(retrieved: &[RetrievedLearning]) -> Result<String, StoreError> {
    let columns: Vec<_> = retrieved
        .iter()
        .map(|learning| RetrievedColumn {
            kind: kind_text(learning.kind).to_owned(),
            learning_id: learning.learning_id.as_str().to_owned(),
        })
        .collect();
    to_json(&columns)
}

fn retrieved_of(text: &str) -> Result<Vec<RetrievedLearning>, StoreError> {
    let column = "interactions.retrieved_learnings";
    from_json::<Vec<RetrievedColumn>>(text, column)?
        .into_iter()
        .map(|learning| {
            Ok(RetrievedLearning {
                kind: kind_of(&learning.kind, column)?,
                learning_id: LearningId::new(&learning.learning_id).map_err(|_| corrupt(column))?,
            })
        })
        .collect()
}

impl InteractionRow {
    fn body(&mut self) -> Result<Interaction, StoreError> {
        let free = |text: &mut String, column: &str| {
            FreeText::new(std::mem::take(text)).map_err(|_| corrupt(&format!("interactions.{column}")))
        };
        Ok(Interaction {
            role: Role::new(&self.role).map_err(|_| corrupt("interactions.role"))?,
            content: free(&mut self.content, "content")?,
            shadow_content: free(&mut self.shadow_content, "shadow_content")?,
            expert_content: free(&mut self.expert_content, "expert_content")?,
            user_action: Remark::new(&self.user_action).map_err(|_| corrupt("interactions.user_action"))?,
            user_action_description: free(&mut self.user_action_description, "user_action_description")?,
            interacted_image_url: free(&mut self.interacted_image_url, "interacted_image_url")?,
            tools_used: tools_of(&self.tools_used)?,
            citations: citations_of(&self.citations)?,
            retrieved_learnings: retrieved_of(&self.retrieved_learnings)?,
        })
    }
}

/// Reads the number of an interaction.
pub(super) fn interaction_id_of(number: i64) -> Result<InteractionId, StoreError> {
    InteractionId::new(number).map_err(|_| corrupt("interactions.interaction_id"))
}

impl TryFrom<InteractionRow> for PublishedInteraction {
    type Error = StoreError;

    fn try_from(mut row: InteractionRow) -> Result<Self, StoreError> {
        let tokens = row.output_tokens.map(u32::try_from).transpose();
        Ok(Self {
            body: row.body()?,
            interaction_id: interaction_id_of(row.interaction_id)?,
            user: UserId::new(&row.user_id).map_err(|_| corrupt("interactions.user_id"))?,
            request_id: RequestId::new(&row.request_id).map_err(|_| corrupt("interactions.request_id"))?,
            created_at: Timestamp::from_seconds(row.created_at),
            output_tokens: tokens.map_err(|_| corrupt("interactions.output_tokens"))?.map(TokenCount),
        })
    }
}
