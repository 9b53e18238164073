//! Playbooks: what was learned from one user's sessions, and what an organization's agents make of it.

mod agent;
mod keep_agent;
mod keep_user;
mod user;

pub use agent::{
    AgentPlaybook, AgentPlaybookChanges, AgentPlaybookFilter, NewAgentPlaybook, PlaybookStatus, SourceWindow,
};
pub use keep_agent::{
    AddAgentPlaybooks, DeleteAgentPlaybook, ListAgentPlaybooks, SetPlaybookStatus, UpdateAgentPlaybook,
};
pub use keep_user::{AddUserPlaybooks, DeleteUserPlaybook, ListUserPlaybooks, UpdateUserPlaybook};
use kernel::AgentVersion;
pub use user::{NewUserPlaybook, UserPlaybook, UserPlaybookChanges, UserPlaybookFilter};

use crate::{FreeText, JsonText, PlaybookName, Tag};

/// What every playbook says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookText {
    /// What it is called.
    pub playbook_name: PlaybookName,
    /// The version of the agent it is for.
    pub agent_version: AgentVersion,
    /// What to do.
    pub content: FreeText,
    /// When to do it; empty when not stated.
    pub trigger: FreeText,
    /// Why; empty when not stated.
    pub rationale: FreeText,
    /// The same in parts, kept as it came.
    pub structured_data: Option<JsonText>,
    /// Words to sort it by.
    pub tags: Vec<Tag>,
}

/// What to change of what a playbook says; what is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaybookTextChanges {
    /// What it is called.
    pub playbook_name: Option<PlaybookName>,
    /// The version of the agent it is for.
    pub agent_version: Option<AgentVersion>,
    /// What to do.
    pub content: Option<FreeText>,
    /// When to do it.
    pub trigger: Option<FreeText>,
    /// Why.
    pub rationale: Option<FreeText>,
    /// The same in parts.
    pub structured_data: Option<JsonText>,
    /// Words to sort it by.
    pub tags: Option<Vec<Tag>>,
}

impl PlaybookText {
    /// The text after a change.
    #[must_use]
    pub fn changed(self, changes: PlaybookTextChanges) -> Self {
        Self {
            playbook_name: changes.playbook_name.unwrap_or(self.playbook_name),
            agent_version: changes.agent_version.unwrap_or(self.agent_version),
            content: changes.content.unwrap_or(self.content),
            trigger: changes.trigger.unwrap_or(self.trigger),
            rationale: changes.rationale.unwrap_or(self.rationale),
            structured_data: changes.structured_data.or(self.structured_data),
            tags: changes.tags.unwrap_or(self.tags),
        }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// A playbook's text that says the least.
    pub(crate) fn text(content: &str) -> PlaybookText {
        PlaybookText {
            playbook_name: PlaybookName::new("brevity").unwrap(),
            agent_version: AgentVersion::new("v1").unwrap(),
            content: FreeText::new(content).unwrap(),
            trigger: FreeText::default(),
            rationale: FreeText::default(),
            structured_data: Some(JsonText::new(r#"{"instruction":"be brief"}"#)),
            tags: vec![Tag::new("style").unwrap()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_nothing_changes_nothing() {
        let text = samples::text("be brief");

        assert_eq!(text.clone().changed(PlaybookTextChanges::default()), text);
    }

    #[test]
    fn every_stated_field_is_changed() {
        let new = PlaybookText {
            playbook_name: PlaybookName::new("n").unwrap(),
            agent_version: AgentVersion::new("v2").unwrap(),
            content: FreeText::new("c").unwrap(),
            trigger: FreeText::new("t").unwrap(),
            rationale: FreeText::new("r").unwrap(),
            structured_data: Some(JsonText::new("{}")),
            tags: vec![],
        };
        let changes = PlaybookTextChanges {
            playbook_name: Some(new.playbook_name.clone()),
            agent_version: Some(new.agent_version.clone()),
            content: Some(new.content.clone()),
            trigger: Some(new.trigger.clone()),
            rationale: Some(new.rationale.clone()),
            structured_data: new.structured_data.clone(),
            tags: Some(vec![]),
        };

        assert_eq!(samples::text("be brief").changed(changes), new);
    }
}
