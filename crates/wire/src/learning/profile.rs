//! Profiles of users.

use kernel::{Source, Timestamp, UserId};
use learning::{
    EventTime, NewProfile, Page, PageRequest, Profile, ProfileChanges, ProfileFilter, ProfileId, ProfileRef,
    Remark, Status, Tag,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::page::PageFields;
use super::{StatusName, free_text, status_filter, tags, told_status};
use crate::{Fields, Invalid};

/// A profile to keep.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ProfileData {
    /// Its id; made when absent.
    pub profile_id: Option<String>,
    /// Whose it is.
    #[schema(min_length = 1, max_length = 255)]
    pub user_id: String,
    /// What was learned.
    pub content: String,
    /// Where it came from.
    pub source: Option<String>,
    /// The request it was made from.
    pub generated_from_request_id: Option<String>,
    /// How long it is meant to hold, in the learner's words.
    pub profile_time_to_live: Option<String>,
    /// Words to sort it by.
    pub tags: Option<Vec<String>>,
    /// When it was made, in epoch seconds; now unless said.
    pub last_modified_timestamp: Option<i64>,
    /// When it ceases to be found.
    pub expiration_timestamp: Option<i64>,
    /// Whether it is in use; absent means that it is.
    pub status: Option<StatusName>,
}

impl ProfileData {
    fn read(self, fields: &mut Fields) -> Option<NewProfile> {
        let profile_id = fields.name("profile_id", self.profile_id, ProfileId::new);
        let user = fields.required("user_id", self.user_id.as_str(), UserId::new);
        let content = free_text(fields, "content", Some(self.content));
        let source = fields.required("source", self.source.as_deref().unwrap_or_default(), Source::new);
        let from = self.generated_from_request_id.unwrap_or_default();
        let from = fields.required("generated_from_request_id", from.as_str(), Remark::new);
        let time_to_live = self.profile_time_to_live.unwrap_or_default();
        let time_to_live = fields.required("profile_time_to_live", time_to_live.as_str(), Remark::new);
        let tags = tags(fields, self.tags);
        let last_modified =
            fields.optional("last_modified_timestamp", self.last_modified_timestamp, EventTime::new);
        let expires_at = fields.optional("expiration_timestamp", self.expiration_timestamp, EventTime::new);
        Some(NewProfile {
            profile_id: profile_id?,
            user: user?,
            content: content?,
            source: source?,
            generated_from_request_id: from?,
            time_to_live: time_to_live?,
            tags: tags?,
            last_modified: last_modified?,
            expires_at: expires_at?,
            status: self.status.map_or(Status::Current, Into::into),
        })
    }
}

/// A request to add profiles.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddProfilesRequest {
    /// The profiles, 1 to 1000.
    pub user_profiles: Vec<ProfileData>,
}

impl AddProfilesRequest {
    /// The valid request.
    pub fn parse(self) -> Result<Vec<NewProfile>, Invalid> {
        let mut fields = Fields::of_body();
        let read = fields.each("user_profiles", self.user_profiles, |fields, one| one.read(fields));
        fields.finish(read)
    }
}

/// A request to change a profile.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateProfileRequest {
    /// The profile.
    #[schema(min_length = 1, max_length = 255)]
    pub profile_id: String,
    /// Whose it is, to be sure.
    pub user_id: Option<String>,
    /// What was learned.
    pub content: Option<String>,
    /// Where it came from.
    pub source: Option<String>,
    /// The request it was made from.
    pub generated_from_request_id: Option<String>,
    /// How long it is meant to hold.
    pub profile_time_to_live: Option<String>,
    /// Words to sort it by.
    pub tags: Option<Vec<String>>,
    /// When it ceases to be found.
    pub expiration_timestamp: Option<i64>,
    /// Whether it is in use.
    pub status: Option<StatusName>,
}

impl UpdateProfileRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(ProfileRef, ProfileChanges), Invalid> {
        let mut fields = Fields::of_body();
        let named = read_ref(&mut fields, &self.profile_id, self.user_id);
        let content = fields.optional("content", self.content, learning::FreeText::new);
        let source = fields.optional("source", self.source.as_deref(), Source::new);
        let from = fields.optional(
            "generated_from_request_id",
            self.generated_from_request_id.as_deref(),
            Remark::new,
        );
        let time_to_live =
            fields.optional("profile_time_to_live", self.profile_time_to_live.as_deref(), Remark::new);
        let changed_tags = match self.tags {
            None => Some(None),
            given => tags(&mut fields, given).map(Some),
        };
        let expires_at = fields.optional("expiration_timestamp", self.expiration_timestamp, EventTime::new);
        let status = self.status.map(Into::into);
        let changes = || {
            Some(ProfileChanges {
                content: content?,
                source: source?,
                generated_from_request_id: from?,
                time_to_live: time_to_live?,
                tags: changed_tags?,
                expires_at: expires_at?,
                status,
            })
        };
        let changes = changes();
        fields.finish(named.zip(changes))
    }
}

