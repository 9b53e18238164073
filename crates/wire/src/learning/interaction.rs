//! Turns of a conversation.

use learning::{
    Citation, EventTime, Interaction, LearningId, NewInteraction, PublishedInteraction, Remark,
    RetrievedLearning, Role, ToolUse,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{KindName, free_text, has_nul, json_text, json_value};
use crate::Fields;

/// What clients write for "no action".
const NO_ACTION: &str = "none";

/// A turn as an agent publishes it.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct InteractionData {
    /// Who speaks; `User` unless said.
    pub role: Option<String>,
    /// What was said.
    pub content: Option<String>,
    /// What a shadow agent would have said.
    pub shadow_content: Option<String>,
    /// What an expert would have said.
    pub expert_content: Option<String>,
    /// When, in epoch seconds; now unless said.
    pub created_at: Option<i64>,
    /// What the user did besides speaking.
    pub user_action: Option<String>,
    /// The same in words.
    pub user_action_description: Option<String>,
    /// The address of an image that the user acted on.
    pub interacted_image_url: Option<String>,
    /// The tools the agent used.
    pub tools_used: Option<Vec<ToolUseData>>,
    /// The learnings the answer cites.
    pub citations: Option<Vec<CitationData>>,
    /// The learnings that were retrieved for the answer.
    pub retrieved_learnings: Option<Vec<RetrievedLearningData>>,
}

/// A tool call.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolUseData {
    /// The tool.
    pub tool_name: String,
    /// What it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_data: Option<Value>,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A cited learning.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CitationData {
    /// Its kind.
    pub kind: KindName,
    /// Its id.
    pub real_id: String,
    /// The mark that stands for it in the text.
    #[serde(default)]
    pub tag: Option<String>,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
}

/// A retrieved learning.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RetrievedLearningData {
    /// Its kind.
    pub kind: KindName,
    /// Its id.
    pub learning_id: String,
}

impl InteractionData {
    /// The valid turn.
    pub fn read(self, fields: &mut Fields) -> Option<NewInteraction> {
        let role = fields.required("role", self.role.as_deref().unwrap_or("User"), Role::new);
        let content = free_text(fields, "content", self.content);
        let shadow_content = free_text(fields, "shadow_content", self.shadow_content);
        let expert_content = free_text(fields, "expert_content", self.expert_content);
        let described = free_text(fields, "user_action_description", self.user_action_description);
        let image = free_text(fields, "interacted_image_url", self.interacted_image_url);
        let user_action =
            fields.required("user_action", self.user_action.unwrap_or_default(), |text| Remark::new(&text));
        let created_at = fields.optional("created_at", self.created_at, EventTime::new);
        let tools_used = fields.each("tools_used", self.tools_used.unwrap_or_default(), read_tool);
        let citations = fields.each("citations", self.citations.unwrap_or_default(), read_citation);
        let retrieved = self.retrieved_learnings.unwrap_or_default();
        let retrieved = fields
            .each("retrieved_learnings", retrieved, |fields, learning| read_retrieved(fields, &learning));
        let body = Interaction {
            role: role?,
            content: content?,
            shadow_content: shadow_content?,
            expert_content: expert_content?,
            user_action: user_action?,
            user_action_description: described?,
            interacted_image_url: image?,
            tools_used: tools_used?,
            citations: citations?,
            retrieved_learnings: retrieved?,
        };
        Some(NewInteraction { created_at: created_at?, body })
    }
}

fn read_tool(fields: &mut Fields, tool: ToolUseData) -> Option<ToolUse> {
    let tool_name = fields.required("tool_name", tool.tool_name.as_str(), Remark::new);
    let status = fields.optional("status", tool.status.as_deref(), Remark::new);
    let tool_data = fields.optional("tool_data", tool.tool_data, |data| {
        if has_nul(&data) { Err("must not contain NUL") } else { Ok(json_text(data)) }
    });
    Some(ToolUse { tool_name: tool_name?, tool_data: tool_data?, status: status? })
}

