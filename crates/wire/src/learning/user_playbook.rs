//! Playbooks of users.

use kernel::{AgentVersion, Source, UserId};
use learning::{
    EventTime, NewUserPlaybook, Page, PageRequest, PlaybookName, Remark, Status, Tag, UserPlaybook,
    UserPlaybookChanges, UserPlaybookFilter, UserPlaybookId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::page::PageFields;
use super::playbook::{PlaybookTextData, interaction_ids};
use super::{StatusName, json_value, status_filter, tags, told_status};
use crate::{Fields, Invalid};

/// A user's playbook to keep. An id sent with it is ignored: the answer says which one it got.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct UserPlaybookData {
    /// Whose it is.
    #[schema(min_length = 1, max_length = 255)]
    pub user_id: String,
    /// The request it was made from.
    pub request_id: Option<String>,
    /// Where it came from.
    pub source: Option<String>,
    /// The turns it was made from.
    pub source_interaction_ids: Option<Vec<i64>>,
    /// When it was made, in epoch seconds; now unless said.
    pub created_at: Option<i64>,
    /// Whether it is in use; absent means that it is.
    pub status: Option<StatusName>,
    /// Its words.
    #[serde(flatten)]
    pub text: PlaybookTextData,
}

impl UserPlaybookData {
    fn read(self, fields: &mut Fields) -> Option<NewUserPlaybook<Option<EventTime>>> {
        let user = fields.required("user_id", self.user_id.as_str(), UserId::new);
        let request_id =
            fields.required("request_id", self.request_id.as_deref().unwrap_or_default(), Remark::new);
        let source = fields.required("source", self.source.as_deref().unwrap_or_default(), Source::new);
        let from = interaction_ids(fields, self.source_interaction_ids);
        let created_at = fields.optional("created_at", self.created_at, EventTime::new);
        let text = self.text.read(fields);
        Some(NewUserPlaybook {
            user: user?,
            request_id: request_id?,
            text: text?,
            source: source?,
            source_interaction_ids: from?,
            created_at: created_at?,
            status: self.status.map_or(Status::Current, Into::into),
        })
    }
}

/// A request to add users' playbooks.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddUserPlaybooksRequest {
    /// The playbooks, 1 to 1000.
    pub user_playbooks: Vec<UserPlaybookData>,
}

impl AddUserPlaybooksRequest {
    /// The valid request.
    pub fn parse(self) -> Result<Vec<NewUserPlaybook<Option<EventTime>>>, Invalid> {
        let mut fields = Fields::of_body();
        let read = fields.each("user_playbooks", self.user_playbooks, |fields, one| one.read(fields));
        fields.finish(read)
    }
}

/// A request to change a user's playbook.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateUserPlaybookRequest {
    /// The playbook.
    pub user_playbook_id: i64,
    /// Where it came from.
    pub source: Option<String>,
    /// The turns it was made from.
    pub source_interaction_ids: Option<Vec<i64>>,
    /// Whether it is in use.
    pub status: Option<StatusName>,
    /// Its words.
    #[serde(flatten)]
    pub text: PlaybookTextData,
}

impl UpdateUserPlaybookRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(UserPlaybookId, UserPlaybookChanges), Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("user_playbook_id", self.user_playbook_id, UserPlaybookId::new);
        let source = fields.optional("source", self.source.as_deref(), Source::new);
        let from = match self.source_interaction_ids {
            None => Some(None),
            given => interaction_ids(&mut fields, given).map(Some),
        };
        let status = self.status.map(Into::into);
        let text = self.text.read_changes(&mut fields);
        let changes = || {
            Some(UserPlaybookChanges { text: text?, source: source?, source_interaction_ids: from?, status })
        };
        let changes = changes();
        fields.finish(id.zip(changes))
    }
}

/// A request to delete a user's playbook.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DeleteUserPlaybookRequest {
    /// The playbook.
    pub user_playbook_id: i64,
}

