//! Credential rows and their way to and from the domain.

use diesel::{Insertable, Queryable, Selectable};
use kernel::{CredentialKind, Permission, Permissions, StoreError, Timestamp};
use organization::{Credential, CredentialId, TokenDigest};

use crate::schema::credentials;

#[derive(Queryable, Selectable)]
#[diesel(table_name = credentials)]
pub(super) struct CredentialRow {
    credential_id: String,
    token_digest: String,
    kind: String,
    may_govern: bool,
    parent_id: Option<String>,
    created_at: i64,
    expires_at: Option<i64>,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = credentials)]
pub(super) struct NewCredential<'a> {
    org_id: &'a str,
    credential_id: &'a str,
    token_digest: &'a str,
    kind: &'static str,
    may_govern: bool,
    parent_id: Option<&'a str>,
    created_at: i64,
    expires_at: Option<i64>,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl<'a> NewCredential<'a> {
    pub(super) fn of(org_id: &'a str, credential: &'a Credential) -> Self {
        Self {
            org_id,
            credential_id: credential.id.as_str(),
            token_digest: credential.digest.as_str(),
            kind: kind_text(credential.kind),
            may_govern: credential.permissions.allow(Permission::Governance),
            parent_id: credential.parent.as_ref().map(CredentialId::as_str),
            created_at: credential.created_at.seconds(),
            expires_at: credential.expires_at.map(Timestamp::seconds),
            last_used_at: credential.last_used_at.map(Timestamp::seconds),
            revoked_at: credential.revoked_at.map(Timestamp::seconds),
        }
    }
}

impl TryFrom<CredentialRow> for Credential {
    type Error = StoreError;

    fn try_from(row: CredentialRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: CredentialId::named(&row.credential_id),
            kind: kind_of(&row.kind)?,
            permissions: if row.may_govern { Permissions::governance() } else { Permissions::none() },
            digest: TokenDigest::stored(row.token_digest),
            parent: row.parent_id.as_deref().map(CredentialId::named),
            created_at: Timestamp::from_seconds(row.created_at),
            expires_at: row.expires_at.map(Timestamp::from_seconds),
            last_used_at: row.last_used_at.map(Timestamp::from_seconds),
            revoked_at: row.revoked_at.map(Timestamp::from_seconds),
        })
    }
}

pub(super) const fn kind_text(kind: CredentialKind) -> &'static str {
    match kind {
        CredentialKind::Production => "production",
        CredentialKind::Dashboard => "dashboard",
        CredentialKind::Session => "session",
    }
}

fn kind_of(text: &str) -> Result<CredentialKind, StoreError> {
    match text {
        "production" => Ok(CredentialKind::Production),
        "dashboard" => Ok(CredentialKind::Dashboard),
        "session" => Ok(CredentialKind::Session),
        _ => Err(StoreError::Corrupt("credentials.kind".to_owned())),
    }
}
