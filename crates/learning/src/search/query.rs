//! Searches as callers ask them.

use kernel::{AgentVersion, CredentialKind, OrgId, Period, SessionId, Source, Timestamp, UserId};

use super::scope::{AgentPlaybookScope, ProfileScope, TopK, UserPlaybookScope};
use crate::{Attribution, PlaybookName, PlaybookStatus, SearchText, Tag};

/// Who searches, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searcher {
    /// The organization that is searched.
    pub org: OrgId,
    /// The kind of credential that searches.
    pub kind: CredentialKind,
    /// The user for whom; without one only agent playbooks are found.
    pub user: Option<UserId>,
    /// The session in which, if the caller says.
    pub session: Option<SessionId>,
}

/// A search in all lists; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningsQuery {
    /// What to look for.
    pub text: SearchText,
    /// The most to find in each list.
    pub top_k: TopK,
    /// Playbooks for this version of the agent.
    pub agent_version: Option<AgentVersion>,
    /// Playbooks of this name.
    pub playbook_name: Option<PlaybookName>,
    /// Profiles and user playbooks from this source; agent playbooks have none.
    pub source: Option<Source>,
    /// Learnings that carry every one of these tags.
    pub tags: Vec<Tag>,
}

impl LearningsQuery {
    pub(super) fn profiles_of(&self, user: &UserId, now: Timestamp) -> ProfileScope {
        ProfileScope {
            user: user.clone(),
            source: self.source.clone(),
            tags: self.tags.clone(),
            period: Period::default(),
            live_at: now,
        }
    }

    pub(super) fn user_playbooks_of(&self, user: &UserId) -> UserPlaybookScope {
        UserPlaybookScope {
            user: user.clone(),
            agent_version: self.agent_version.clone(),
            playbook_name: self.playbook_name.clone(),
            source: self.source.clone(),
            tags: self.tags.clone(),
            period: Period::default(),
        }
    }

    pub(super) fn agent_playbooks(&self) -> AgentPlaybookScope {
        AgentPlaybookScope {
            agent_version: self.agent_version.clone(),
            playbook_name: self.playbook_name.clone(),
            playbook_status: None,
            tags: self.tags.clone(),
            period: Period::default(),
        }
    }
}

/// A search in profiles; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileQuery {
    /// What to look for.
    pub text: SearchText,
    /// The most to find.
    pub top_k: TopK,
    /// From this source.
    pub source: Option<Source>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Last changed in this period.
    pub period: Period,
}

impl ProfileQuery {
    pub(super) fn of(&self, user: &UserId, now: Timestamp) -> ProfileScope {
        ProfileScope {
            user: user.clone(),
            source: self.source.clone(),
            tags: self.tags.clone(),
            period: self.period,
            live_at: now,
        }
    }
}

/// A search in user playbooks; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaybookQuery {
    /// What to look for.
    pub text: SearchText,
    /// The most to find.
    pub top_k: TopK,
    /// For this version of the agent.
    pub agent_version: Option<AgentVersion>,
    /// Of this name.
    pub playbook_name: Option<PlaybookName>,
    /// From this source.
    pub source: Option<Source>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Learned in this period.
    pub period: Period,
}

impl UserPlaybookQuery {
    pub(super) fn of(&self, user: &UserId) -> UserPlaybookScope {
        UserPlaybookScope {
            user: user.clone(),
            agent_version: self.agent_version.clone(),
            playbook_name: self.playbook_name.clone(),
            source: self.source.clone(),
            tags: self.tags.clone(),
            period: self.period,
        }
    }
}

/// A search in agent playbooks; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPlaybookQuery {
    /// What to look for.
    pub text: SearchText,
    /// The most to find.
    pub top_k: TopK,
    /// For this version of the agent.
    pub agent_version: Option<AgentVersion>,
    /// Of this name.
    pub playbook_name: Option<PlaybookName>,
    /// About which people decided this.
    pub playbook_status: Option<PlaybookStatus>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Made in this period.
    pub period: Period,
}

impl AgentPlaybookQuery {
    pub(super) fn scope(&self) -> AgentPlaybookScope {
        AgentPlaybookScope {
            agent_version: self.agent_version.clone(),
            playbook_name: self.playbook_name.clone(),
            playbook_status: self.playbook_status,
            tags: self.tags.clone(),
            period: self.period,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The learnings, best first; nothing for a user who is held out.
    pub learnings: T,
    /// The experiment that the search was part of.
    pub experiment: Option<Attribution>,
}
