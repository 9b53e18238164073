//! Signing in, and credentials as they are listed.

use kernel::{Caller, CredentialKind, Permission, Permissions, Timestamp};
use organization::Credential;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to sign in.
#[derive(Deserialize, ToSchema)]
pub struct SignInRequest {
    /// A dashboard bearer.
    pub token: String,
}

/// Who is calling.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhoAmIResponse {
    /// The organization.
    pub org_id: String,
    /// The kind of credential: `production`, `dashboard` or `session`.
    pub kind: String,
    /// What it may do beyond its kind.
    pub permissions: Vec<String>,
    /// When it stops working, in epoch seconds; null when never.
    pub expires_at: Option<i64>,
}

impl From<&Caller> for WhoAmIResponse {
    fn from(caller: &Caller) -> Self {
        Self {
            org_id: caller.org.as_str().to_owned(),
            kind: kind_text(caller.kind).to_owned(),
            permissions: permission_texts(caller.permissions),
            expires_at: caller.expires_at.map(Timestamp::seconds),
        }
    }
}

/// A credential without its token.
#[derive(Debug, Serialize, ToSchema)]
pub struct CredentialRecord {
    /// Its public name.
    pub credential_id: String,
    /// `production` or `dashboard`.
    pub kind: String,
    /// What it may do beyond its kind.
    pub permissions: Vec<String>,
    /// When it was made.
    pub created_at: i64,
    /// When it stops working; null when never.
    pub expires_at: Option<i64>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

impl From<&Credential> for CredentialRecord {
    fn from(credential: &Credential) -> Self {
        Self {
            credential_id: credential.id.as_str().to_owned(),
            kind: kind_text(credential.kind).to_owned(),
            permissions: permission_texts(credential.permissions),
            created_at: credential.created_at.seconds(),
            expires_at: credential.expires_at.map(Timestamp::seconds),
            last_used_at: credential.last_used_at.map(Timestamp::seconds),
            revoked_at: credential.revoked_at.map(Timestamp::seconds),
        }
    }
}

const fn kind_text(kind: CredentialKind) -> &'static str {
    match kind {
        CredentialKind::Production => "production",
        CredentialKind::Dashboard => "dashboard",
        CredentialKind::Session => "session",
    }
}

fn permission_texts(permissions: Permissions) -> Vec<String> {
    if permissions.allow(Permission::Governance) { vec!["governance".to_owned()] } else { Vec::new() }
}
