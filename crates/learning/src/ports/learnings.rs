//! What keeping learnings needs from a store.

use kernel::{StoreError, UserId};

use crate::{
    AgentPlaybook, AgentPlaybookId, NewAgentPlaybook, NewUserPlaybook, PlaybookStatus, Profile, ProfileId,
    UserPlaybook, UserPlaybookId,
};

/// What became of a profile that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is kept, in place of the user's earlier profile of this id if there was one.
    Kept,
    /// The id belongs to another user's profile; nothing was changed.
    OwnedByAnother,
}

/// An organization's profiles inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ProfileTx {
    /// Asks the write gate, as [`PublishTx::admit`](crate::PublishTx::admit) does and with the same obligations.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// Keeps a profile, in place of the same user's profile of this id.
    ///
    /// MUST change nothing when the id belongs to another user of the organization.
    fn put(&mut self, profile: &Profile) -> Result<Put, StoreError>;

    /// The profile of this id.
    fn find(&mut self, id: &ProfileId) -> Result<Option<Profile>, StoreError>;

    /// Deletes the profile. MUST return false when there is none.
    fn delete(&mut self, id: &ProfileId) -> Result<bool, StoreError>;
}

/// An organization's user playbooks inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait UserPlaybookTx {
    /// Asks the write gate, as [`PublishTx::admit`](crate::PublishTx::admit) does and with the same obligations.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// Keeps new playbooks and returns their ids in the order given.
    fn insert(&mut self, playbooks: &[NewUserPlaybook]) -> Result<Vec<UserPlaybookId>, StoreError>;

    /// The playbook of this id.
    fn find(&mut self, id: UserPlaybookId) -> Result<Option<UserPlaybook>, StoreError>;

    /// Replaces the playbook of the same id. MUST return false when there is none.
    fn replace(&mut self, playbook: &UserPlaybook) -> Result<bool, StoreError>;

    /// Deletes the playbook and the source windows that link to it. MUST return false when there is none.
    fn delete(&mut self, id: UserPlaybookId) -> Result<bool, StoreError>;
}

/// A user playbook and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookOwner {
    /// The playbook.
    pub playbook: UserPlaybookId,
    /// Its user.
    pub user: UserId,
}

/// An organization's agent playbooks inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait AgentPlaybookTx {
    /// Asks the write gate for the users whose playbooks are to be linked, as
    /// [`PublishTx::admit`](crate::PublishTx::admit) does and with the same obligations.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// The owners of those of the playbooks that the organization has.
    fn owners(&mut self, playbooks: &[UserPlaybookId]) -> Result<Vec<PlaybookOwner>, StoreError>;

    /// Keeps a new playbook with its source windows.
    fn insert(&mut self, playbook: &NewAgentPlaybook) -> Result<AgentPlaybookId, StoreError>;

    /// The playbook of this id, with its source windows.
    fn find(&mut self, id: AgentPlaybookId) -> Result<Option<AgentPlaybook>, StoreError>;

    /// Replaces the playbook of the same id and its source windows. MUST return false when there is none.
    fn replace(&mut self, playbook: &AgentPlaybook) -> Result<bool, StoreError>;

    /// Records what people decided about the playbook. MUST return false when there is none.
    fn set_status(&mut self, id: AgentPlaybookId, status: PlaybookStatus) -> Result<bool, StoreError>;

    /// Deletes the playbook and its source windows. MUST return false when there is none.
    fn delete(&mut self, id: AgentPlaybookId) -> Result<bool, StoreError>;
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn ProfileTx, MockProfileTx);
#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn UserPlaybookTx, MockUserPlaybookTx);
#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn AgentPlaybookTx, MockAgentPlaybookTx);