impl DeleteUserPlaybookRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<UserPlaybookId, Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("user_playbook_id", self.user_playbook_id, UserPlaybookId::new);
        fields.finish(id)
    }
}

/// A request for users' playbooks.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetUserPlaybooksRequest {
    /// Only this user's.
    pub user_id: Option<String>,
    /// Only of this name.
    pub playbook_name: Option<String>,
    /// Only for this version of the agent.
    pub agent_version: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only with all of these tags.
    pub tags: Option<Vec<String>>,
    /// Only of these statuses; what is in use unless said.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    /// Which part of the list.
    #[serde(flatten)]
    pub page: PageFields,
}

impl GetUserPlaybooksRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(UserPlaybookFilter, PageRequest<UserPlaybookId>), Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.name("user_id", self.user_id, UserId::new);
        let playbook_name = fields.name("playbook_name", self.playbook_name, PlaybookName::new);
        let agent_version = fields.name("agent_version", self.agent_version, AgentVersion::new);
        let source = fields.name("source", self.source, Source::new);
        let tags = tags(&mut fields, self.tags);
        let period = self.page.period(&mut fields);
        let page = self.page.page(&mut fields);
        let statuses = status_filter(self.status_filter);
        let filter = || {
            Some(UserPlaybookFilter {
                user: user?,
                agent_version: agent_version?,
                playbook_name: playbook_name?,
                source: source?,
                tags: tags?,
                statuses,
                period: period?,
            })
        };
        let filter = filter();
        fields.finish(filter.zip(page))
    }
}

/// A user's playbook as it is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserPlaybookRecord {
    /// Its id.
    pub user_playbook_id: i64,
    /// Whose it is.
    pub user_id: String,
    /// The version of the agent it is for.
    pub agent_version: String,
    /// The request it was made from.
    pub request_id: String,
    /// What it is called.
    pub playbook_name: String,
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
    /// Where it came from.
    pub source: String,
    /// The turns it was made from.
    pub source_interaction_ids: Vec<i64>,
    /// Words to sort it by.
    pub tags: Vec<String>,
    /// Left out while it is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
}

impl From<&UserPlaybook> for UserPlaybookRecord {
    fn from(playbook: &UserPlaybook) -> Self {
        let text = &playbook.text;
        Self {
            user_playbook_id: playbook.user_playbook_id.number(),
            user_id: playbook.user.as_str().to_owned(),
            agent_version: text.agent_version.as_str().to_owned(),
            request_id: playbook.request_id.as_str().to_owned(),
            playbook_name: text.playbook_name.as_str().to_owned(),
            created_at: playbook.created_at.seconds(),
            content: text.content.as_str().to_owned(),
            trigger: text.trigger.as_str().to_owned(),
            rationale: text.rationale.as_str().to_owned(),
            structured_data: text
                .structured_data
                .as_ref()
                .map_or_else(|| Value::Object(serde_json::Map::new()), json_value),
            source: playbook.source.as_str().to_owned(),
            source_interaction_ids: playbook.source_interaction_ids.iter().map(|id| id.number()).collect(),
            tags: text.tags.iter().map(Tag::as_str).map(str::to_owned).collect(),
            status: told_status(playbook.status),
        }
    }
}

/// Users' playbooks, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetUserPlaybooksResponse {
    /// Always true.
    pub success: bool,
    /// The playbooks.
    pub user_playbooks: Vec<UserPlaybookRecord>,
    /// Whether there is more.
    pub has_more: bool,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was found, for people.
    pub msg: String,
}

impl From<Page<UserPlaybook, UserPlaybookId>> for GetUserPlaybooksResponse {
    fn from(page: Page<UserPlaybook, UserPlaybookId>) -> Self {
        Self {
            success: true,
            has_more: page.has_more(),
            next_cursor: page.next.as_ref().map(learning::Cursor::encode),
            msg: format!("Found {} user playbook(s)", page.rows.len()),
            user_playbooks: page.rows.iter().map(Into::into).collect(),
        }
    }
}
