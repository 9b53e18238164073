//! What the rules of organizations refuse, as facts.

use kernel::StoreError;

use crate::InvalidSetting;

/// Why a rule about organizations, credentials or configuration refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrganizationError {
    /// No credential, or one that does not open anything: unknown, expired, revoked.
    #[error("the credential is missing, unknown, expired or revoked")]
    NotAuthenticated,
    /// A production key was shown where a person must sign in.
    #[error("an agent's key cannot sign in to the dashboard; use a dashboard credential")]
    PersonRequired,
    /// Governance can be given to a dashboard credential only.
    #[error("only a dashboard credential can carry the governance permission")]
    GovernanceNeedsDashboard,
    /// No credential of the organization has this id.
    #[error("no such credential")]
    CredentialNotFound,
    /// A setting that the configuration does not allow.
    #[error("{0}")]
    InvalidSetting(#[from] InvalidSetting),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
