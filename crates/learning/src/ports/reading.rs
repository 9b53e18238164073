//! What reading and searching need from a store.

use kernel::{OrgId, StoreError};

use crate::{
    AgentPlaybook, AgentPlaybookFilter, AgentPlaybookId, AgentPlaybookScope, FeedEntry, FeedPosition,
    InteractionFilter, InteractionId, Match, Profile, ProfileFilter, ProfileId, ProfileScope,
    PublishedInteraction, PublishedRequest, RequestFilter, Slice, UserPlaybook, UserPlaybookFilter,
    UserPlaybookId, UserPlaybookScope,
};

/// Reads what was published. Every method MUST return at most as many rows as the slice asks for.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ActivityReader: Send + Sync {
    /// Requests with their interactions in the order published; the requests descending by (time, request id).
    ///
    /// MUST read no interaction, and return none, when the filter leaves turns out.
    fn requests(
        &self,
        org: &OrgId,
        filter: &RequestFilter,
        slice: &Slice<kernel::RequestId>,
    ) -> Result<Vec<PublishedRequest>, StoreError>;

    /// Interactions, descending by (time, interaction id).
    fn interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        slice: &Slice<InteractionId>,
    ) -> Result<Vec<PublishedInteraction>, StoreError>;
}

/// Reads learnings. Every method MUST return at most as many rows as the slice asks for.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait LearningReader: Send + Sync {
    /// Profiles, descending by (last modified, profile id).
    fn profiles(
        &self,
        org: &OrgId,
        filter: &ProfileFilter,
        slice: &Slice<ProfileId>,
    ) -> Result<Vec<Profile>, StoreError>;

    /// User playbooks, descending by (created, id).
    fn user_playbooks(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        slice: &Slice<UserPlaybookId>,
    ) -> Result<Vec<UserPlaybook>, StoreError>;

    /// Agent playbooks with their source windows, descending by (created, id).
    fn agent_playbooks(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        slice: &Slice<AgentPlaybookId>,
    ) -> Result<Vec<AgentPlaybook>, StoreError>;
}

/// Finds current learnings by their words, best first.
///
/// Every method MUST apply its filters before the limit, compare words stemmed and case-insensitively, treat them as
/// text and never as syntax, and return at most `wanted.top_k` rows of status current.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Retrieval: Send + Sync {
    /// Profiles of the user. MUST leave out those that expired at or before `scope.live_at`.
    fn profiles(&self, org: &OrgId, wanted: &Match, scope: &ProfileScope)
    -> Result<Vec<Profile>, StoreError>;

    /// Playbooks of the user.
    fn user_playbooks(
        &self,
        org: &OrgId,
        wanted: &Match,
        scope: &UserPlaybookScope,
    ) -> Result<Vec<UserPlaybook>, StoreError>;

    /// Playbooks of the organization. MUST leave out those that were rejected, whatever the scope says.
    fn agent_playbooks(
        &self,
        org: &OrgId,
        wanted: &Match,
        scope: &AgentPlaybookScope,
    ) -> Result<Vec<AgentPlaybook>, StoreError>;
}

/// Reads the learning feed.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait FeedReader: Send + Sync {
    /// At most `limit` entries after the position, ascending.
    ///
    /// MUST NOT return an entry while one of a smaller sequence may still be committed: a reader that goes on from
    /// the last entry it saw never misses one.
    fn entries(&self, org: &OrgId, after: FeedPosition, limit: u32) -> Result<Vec<FeedEntry>, StoreError>;
}
