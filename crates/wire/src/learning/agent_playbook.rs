//! Playbooks of the organization.

use kernel::AgentVersion;
use learning::{
    AgentPlaybook, AgentPlaybookChanges, AgentPlaybookFilter, AgentPlaybookId, EventTime, FreeText,
    NewAgentPlaybook, Page, PageRequest, PlaybookName, PlaybookStatus, SourceWindow, Status, Tag,
    UserPlaybookId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::page::PageFields;
use super::playbook::{PlaybookTextData, interaction_ids};
use super::{StatusName, free_text, json_value, status_filter, tags, told_status};
use crate::{Fields, Invalid};

/// Whether a person has approved of a playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaybookStatusName {
    /// Nobody has decided.
    Pending,
    /// It may be used.
    Approved,
    /// It is never found.
    Rejected,
}

impl From<PlaybookStatusName> for PlaybookStatus {
    fn from(name: PlaybookStatusName) -> Self {
        match name {
            PlaybookStatusName::Pending => Self::Pending,
            PlaybookStatusName::Approved => Self::Approved,
            PlaybookStatusName::Rejected => Self::Rejected,
        }
    }
}

impl From<PlaybookStatus> for PlaybookStatusName {
    fn from(status: PlaybookStatus) -> Self {
        match status {
            PlaybookStatus::Pending => Self::Pending,
            PlaybookStatus::Approved => Self::Approved,
            PlaybookStatus::Rejected => Self::Rejected,
        }
    }
}

/// The user's playbook, and the turns of it, that an organization's playbook was made from.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SourceWindowData {
    /// The user's playbook.
    pub user_playbook_id: i64,
    /// The turns.
    #[serde(default)]
    pub source_interaction_ids: Option<Vec<i64>>,
}

impl SourceWindowData {
    fn read(self, fields: &mut Fields) -> Option<SourceWindow> {
        let id = fields.required("user_playbook_id", self.user_playbook_id, UserPlaybookId::new);
        let turns = interaction_ids(fields, self.source_interaction_ids);
        Some(SourceWindow { user_playbook_id: id?, source_interaction_ids: turns? })
    }
}

impl From<&SourceWindow> for SourceWindowData {
    fn from(window: &SourceWindow) -> Self {
        Self {
            user_playbook_id: window.user_playbook_id.number(),
            source_interaction_ids: Some(
                window.source_interaction_ids.iter().map(|id| id.number()).collect(),
            ),
        }
    }
}

/// A playbook of the organization to keep. An id sent with it is ignored: the answer says which one it got.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct AgentPlaybookData {
    /// Whether a person has approved of it; `pending` unless said.
    pub playbook_status: Option<PlaybookStatusName>,
    /// Whatever its maker wants to keep with it.
    pub playbook_metadata: Option<String>,
    /// When it was made, in epoch seconds; now unless said.
    pub created_at: Option<i64>,
    /// Whether it is in use; absent means that it is.
    pub status: Option<StatusName>,
    /// The users' playbooks it was made from.
    pub source_windows: Option<Vec<SourceWindowData>>,
    /// Its words.
    #[serde(flatten)]
    pub text: PlaybookTextData,
}

impl AgentPlaybookData {
    fn read(self, fields: &mut Fields) -> Option<NewAgentPlaybook<Option<EventTime>>> {
        let metadata = free_text(fields, "playbook_metadata", self.playbook_metadata);
        let created_at = fields.optional("created_at", self.created_at, EventTime::new);
        let windows =
            fields.each("source_windows", self.source_windows.unwrap_or_default(), |fields, window| {
                window.read(fields)
            });
        let text = self.text.read(fields);
        Some(NewAgentPlaybook {
            text: text?,
            playbook_status: self.playbook_status.map_or_else(PlaybookStatus::default, Into::into),
            metadata: metadata?,
            created_at: created_at?,
            status: self.status.map_or(Status::Current, Into::into),
            source_windows: windows?,
        })
    }
}

/// A request to add playbooks of the organization.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddAgentPlaybooksRequest {
    /// The playbooks, 1 to 1000.
    pub agent_playbooks: Vec<AgentPlaybookData>,
}

impl AddAgentPlaybooksRequest {
    /// The valid request.
    pub fn parse(self) -> Result<Vec<NewAgentPlaybook<Option<EventTime>>>, Invalid> {
        let mut fields = Fields::of_body();
        let read = fields.each("agent_playbooks", self.agent_playbooks, |fields, one| one.read(fields));
        fields.finish(read)
    }
}

/// A request to change a playbook of the organization.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateAgentPlaybookRequest {
    /// The playbook.
    pub agent_playbook_id: i64,
    /// Whether a person has approved of it.
    pub playbook_status: Option<PlaybookStatusName>,
    /// Whatever its maker wants to keep with it.
    pub playbook_metadata: Option<String>,
    /// Whether it is in use.
    pub status: Option<StatusName>,
    /// The users' playbooks it was made from.
    pub source_windows: Option<Vec<SourceWindowData>>,
    /// Its words.
    #[serde(flatten)]
    pub text: PlaybookTextData,
}

impl UpdateAgentPlaybookRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(AgentPlaybookId, AgentPlaybookChanges), Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("agent_playbook_id", self.agent_playbook_id, AgentPlaybookId::new);
        let metadata = fields.optional("playbook_metadata", self.playbook_metadata, FreeText::new);
        let windows = match self.source_windows {
            None => Some(None),
            Some(given) => {
                fields.each("source_windows", given, |fields, window| window.read(fields)).map(Some)
            }
        };
        let text = self.text.read_changes(&mut fields);
        let playbook_status = self.playbook_status.map(Into::into);
        let status = self.status.map(Into::into);
        let changes = || {
            Some(AgentPlaybookChanges {
                text: text?,
                playbook_status,
                metadata: metadata?,
                status,
                source_windows: windows?,
            })
        };
        let changes = changes();
        fields.finish(id.zip(changes))
    }
}

/// A request to approve of a playbook, or not.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdatePlaybookStatusRequest {
    /// The playbook.
    pub agent_playbook_id: i64,
    /// What a person decided.
    pub playbook_status: PlaybookStatusName,
}

impl UpdatePlaybookStatusRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<(AgentPlaybookId, PlaybookStatus), Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("agent_playbook_id", self.agent_playbook_id, AgentPlaybookId::new);
        fields.finish(id.map(|id| (id, self.playbook_status.into())))
    }
}

/// A request to delete a playbook of the organization.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DeleteAgentPlaybookRequest {
    /// The playbook.
    pub agent_playbook_id: i64,
}

impl DeleteAgentPlaybookRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<AgentPlaybookId, Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("agent_playbook_id", self.agent_playbook_id, AgentPlaybookId::new);
        fields.finish(id)
    }
}

/// A request for playbooks of the organization.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetAgentPlaybooksRequest {
    /// Only of this name.
    pub playbook_name: Option<String>,
    /// Only for this version of the agent.
    pub agent_version: Option<String>,
    /// Only with all of these tags.
    pub tags: Option<Vec<String>>,
    /// Only with this decision.
    pub playbook_status_filter: Option<PlaybookStatusName>,
    /// Only of these statuses; what is in use unless said.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    /// Which part of the list.
    #[serde(flatten)]
    pub page: PageFields,
}

impl GetAgentPlaybooksRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(AgentPlaybookFilter, PageRequest<AgentPlaybookId>), Invalid> {
        let mut fields = Fields::of_body();
        let playbook_name = fields.name("playbook_name", self.playbook_name, PlaybookName::new);
        let agent_version = fields.name("agent_version", self.agent_version, AgentVersion::new);
        let tags = tags(&mut fields, self.tags);
        let period = self.page.period(&mut fields);
        let page = self.page.page(&mut fields);
        let playbook_status = self.playbook_status_filter.map(Into::into);
        let statuses = status_filter(self.status_filter);
        let filter = || {
            Some(AgentPlaybookFilter {
                agent_version: agent_version?,
                playbook_name: playbook_name?,
                playbook_status,
                tags: tags?,
                statuses,
                period: period?,
            })
        };
        let filter = filter();
        fields.finish(filter.zip(page))
    }
}

/// A playbook of the organization as it is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentPlaybookRecord {
    /// Its id.
    pub agent_playbook_id: i64,
    /// What it is called.
    pub playbook_name: String,
    /// The version of the agent it is for.
    pub agent_version: String,
    /// When it was made, in epoch seconds.
    pub created_at: i64,
    /// What to do.
    pub content: String,
    /// When to do it.
    pub trigger: String,
    /// Why.
    pub rationale: String,
    /// The same in parts, as it came.
    #[schema(value_type = Object)]
    pub structured_data: Value,
    /// Whether a person has approved of it.
    pub playbook_status: PlaybookStatusName,
    /// Whatever its maker keeps with it.
    pub playbook_metadata: String,
    /// Words to sort it by.
    pub tags: Vec<String>,
    /// The users' playbooks it was made from; a window goes when its user is erased.
    pub source_windows: Vec<SourceWindowData>,
    /// Left out while it is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
}

impl From<&AgentPlaybook> for AgentPlaybookRecord {
    fn from(playbook: &AgentPlaybook) -> Self {
        let text = &playbook.text;
        Self {
            agent_playbook_id: playbook.agent_playbook_id.number(),
            playbook_name: text.playbook_name.as_str().to_owned(),
            agent_version: text.agent_version.as_str().to_owned(),
            created_at: playbook.created_at.seconds(),
            content: text.content.as_str().to_owned(),
            trigger: text.trigger.as_str().to_owned(),
            rationale: text.rationale.as_str().to_owned(),
            structured_data: text
                .structured_data
                .as_ref()
                .map_or_else(|| Value::Object(serde_json::Map::new()), json_value),
            playbook_status: playbook.playbook_status.into(),
            playbook_metadata: playbook.metadata.as_str().to_owned(),
            tags: text.tags.iter().map(Tag::as_str).map(str::to_owned).collect(),
            source_windows: playbook.source_windows.iter().map(Into::into).collect(),
            status: told_status(playbook.status),
        }
    }
}

/// Playbooks of the organization, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetAgentPlaybooksResponse {
    /// Always true.
    pub success: bool,
    /// The playbooks.
    pub agent_playbooks: Vec<AgentPlaybookRecord>,
    /// Whether there is more.
    pub has_more: bool,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was found, for people.
    pub msg: String,
}

impl From<Page<AgentPlaybook, AgentPlaybookId>> for GetAgentPlaybooksResponse {
    fn from(page: Page<AgentPlaybook, AgentPlaybookId>) -> Self {
        Self {
            success: true,
            has_more: page.has_more(),
            next_cursor: page.next.as_ref().map(learning::Cursor::encode),
            msg: format!("Found {} agent playbook(s)", page.rows.len()),
            agent_playbooks: page.rows.iter().map(Into::into).collect(),
        }
    }
}
