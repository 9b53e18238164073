//! A credential as it is kept: everything but the token.

use kernel::{ActorRef, Caller, CredentialKind, OrgId, Permissions, Timestamp};

use crate::TokenDigest;

/// The public name of a credential, safe to list, log and revoke by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CredentialId(String);

impl CredentialId {
    /// Derives the id from random bits.
    #[must_use]
    pub fn from_random(bits: [u8; 32]) -> Self {
        use std::fmt::Write as _;
        Self(bits.iter().take(8).fold("cred_".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// An id as it was stored or typed.
    #[must_use]
    pub fn named(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A credential of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Its public name.
    pub id: CredentialId,
    /// Its kind.
    pub kind: CredentialKind,
    /// What it may do beyond its kind.
    pub permissions: Permissions,
    /// What is kept of its token.
    pub digest: TokenDigest,
    /// The dashboard credential that a session was made from; the session ends with it.
    pub parent: Option<CredentialId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it last opened a door, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

impl Credential {
    /// Whether it opens anything at this time.
    #[must_use]
    pub fn works_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// The caller it authenticates.
    #[must_use]
    pub fn caller(&self, org: &OrgId) -> Caller {
        Caller {
            org: org.clone(),
            kind: self.kind,
            permissions: self.permissions,
            actor: ActorRef::credential(self.id.as_str()),
            expires_at: self.expires_at,
        }
    }
}
