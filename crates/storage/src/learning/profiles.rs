//! Profiles inside a transaction, and their rows.

use ::learning::{FreeText, Profile, ProfileId, ProfileTx, Put, Remark};
use diesel::prelude::*;
use diesel::query_dsl::methods;
use diesel::upsert::excluded;
use kernel::{Source, StoreError, Timestamp, UserId};

use super::columns::{corrupt, status_of, status_text, tags_of, tags_text};
use super::words::Mark;
use crate::schema::{profile_words, profiles};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn ProfileTx);

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = profiles)]
pub(super) struct ProfileRow {
    profile_id: String,
    user_id: String,
    content: String,
    source: String,
    generated_from_request_id: String,
    time_to_live: String,
    tags: String,
    last_modified_timestamp: i64,
    expiration_timestamp: Option<i64>,
    status: String,
}

#[derive(Insertable)]
#[diesel(table_name = profiles, treat_none_as_default_value = false)]
struct NewProfile<'a> {
    org_id: &'a str,
    profile_id: &'a str,
    user_id: &'a str,
    content: &'a str,
    source: &'a str,
    generated_from_request_id: &'a str,
    time_to_live: &'a str,
    tags: String,
    last_modified_timestamp: i64,
    expiration_timestamp: Option<i64>,
    status: &'static str,
}

impl<'a> NewProfile<'a> {
    fn of(org_id: &'a str, profile: &'a Profile) -> Result<Self, StoreError> {
        Ok(Self {
            org_id,
            profile_id: profile.profile_id.as_str(),
            user_id: profile.user.as_str(),
            content: profile.content.as_str(),
            source: profile.source.as_str(),
            generated_from_request_id: profile.generated_from_request_id.as_str(),
            time_to_live: profile.time_to_live.as_str(),
            tags: tags_text(&profile.tags)?,
            last_modified_timestamp: profile.last_modified.seconds(),
            expiration_timestamp: profile.expires_at.map(Timestamp::seconds),
            status: status_text(profile.status),
        })
    }
}

impl TryFrom<ProfileRow> for Profile {
    type Error = StoreError;

    fn try_from(row: ProfileRow) -> Result<Self, StoreError> {
        let bad = |column: &str| corrupt(&format!("profiles.{column}"));
        Ok(Self {
            profile_id: ProfileId::new(&row.profile_id).map_err(|_| bad("profile_id"))?,
            user: UserId::new(&row.user_id).map_err(|_| bad("user_id"))?,
            content: FreeText::new(row.content).map_err(|_| bad("content"))?,
            source: Source::new(&row.source).map_err(|_| bad("source"))?,
            generated_from_request_id: Remark::new(&row.generated_from_request_id)
                .map_err(|_| bad("generated_from_request_id"))?,
            time_to_live: Remark::new(&row.time_to_live).map_err(|_| bad("time_to_live"))?,
            tags: tags_of(&row.tags, "profiles.tags")?,
            last_modified: Timestamp::from_seconds(row.last_modified_timestamp),
            expires_at: row.expiration_timestamp.map(Timestamp::from_seconds),
            status: status_of(&row.status, "profiles.status")?,
        })
    }
}

impl ProfileTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn put(&mut self, profile: &Profile) -> Result<Put, StoreError> {
        self.must_have_admitted(&profile.user)?;
        let Some(key) = self.put_row(profile)? else { return Ok(Put::OwnedByAnother) };
        let words = Mark::of_user(&self.org, &profile.user).index(&[profile.content.as_str()]);
        self.query(|conn, org| {
            let row = (
                profile_words::profile_key.eq(key),
                profile_words::org_id.eq(org),
                profile_words::user_id.eq(profile.user.as_str()),
                profile_words::words.eq(&words),
            );
            on_each!(conn, |c| diesel::insert_into(profile_words::table)
                .values(row)
                .on_conflict(profile_words::profile_key)
                .do_update()
                .set(profile_words::words.eq(excluded(profile_words::words)))
                .execute(c))
        })?;
        Ok(Put::Kept)
    }

    fn find(&mut self, id: &ProfileId) -> Result<Option<Profile>, StoreError> {
        let row = self.query(|conn, org| {
            profiles::table
                .filter(profiles::org_id.eq(org))
                .filter(profiles::profile_id.eq(id.as_str()))
                .select(ProfileRow::as_select())
                .first(conn)
                .optional()
        })?;
        row.map(Profile::try_from).transpose()
    }

    fn delete(&mut self, id: &ProfileId) -> Result<bool, StoreError> {
        let Some(profile) = ProfileTx::find(self, id)? else { return Ok(false) };
        self.must_have_admitted(&profile.user)?;
        let deleted = self.query(|conn, org| {
            let named =
                profiles::table.filter(profiles::org_id.eq(org)).filter(profiles::profile_id.eq(id.as_str()));
            diesel::delete(named).execute(conn)
        })?;
        Ok(deleted == 1)
    }
}

impl OrgTx {
    /// The number of the profile that is kept now; none when the id belongs to another user.
    fn put_row(&mut self, profile: &Profile) -> Result<Option<i64>, StoreError> {
        let org_id = self.org.clone();
        let row = NewProfile::of(org_id.as_str(), profile)?;
        self.query(|conn, _| {
            let replaced = diesel::insert_into(profiles::table)
                .values(&row)
                .on_conflict((profiles::org_id, profiles::profile_id))
                .do_update()
                .set((
                    profiles::content.eq(excluded(profiles::content)),
                    profiles::source.eq(excluded(profiles::source)),
                    profiles::generated_from_request_id.eq(excluded(profiles::generated_from_request_id)),
                    profiles::time_to_live.eq(excluded(profiles::time_to_live)),
                    profiles::tags.eq(excluded(profiles::tags)),
                    profiles::last_modified_timestamp.eq(excluded(profiles::last_modified_timestamp)),
                    profiles::expiration_timestamp.eq(excluded(profiles::expiration_timestamp)),
                    profiles::status.eq(excluded(profiles::status)),
                ));
            let of_same_user = profiles::user_id.eq(excluded(profiles::user_id));
            let statement =
                methods::FilterDsl::filter(replaced, of_same_user).returning(profiles::profile_key);
            on_each!(conn, |c| statement.get_result(c).optional())
        })
    }
}
