//! Who is calling: the organization, the kind of credential, and what it may do.

use crate::{OrgId, Timestamp};

/// The kinds of credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CredentialKind {
    /// An agent's API key.
    Production,
    /// A person's bearer.
    Dashboard,
    /// What a person's browser holds after signing in with a dashboard bearer.
    Session,
}

/// Something a credential may do beyond what its kind allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Export and erase users.
    Governance,
}

/// The permissions of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permissions {
    governance: bool,
}

impl Permissions {
    /// No permission beyond the credential's kind.
    #[must_use]
    pub const fn none() -> Self {
        Self { governance: false }
    }

    /// The permission to export and erase users.
    #[must_use]
    pub const fn governance() -> Self {
        Self { governance: true }
    }

    /// Whether the permission is among these.
    #[must_use]
    pub const fn allow(self, permission: Permission) -> bool {
        match permission {
            Permission::Governance => self.governance,
        }
    }
}

/// A minimized reference to whoever acts: the public id of a credential, never its token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ActorRef(String);

impl ActorRef {
    /// The actor behind a credential id.
    #[must_use]
    pub fn credential(id: &str) -> Self {
        Self(id.to_owned())
    }

    /// The operator at the command line.
    #[must_use]
    pub fn operator() -> Self {
        Self("operator".to_owned())
    }

    /// The reference as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The organization the credential belongs to, and the only one it can see.
    pub org: OrgId,
    /// The kind of credential that was shown.
    pub kind: CredentialKind,
    /// What the credential may do beyond its kind.
    pub permissions: Permissions,
    /// The credential's public id.
    pub actor: ActorRef,
    /// When the credential stops working, if ever.
    pub expires_at: Option<Timestamp>,
}

impl Caller {
    /// Whether a person calls, with a dashboard bearer or a session made from one.
    #[must_use]
    pub fn is_person(&self) -> bool {
        matches!(self.kind, CredentialKind::Dashboard | CredentialKind::Session)
    }

    /// Whether the caller may export and erase users: a person with the permission, never an agent's key.
    #[must_use]
    pub fn may_govern(&self) -> bool {
        self.is_person() && self.permissions.allow(Permission::Governance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(kind: CredentialKind, permissions: Permissions) -> Caller {
        let org = OrgId::new("acme").unwrap();
        Caller { org, kind, permissions, actor: ActorRef::credential("cred_1"), expires_at: None }
    }

    #[test]
    fn a_production_key_never_governs_whatever_its_permissions() {
        assert!(!caller(CredentialKind::Production, Permissions::governance()).may_govern());
    }

    #[test]
    fn a_person_governs_only_with_the_permission() {
        assert!(caller(CredentialKind::Dashboard, Permissions::governance()).may_govern());
        assert!(caller(CredentialKind::Session, Permissions::governance()).may_govern());
        assert!(!caller(CredentialKind::Dashboard, Permissions::none()).may_govern());
    }
}
