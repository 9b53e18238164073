//! How much to find, and among what.

use kernel::{AgentVersion, Period, Source, Timestamp, UserId};

use crate::{PlaybookName, PlaybookStatus, SearchText, Tag};

/// A search for nothing, or for more than a list is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be between 1 and 100")]
pub struct TopKOutOfRange;

/// The most learnings to find in each list, 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopK(u32);

impl TopK {
    /// What a search in all lists finds in each, unless told.
    pub const IN_ALL: Self = Self(5);
    /// What a search in one list finds, unless told.
    pub const IN_ONE: Self = Self(10);

    /// Checks the number.
    ///
    /// # Errors
    /// When it is not between 1 and 100.
    pub const fn new(rows: u32) -> Result<Self, TopKOutOfRange> {
        if rows >= 1 && rows <= 100 { Ok(Self(rows)) } else { Err(TopKOutOfRange) }
    }

    /// The number.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self.0
    }
}

/// How many of the words a learning must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMode {
    /// All of them.
    AllWords,
    /// One of them at least.
    AnyWord,
}

/// What is wanted of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The words; at least one.
    pub text: SearchText,
    /// How many of them a learning must have.
    pub mode: MatchMode,
    /// The most rows.
    pub top_k: TopK,
}

/// Which profiles to search; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileScope {
    /// Of this user.
    pub user: UserId,
    /// From this source.
    pub source: Option<Source>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Last changed in this period.
    pub period: Period,
    /// That still hold at this time.
    pub live_at: Timestamp,
}

/// Which user playbooks to search; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaybookScope {
    /// Of this user.
    pub user: UserId,
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

/// Which agent playbooks to search; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPlaybookScope {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_one_to_a_hundred_in_a_list() {
        assert!(TopK::new(1).is_ok() && TopK::new(100).is_ok());
        assert_eq!(TopK::new(0), Err(TopKOutOfRange));
        assert_eq!(TopK::new(101), Err(TopKOutOfRange));
    }

    #[test]
    fn a_search_in_all_lists_finds_five_in_each_and_in_one_list_ten_unless_told() {
        assert_eq!((TopK::IN_ALL.rows(), TopK::IN_ONE.rows()), (5, 10));
    }
}
