//! Organizations and credentials outside a transaction.

use diesel::dsl::{exists, select};
use diesel::prelude::*;
use kernel::{CredentialKind, OrgId, StoreError};
use organization::{Configuration, Credential, CredentialReader, OrganizationReader, Profile, TokenDigest};

use super::configuration::{from_column, profile_of};
use super::rows::{CredentialRow, kind_text};
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::schema::{credentials, organizations};

/// An organization's profile and the configuration it wrote, if any.
pub(super) type StoredConfiguration = (Profile, Option<Configuration>);
type ConfigurationColumns = (String, Option<String>);

pub(super) fn read_configuration(
    conn: &mut AnyConnection,
    org: &str,
) -> QueryResult<Option<ConfigurationColumns>> {
    organizations::table
        .find(org)
        .select((organizations::profile, organizations::configuration))
        .first(conn)
        .optional()
}

pub(super) fn configuration_of(
    columns: Option<ConfigurationColumns>,
) -> Result<Option<StoredConfiguration>, StoreError> {
    let Some((profile, written)) = columns else { return Ok(None) };
    Ok(Some((profile_of(&profile)?, written.as_deref().map(from_column).transpose()?)))
}

impl CredentialReader for Database {
    fn find(&self, org: &OrgId, digest: &TokenDigest) -> Result<Option<Credential>, StoreError> {
        let row = self.read(|conn| {
            credentials::table
                .filter(credentials::org_id.eq(org.as_str()))
                .filter(credentials::token_digest.eq(digest.as_str()))
                .select(CredentialRow::as_select())
                .first(conn)
                .optional()
        })?;
        row.map(Credential::try_from).transpose()
    }

    fn list(&self, org: &OrgId) -> Result<Vec<Credential>, StoreError> {
        let rows = self.read(|conn| {
            credentials::table
                .filter(credentials::org_id.eq(org.as_str()))
                .filter(credentials::kind.ne(kind_text(CredentialKind::Session)))
                .order((credentials::created_at.desc(), credentials::credential_id.asc()))
                .select(CredentialRow::as_select())
                .load(conn)
        })?;
        rows.into_iter().map(Credential::try_from).collect()
    }
}

impl OrganizationReader for Database {
    fn configuration(&self, org: &OrgId) -> Result<Option<StoredConfiguration>, StoreError> {
        configuration_of(self.read(|conn| read_configuration(conn, org.as_str()))?)
    }

    fn is_empty(&self) -> Result<bool, StoreError> {
        self.read(|conn| {
            select(exists(organizations::table.select(organizations::org_id))).get_result::<bool>(conn)
        })
        .map(|any| !any)
    }
}
