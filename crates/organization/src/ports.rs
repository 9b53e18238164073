//! What the rules of organizations need from the outside.

use kernel::{OrgId, StoreError, Timestamp};

use crate::{Configuration, Credential, CredentialId, Profile, TokenDigest};

/// Draws random bits from the operating system.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Randomness: Send + Sync {
    /// 256 fresh random bits, fit for secrets.
    fn bits(&self) -> [u8; 32];
}

/// Knows which versions of the judge's prompts this binary carries.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PromptCatalogue: Send + Sync {
    /// Whether verdicts can be produced and read under this version.
    fn carries(&self, version: &str) -> bool;
}

/// One organization, its credentials and its configuration, inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait OrganizationTx {
    /// Makes the organization if it is new.
    ///
    /// MUST return false, and change nothing, if it exists.
    fn found(&mut self, profile: Profile, created_at: Timestamp) -> Result<bool, StoreError>;

    /// Keeps a new credential.
    fn insert_credential(&mut self, credential: &Credential) -> Result<(), StoreError>;

    /// Marks a credential, and every session made from it, as revoked.
    ///
    /// MUST return false if there is no such credential; an earlier revocation keeps its time.
    fn revoke_credential(&mut self, id: &CredentialId, at: Timestamp) -> Result<bool, StoreError>;

    /// Whether a credential works no more: it was revoked, or is not there.
    fn is_revoked(&mut self, id: &CredentialId) -> Result<bool, StoreError>;

    /// Notes that a credential opened a door.
    fn touch_credential(&mut self, id: &CredentialId, at: Timestamp) -> Result<(), StoreError>;

    /// Forgets sessions that ended before this time, so that sign-ins do not pile up.
    fn forget_sessions(&mut self, ended_before: Timestamp) -> Result<(), StoreError>;

    /// The profile the organization was founded with and its configuration, if one was ever written.
    ///
    /// MUST return `None` if there is no such organization.
    fn configuration(&mut self) -> Result<Option<(Profile, Option<Configuration>)>, StoreError>;

    /// Keeps the whole configuration.
    fn write_configuration(&mut self, configuration: &Configuration) -> Result<(), StoreError>;
}

/// Looks credentials up outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait CredentialReader: Send + Sync {
    /// The credential of this organization with this digest, whether or not it still works.
    ///
    /// MUST report a session as revoked when the credential it was made from is.
    fn find(&self, org: &OrgId, digest: &TokenDigest) -> Result<Option<Credential>, StoreError>;

    /// The organization's credentials, newest first, without sessions.
    fn list(&self, org: &OrgId) -> Result<Vec<Credential>, StoreError>;
}

/// Looks organizations up outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait OrganizationReader: Send + Sync {
    /// The organization's profile and its configuration, if one was ever written.
    ///
    /// MUST return `None` if there is no such organization.
    fn configuration(&self, org: &OrgId) -> Result<Option<(Profile, Option<Configuration>)>, StoreError>;

    /// Whether any organization exists.
    fn is_empty(&self) -> Result<bool, StoreError>;
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn OrganizationTx, MockOrganizationTx);
