//! Agent playbooks: what an organization's agents do, and the user playbooks it was distilled from.

use kernel::{AgentVersion, Period, Timestamp};

use crate::{
    AgentPlaybookId, EventTime, FreeText, InteractionId, PlaybookName, PlaybookText, PlaybookTextChanges,
    Status, StatusFilter, Tag, UserPlaybookId,
};

/// What people decided about an agent playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PlaybookStatus {
    /// Nothing yet.
    #[default]
    Pending,
    /// That it is right.
    Approved,
    /// That it is wrong: no search finds it.
    Rejected,
}

/// A user playbook that an agent playbook was distilled from, and the turns that spoke for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceWindow {
    /// The user playbook.
    pub user_playbook_id: UserPlaybookId,
    /// The turns.
    pub source_interaction_ids: Vec<InteractionId>,
}

/// What an organization's agents do. It belongs to the organization, not to a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPlaybook {
    /// Its id.
    pub agent_playbook_id: AgentPlaybookId,
    /// What it says.
    pub text: PlaybookText,
    /// What people decided about it.
    pub playbook_status: PlaybookStatus,
    /// Whatever else its maker noted about it.
    pub metadata: FreeText,
    /// When it was made.
    pub created_at: Timestamp,
    /// Whether it is in use.
    pub status: Status,
    /// What it was distilled from.
    pub source_windows: Vec<SourceWindow>,
}

/// An agent playbook that has no number yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAgentPlaybook<Time = Timestamp> {
    /// What it says.
    pub text: PlaybookText,
    /// What people decided about it.
    pub playbook_status: PlaybookStatus,
    /// Whatever else its maker noted about it.
    pub metadata: FreeText,
    /// When it was made; a caller may leave it open.
    pub created_at: Time,
    /// Whether it is in use.
    pub status: Status,
    /// What it was distilled from.
    pub source_windows: Vec<SourceWindow>,
}

impl NewAgentPlaybook<Option<EventTime>> {
    /// The playbook with the time that was stated, or else with this one.
    #[must_use]
    pub fn at(self, now: Timestamp) -> NewAgentPlaybook {
        NewAgentPlaybook {
            text: self.text,
            playbook_status: self.playbook_status,
            metadata: self.metadata,
            created_at: crate::time::stated_or(now, self.created_at),
            status: self.status,
            source_windows: self.source_windows,
        }
    }
}

/// What to change about an agent playbook; what is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPlaybookChanges {
    /// Of what it says.
    pub text: PlaybookTextChanges,
    /// What people decided about it.
    pub playbook_status: Option<PlaybookStatus>,
    /// Whatever else its maker noted about it.
    pub metadata: Option<FreeText>,
    /// Whether it is in use.
    pub status: Option<Status>,
    /// What it was distilled from, all of it.
    pub source_windows: Option<Vec<SourceWindow>>,
}

impl AgentPlaybook {
    /// The playbook after a change.
    #[must_use]
    pub fn changed(self, changes: AgentPlaybookChanges) -> Self {
        Self {
            text: self.text.changed(changes.text),
            playbook_status: changes.playbook_status.unwrap_or(self.playbook_status),
            metadata: changes.metadata.unwrap_or(self.metadata),
            status: changes.status.unwrap_or(self.status),
            source_windows: changes.source_windows.unwrap_or(self.source_windows),
            ..self
        }
    }
}

/// Which agent playbooks to list; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPlaybookFilter {
    /// For this version of the agent.
    pub agent_version: Option<AgentVersion>,
    /// Of this name.
    pub playbook_name: Option<PlaybookName>,
    /// About which people decided this.
    pub playbook_status: Option<PlaybookStatus>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Of these statuses.
    pub statuses: StatusFilter,
    /// Made in this period.
    pub period: Period,
}
