//! User playbooks: what was learned from one user's sessions.

use kernel::{AgentVersion, Period, Source, Timestamp, UserId};

use crate::{
    EventTime, InteractionId, PlaybookName, PlaybookText, PlaybookTextChanges, Remark, Status, StatusFilter,
    Tag, UserPlaybookId,
};

/// What was learned from one user's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaybook {
    /// Its id.
    pub user_playbook_id: UserPlaybookId,
    /// From whose sessions it was learned.
    pub user: UserId,
    /// The request it was learned from, or another word for its origin.
    pub request_id: Remark,
    /// What it says.
    pub text: PlaybookText,
    /// Where it came from.
    pub source: Source,
    /// The turns it was learned from.
    pub source_interaction_ids: Vec<InteractionId>,
    /// When it was learned.
    pub created_at: Timestamp,
    /// Whether it is in use.
    pub status: Status,
}

/// A user playbook that has no number yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUserPlaybook<Time = Timestamp> {
    /// From whose sessions it was learned.
    pub user: UserId,
    /// The request it was learned from, or another word for its origin.
    pub request_id: Remark,
    /// What it says.
    pub text: PlaybookText,
    /// Where it came from.
    pub source: Source,
    /// The turns it was learned from.
    pub source_interaction_ids: Vec<InteractionId>,
    /// When it was learned; a caller may leave it open.
    pub created_at: Time,
    /// Whether it is in use.
    pub status: Status,
}

impl NewUserPlaybook<Option<EventTime>> {
    /// The playbook with the time that was stated, or else with this one.
    #[must_use]
    pub fn at(self, now: Timestamp) -> NewUserPlaybook {
        NewUserPlaybook {
            user: self.user,
            request_id: self.request_id,
            text: self.text,
            source: self.source,
            source_interaction_ids: self.source_interaction_ids,
            created_at: crate::time::stated_or(now, self.created_at),
            status: self.status,
        }
    }
}

/// What to change about a user playbook; what is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserPlaybookChanges {
    /// Of what it says.
    pub text: PlaybookTextChanges,
    /// Where it came from.
    pub source: Option<Source>,
    /// The turns it was learned from.
    pub source_interaction_ids: Option<Vec<InteractionId>>,
    /// Whether it is in use.
    pub status: Option<Status>,
}

impl UserPlaybook {
    /// The playbook after a change.
    #[must_use]
    pub fn changed(self, changes: UserPlaybookChanges) -> Self {
        Self {
            text: self.text.changed(changes.text),
            source: changes.source.unwrap_or(self.source),
            source_interaction_ids: changes.source_interaction_ids.unwrap_or(self.source_interaction_ids),
            status: changes.status.unwrap_or(self.status),
            ..self
        }
    }
}

/// Which user playbooks to list; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserPlaybookFilter {
    /// Of this user.
    pub user: Option<UserId>,
    /// For this version of the agent.
    pub agent_version: Option<AgentVersion>,
    /// Of this name.
    pub playbook_name: Option<PlaybookName>,
    /// From this source.
    pub source: Option<Source>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Of these statuses.
    pub statuses: StatusFilter,
    /// Learned in this period.
    pub period: Period,
}
