//! Playbook rows and their way to and from the domain.
#![expect(clippy::ref_option_ref, reason = "diesel derives take columns by reference")]

use ::learning::{
    AgentPlaybook, AgentPlaybookId, FreeText, JsonText, NewAgentPlaybook, NewUserPlaybook, PlaybookName,
    PlaybookText, Remark, SourceWindow, UserPlaybook, UserPlaybookId,
};
use diesel::prelude::*;
use kernel::{AgentVersion, Source, StoreError, Timestamp, UserId};

use super::columns::{
    corrupt, decision_of, decision_text, status_of, status_text, tags_of, tags_text, turns_of, turns_text,
};
use crate::schema::{agent_playbooks, user_playbooks};

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = user_playbooks)]
pub(super) struct UserPlaybookRow {
    user_playbook_id: i64,
    user_id: String,
    request_id: String,
    playbook_name: String,
    agent_version: String,
    content: String,
    trigger: String,
    rationale: String,
    structured_data: Option<String>,
    tags: String,
    source: String,
    source_interaction_ids: String,
    created_at: i64,
    status: String,
}

/// A user playbook to be inserted, or what it is to be replaced by.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = user_playbooks, treat_none_as_default_value = false, treat_none_as_null = true)]
pub(super) struct UserPlaybookColumns<'a> {
    org_id: &'a str,
    user_id: &'a str,
    request_id: &'a str,
    playbook_name: &'a str,
    agent_version: &'a str,
    content: &'a str,
    trigger: &'a str,
    rationale: &'a str,
    structured_data: Option<&'a str>,
    tags: String,
    source: &'a str,
    source_interaction_ids: String,
    created_at: i64,
    status: &'static str,
}

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = agent_playbooks)]
pub(super) struct AgentPlaybookRow {
    pub(super) agent_playbook_id: i64,
    playbook_name: String,
    agent_version: String,
    content: String,
    trigger: String,
    rationale: String,
    structured_data: Option<String>,
    tags: String,
    playbook_status: String,
    metadata: String,
    created_at: i64,
    status: String,
}

/// An agent playbook to be inserted, or what it is to be replaced by.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = agent_playbooks, treat_none_as_default_value = false, treat_none_as_null = true)]
pub(super) struct AgentPlaybookColumns<'a> {
    org_id: &'a str,
    playbook_name: &'a str,
    agent_version: &'a str,
    content: &'a str,
    trigger: &'a str,
    rationale: &'a str,
    structured_data: Option<&'a str>,
    tags: String,
    playbook_status: &'static str,
    metadata: &'a str,
    created_at: i64,
    status: &'static str,
}

impl<'a> UserPlaybookColumns<'a> {
    pub(super) fn of(org_id: &'a str, playbook: &'a NewUserPlaybook) -> Result<Self, StoreError> {
        let text = &playbook.text;
        Ok(Self {
            org_id,
            user_id: playbook.user.as_str(),
            request_id: playbook.request_id.as_str(),
            playbook_name: text.playbook_name.as_str(),
            agent_version: text.agent_version.as_str(),
            content: text.content.as_str(),
            trigger: text.trigger.as_str(),
            rationale: text.rationale.as_str(),
            structured_data: text.structured_data.as_ref().map(JsonText::as_str),
            tags: tags_text(&text.tags)?,
            source: playbook.source.as_str(),
            source_interaction_ids: turns_text(&playbook.source_interaction_ids)?,
            created_at: playbook.created_at.seconds(),
            status: status_text(playbook.status),
        })
    }
}

impl<'a> AgentPlaybookColumns<'a> {
    pub(super) fn of(org_id: &'a str, playbook: &'a NewAgentPlaybook) -> Result<Self, StoreError> {
        let text = &playbook.text;
        Ok(Self {
            org_id,
            playbook_name: text.playbook_name.as_str(),
            agent_version: text.agent_version.as_str(),
            content: text.content.as_str(),
            trigger: text.trigger.as_str(),
            rationale: text.rationale.as_str(),
            structured_data: text.structured_data.as_ref().map(JsonText::as_str),
            tags: tags_text(&text.tags)?,
            playbook_status: decision_text(playbook.playbook_status),
            metadata: playbook.metadata.as_str(),
            created_at: playbook.created_at.seconds(),
            status: status_text(playbook.status),
        })
    }
}

/// Reads what a playbook says from the columns that both tables have.
macro_rules! text_of {
    ($row:ident, $table:literal) => {{
        let bad = |column: &str| corrupt(&format!("{}.{column}", $table));
        PlaybookText {
            playbook_name: PlaybookName::new(&$row.playbook_name).map_err(|_| bad("playbook_name"))?,
            agent_version: AgentVersion::new(&$row.agent_version).map_err(|_| bad("agent_version"))?,
            content: FreeText::new($row.content).map_err(|_| bad("content"))?,
            trigger: FreeText::new($row.trigger).map_err(|_| bad("trigger"))?,
            rationale: FreeText::new($row.rationale).map_err(|_| bad("rationale"))?,
            structured_data: $row.structured_data.map(JsonText::new),
            tags: tags_of(&$row.tags, concat!($table, ".tags"))?,
        }
    }};
}

impl TryFrom<UserPlaybookRow> for UserPlaybook {
    type Error = StoreError;

    fn try_from(row: UserPlaybookRow) -> Result<Self, StoreError> {
        let bad = |column: &str| corrupt(&format!("user_playbooks.{column}"));
        Ok(Self {
            user_playbook_id: user_playbook_id_of(row.user_playbook_id)?,
            user: UserId::new(&row.user_id).map_err(|_| bad("user_id"))?,
            request_id: Remark::new(&row.request_id).map_err(|_| bad("request_id"))?,
            source: Source::new(&row.source).map_err(|_| bad("source"))?,
            source_interaction_ids: turns_of(
                &row.source_interaction_ids,
                "user_playbooks.source_interaction_ids",
            )?,
            created_at: Timestamp::from_seconds(row.created_at),
            status: status_of(&row.status, "user_playbooks.status")?,
            text: text_of!(row, "user_playbooks"),
        })
    }
}

impl AgentPlaybookRow {
    /// The playbook with the windows that it was distilled from.
    pub(super) fn playbook(self, source_windows: Vec<SourceWindow>) -> Result<AgentPlaybook, StoreError> {
        let row = self;
        Ok(AgentPlaybook {
            agent_playbook_id: agent_playbook_id_of(row.agent_playbook_id)?,
            playbook_status: decision_of(&row.playbook_status, "agent_playbooks.playbook_status")?,
            metadata: FreeText::new(row.metadata).map_err(|_| corrupt("agent_playbooks.metadata"))?,
            created_at: Timestamp::from_seconds(row.created_at),
            status: status_of(&row.status, "agent_playbooks.status")?,
            source_windows,
            text: text_of!(row, "agent_playbooks"),
        })
    }
}

/// Reads the number of a user playbook.
pub(super) fn user_playbook_id_of(number: i64) -> Result<UserPlaybookId, StoreError> {
    UserPlaybookId::new(number).map_err(|_| corrupt("user_playbooks.user_playbook_id"))
}

/// Reads the number of an agent playbook.
pub(super) fn agent_playbook_id_of(number: i64) -> Result<AgentPlaybookId, StoreError> {
    AgentPlaybookId::new(number).map_err(|_| corrupt("agent_playbooks.agent_playbook_id"))
}

/// What of a playbook a search looks in.
pub(super) fn searched(text: &PlaybookText) -> [&str; 4] {
    [text.playbook_name.as_str(), text.trigger.as_str(), text.content.as_str(), text.rationale.as_str()]
}
