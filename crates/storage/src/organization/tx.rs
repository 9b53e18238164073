//! An organization, its credentials and its configuration inside a transaction.

use diesel::prelude::*;
use kernel::{CredentialKind, StoreError, Timestamp};
use organization::{Configuration, Credential, CredentialId, OrganizationTx, Profile};

use super::configuration::{profile_text, to_column};
use super::reader::{StoredConfiguration, configuration_of, read_configuration};
use super::rows::{NewCredential, kind_text};
use crate::schema::{credentials, organizations};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn OrganizationTx);

impl OrganizationTx for OrgTx {
    fn found(&mut self, profile: Profile, created_at: Timestamp) -> Result<bool, StoreError> {
        let made = self.query(|conn, org| {
            let row = (
                organizations::org_id.eq(org),
                organizations::profile.eq(profile_text(profile)),
                organizations::created_at.eq(created_at.seconds()),
            );
            on_each!(conn, |c| diesel::insert_into(organizations::table)
                .values(row)
                .on_conflict_do_nothing()
                .execute(c))
        })?;
        Ok(made == 1)
    }

    fn insert_credential(&mut self, credential: &Credential) -> Result<(), StoreError> {
        self.query(|conn, org| {
            diesel::insert_into(credentials::table).values(NewCredential::of(org, credential)).execute(conn)
        })?;
        Ok(())
    }

    fn revoke_credential(&mut self, id: &CredentialId, at: Timestamp) -> Result<bool, StoreError> {
        self.query(|conn, org| {
            let working = credentials::table
                .filter(credentials::org_id.eq(org))
                .filter(credentials::credential_id.eq(id.as_str()).or(credentials::parent_id.eq(id.as_str())))
                .filter(credentials::revoked_at.is_null());
            diesel::update(working).set(credentials::revoked_at.eq(at.seconds())).execute(conn)
        })?;
        self.query(|conn, org| {
            diesel::select(diesel::dsl::exists(credentials::table.find((org, id.as_str())))).get_result(conn)
        })
    }

    fn is_revoked(&mut self, id: &CredentialId) -> Result<bool, StoreError> {
        let revoked_at: Option<Option<i64>> = self.query(|conn, org| {
            credentials::table.find((org, id.as_str())).select(credentials::revoked_at).first(conn).optional()
        })?;
        Ok(!matches!(revoked_at, Some(None)))
    }

    fn touch_credential(&mut self, id: &CredentialId, at: Timestamp) -> Result<(), StoreError> {
        self.query(|conn, org| {
            diesel::update(credentials::table.find((org, id.as_str())))
                .set(credentials::last_used_at.eq(at.seconds()))
                .execute(conn)
        })?;
        Ok(())
    }

    fn forget_sessions(&mut self, ended_before: Timestamp) -> Result<(), StoreError> {
        self.query(|conn, org| {
            let ended = credentials::table
                .filter(credentials::org_id.eq(org))
                .filter(credentials::kind.eq(kind_text(CredentialKind::Session)))
                .filter(credentials::expires_at.lt(ended_before.seconds()));
            diesel::delete(ended).execute(conn)
        })?;
        Ok(())
    }

    fn configuration(&mut self) -> Result<Option<StoredConfiguration>, StoreError> {
        configuration_of(self.query(read_configuration)?)
    }

    fn write_configuration(&mut self, configuration: &Configuration) -> Result<(), StoreError> {
        let column = to_column(configuration)?;
        self.query(|conn, org| {
            diesel::update(organizations::table.find(org))
                .set(organizations::configuration.eq(&column))
                .execute(conn)
        })?;
        Ok(())
    }
}
