//! What this room asks of the rest of the house.

use kernel::{CredentialKind, OrgId, RequestId, SessionId, StoreError, UserId};

use crate::{Attribution, ProfileId, TokenCount};

/// A search that asks to be let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchVisit {
    /// The kind of credential that searches.
    pub kind: CredentialKind,
    /// For whom it searches, if it says.
    pub user: Option<UserId>,
    /// In which session, if it says.
    pub session: Option<SessionId>,
}

/// What the gate says to a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// No experiment concerns the search.
    Pass,
    /// The user is in this experiment and retrieves.
    Retrieve(Attribution),
    /// The user is in this experiment and is held out: nothing may be retrieved.
    Withhold(Attribution),
    /// An experiment is active and the search does not say for whom it is.
    UserRequired,
}

/// What the gate says to an attribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributionCheck {
    /// The user is in that arm of that experiment.
    Holds,
    /// There never was such an experiment.
    UnknownExperiment,
    /// The user is in the other arm.
    WrongArm,
}

/// Knows the experiments; answered by the room that runs them.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait RetrievalGate: Send + Sync {
    /// Whether a search may retrieve.
    ///
    /// MUST answer [`Admission::Pass`] to a person's credential and while no experiment is active. MUST record the
    /// exposure of an admitted or withheld user, and MUST NOT fail the search when that does not work.
    fn admit_search(&self, org: &OrgId, visit: &SearchVisit) -> Result<Admission, StoreError>;

    /// Whether the user was in the stated arm. MUST accept an experiment that has ended.
    fn check_attribution(
        &self,
        org: &OrgId,
        stated: &Attribution,
        user: &UserId,
    ) -> Result<AttributionCheck, StoreError>;
}

/// The settings of an organization that publishing needs.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PublishSettings: Send + Sync {
    /// How long after its last request a session is due to be evaluated.
    fn evaluation_delay_seconds(&self, org: &OrgId) -> Result<u32, StoreError>;
}

/// Counts the tokens of agents' words.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait TokenCounter: Send + Sync {
    /// The number of `cl100k_base` tokens in the text; `None` when it cannot be counted, never a guess.
    fn count(&self, text: &str) -> Option<TokenCount>;
}

/// Makes ids that nobody has used.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Ids: Send + Sync {
    /// A new request id.
    fn request_id(&self) -> RequestId;

    /// A new profile id.
    fn profile_id(&self) -> ProfileId;
}