fn read_ref(fields: &mut Fields, profile_id: &str, user_id: Option<String>) -> Option<ProfileRef> {
    let profile_id = fields.required("profile_id", profile_id, ProfileId::new);
    let user = fields.name("user_id", user_id, UserId::new);
    Some(ProfileRef { profile_id: profile_id?, user: user? })
}

/// A request to delete a profile.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DeleteProfileRequest {
    /// The profile.
    #[schema(min_length = 1, max_length = 255)]
    pub profile_id: String,
    /// Whose it is, to be sure.
    pub user_id: Option<String>,
}

impl DeleteProfileRequest {
    /// The valid request.
    pub fn parse(self) -> Result<ProfileRef, Invalid> {
        let mut fields = Fields::of_body();
        let named = read_ref(&mut fields, &self.profile_id, self.user_id);
        fields.finish(named)
    }
}

/// A request for profiles.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetProfilesRequest {
    /// Only this user's.
    pub user_id: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only with all of these tags.
    pub tags: Option<Vec<String>>,
    /// Only of these statuses; what is in use unless said.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    /// Which part of the list.
    #[serde(flatten)]
    pub page: PageFields,
}

impl GetProfilesRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(ProfileFilter, PageRequest<ProfileId>), Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.name("user_id", self.user_id, UserId::new);
        let source = fields.name("source", self.source, Source::new);
        let tags = tags(&mut fields, self.tags);
        let period = self.page.period(&mut fields);
        let page = self.page.page(&mut fields);
        let statuses = status_filter(self.status_filter);
        let filter =
            || Some(ProfileFilter { user: user?, source: source?, tags: tags?, statuses, period: period? });
        let filter = filter();
        fields.finish(filter.zip(page))
    }
}

/// A profile as it is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProfileRecord {
    /// Its id.
    pub profile_id: String,
    /// Whose it is.
    pub user_id: String,
    /// What was learned.
    pub content: String,
    /// When it was last changed, in epoch seconds.
    pub last_modified_timestamp: i64,
    /// The request it was made from.
    pub generated_from_request_id: String,
    /// How long it is meant to hold, in the learner's words.
    pub profile_time_to_live: String,
    /// When it ceases to be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_timestamp: Option<i64>,
    /// Where it came from.
    pub source: String,
    /// Words to sort it by.
    pub tags: Vec<String>,
    /// Left out while it is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
}

impl From<&Profile> for ProfileRecord {
    fn from(profile: &Profile) -> Self {
        Self {
            profile_id: profile.profile_id.as_str().to_owned(),
            user_id: profile.user.as_str().to_owned(),
            content: profile.content.as_str().to_owned(),
            last_modified_timestamp: profile.last_modified.seconds(),
            generated_from_request_id: profile.generated_from_request_id.as_str().to_owned(),
            profile_time_to_live: profile.time_to_live.as_str().to_owned(),
            expiration_timestamp: profile.expires_at.map(Timestamp::seconds),
            source: profile.source.as_str().to_owned(),
            tags: profile.tags.iter().map(Tag::as_str).map(str::to_owned).collect(),
            status: told_status(profile.status),
        }
    }
}

/// Profiles, the last changed first.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetProfilesResponse {
    /// Always true.
    pub success: bool,
    /// The profiles.
    pub user_profiles: Vec<ProfileRecord>,
    /// Whether there is more.
    pub has_more: bool,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was found, for people.
    pub msg: String,
}

impl From<Page<Profile, ProfileId>> for GetProfilesResponse {
    fn from(page: Page<Profile, ProfileId>) -> Self {
        Self {
            success: true,
            has_more: page.has_more(),
            next_cursor: page.next.as_ref().map(learning::Cursor::encode),
            msg: format!("Found {} profile(s)", page.rows.len()),
            user_profiles: page.rows.iter().map(Into::into).collect(),
        }
    }
}