fn read_citation(fields: &mut Fields, citation: CitationData) -> Option<Citation> {
    let real_id = fields.required("real_id", citation.real_id.as_str(), LearningId::new);
    let tag = fields.required("tag", citation.tag.as_deref().unwrap_or_default(), Remark::new);
    let title = free_text(fields, "title", citation.title);
    Some(Citation { kind: citation.kind.into(), real_id: real_id?, tag: tag?, title: title? })
}

fn read_retrieved(fields: &mut Fields, learning: &RetrievedLearningData) -> Option<RetrievedLearning> {
    let learning_id = fields.required("learning_id", learning.learning_id.as_str(), LearningId::new);
    Some(RetrievedLearning { kind: learning.kind.into(), learning_id: learning_id? })
}

/// A turn as it was kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct InteractionRecord {
    /// Its id.
    pub interaction_id: i64,
    /// Whose conversation it is.
    pub user_id: String,
    /// The request it came with.
    pub request_id: String,
    /// When it happened, in epoch seconds.
    pub created_at: i64,
    /// Who spoke.
    pub role: String,
    /// What was said.
    pub content: String,
    /// What the user did besides speaking.
    pub user_action: String,
    /// The same in words.
    pub user_action_description: String,
    /// The address of an image that the user acted on.
    pub interacted_image_url: String,
    /// What a shadow agent would have said.
    pub shadow_content: String,
    /// What an expert would have said.
    pub expert_content: String,
    /// The tools the agent used.
    pub tools_used: Vec<ToolUseData>,
    /// The learnings the answer cites.
    pub citations: Vec<CitationData>,
    /// The learnings that were retrieved for the answer.
    pub retrieved_learnings: Vec<RetrievedLearningData>,
    /// The tokens of an answer; left out for a user's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u32>,
}

impl From<&PublishedInteraction> for InteractionRecord {
    fn from(kept: &PublishedInteraction) -> Self {
        let body = &kept.body;
        let action = body.user_action.as_str();
        Self {
            interaction_id: kept.interaction_id.number(),
            user_id: kept.user.as_str().to_owned(),
            request_id: kept.request_id.as_str().to_owned(),
            created_at: kept.created_at.seconds(),
            role: body.role.as_str().to_owned(),
            content: body.content.as_str().to_owned(),
            user_action: if action.is_empty() { NO_ACTION.to_owned() } else { action.to_owned() },
            user_action_description: body.user_action_description.as_str().to_owned(),
            interacted_image_url: body.interacted_image_url.as_str().to_owned(),
            shadow_content: body.shadow_content.as_str().to_owned(),
            expert_content: body.expert_content.as_str().to_owned(),
            tools_used: body.tools_used.iter().map(Into::into).collect(),
            citations: body.citations.iter().map(Into::into).collect(),
            retrieved_learnings: body.retrieved_learnings.iter().map(Into::into).collect(),
            output_tokens: kept.output_tokens.map(|count| count.0),
        }
    }
}

impl From<&ToolUse> for ToolUseData {
    fn from(tool: &ToolUse) -> Self {
        Self {
            tool_name: tool.tool_name.as_str().to_owned(),
            tool_data: tool.tool_data.as_ref().map(json_value),
            status: tool.status.as_ref().map(|status| status.as_str().to_owned()),
        }
    }
}

impl From<&Citation> for CitationData {
    fn from(citation: &Citation) -> Self {
        Self {
            kind: citation.kind.into(),
            real_id: citation.real_id.as_str().to_owned(),
            tag: Some(citation.tag.as_str().to_owned()),
            title: Some(citation.title.as_str().to_owned()),
        }
    }
}

impl From<&RetrievedLearning> for RetrievedLearningData {
    fn from(learning: &RetrievedLearning) -> Self {
        Self { kind: learning.kind.into(), learning_id: learning.learning_id.as_str().to_owned() }
    }
}
