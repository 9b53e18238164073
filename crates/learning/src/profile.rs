//! Profiles: what is known about a user.

mod keep;

pub use keep::{AddProfiles, DeleteProfile, ListProfiles, UpdateProfile};
use kernel::{Period, Source, Timestamp, UserId};

use crate::{EventTime, FreeText, ProfileId, Remark, Status, StatusFilter, Tag};

/// What is known about a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its id, unique in the organization.
    pub profile_id: ProfileId,
    /// Whom it is about.
    pub user: UserId,
    /// What is known.
    pub content: FreeText,
    /// Where it came from.
    pub source: Source,
    /// The request it was learned from, or another word for its origin.
    pub generated_from_request_id: Remark,
    /// How long it was meant to hold, in the words of whoever added it.
    pub time_to_live: Remark,
    /// Words to sort it by.
    pub tags: Vec<Tag>,
    /// When it was last changed.
    pub last_modified: Timestamp,
    /// From when on it no longer holds.
    pub expires_at: Option<Timestamp>,
    /// Whether it is in use.
    pub status: Status,
}

/// A profile as a caller adds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProfile {
    /// Its id, if the caller has one; the same user's profile of this id is replaced.
    pub profile_id: Option<ProfileId>,
    /// Whom it is about.
    pub user: UserId,
    /// What is known.
    pub content: FreeText,
    /// Where it came from.
    pub source: Source,
    /// The request it was learned from, or another word for its origin.
    pub generated_from_request_id: Remark,
    /// How long it is meant to hold.
    pub time_to_live: Remark,
    /// Words to sort it by.
    pub tags: Vec<Tag>,
    /// When it was last changed; now, unless the caller says.
    pub last_modified: Option<EventTime>,
    /// From when on it no longer holds.
    pub expires_at: Option<EventTime>,
    /// Whether it is in use.
    pub status: Status,
}

/// What to change about a profile; what is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileChanges {
    /// What is known.
    pub content: Option<FreeText>,
    /// Where it came from.
    pub source: Option<Source>,
    /// The request it was learned from.
    pub generated_from_request_id: Option<Remark>,
    /// How long it is meant to hold.
    pub time_to_live: Option<Remark>,
    /// Words to sort it by.
    pub tags: Option<Vec<Tag>>,
    /// From when on it no longer holds.
    pub expires_at: Option<EventTime>,
    /// Whether it is in use.
    pub status: Option<Status>,
}

impl Profile {
    /// The profile after a change at this time.
    #[must_use]
    pub fn changed(self, changes: ProfileChanges, now: Timestamp) -> Self {
        Self {
            profile_id: self.profile_id,
            user: self.user,
            content: changes.content.unwrap_or(self.content),
            source: changes.source.unwrap_or(self.source),
            generated_from_request_id: changes
                .generated_from_request_id
                .unwrap_or(self.generated_from_request_id),
            time_to_live: changes.time_to_live.unwrap_or(self.time_to_live),
            tags: changes.tags.unwrap_or(self.tags),
            last_modified: now,
            expires_at: changes.expires_at.map(EventTime::timestamp).or(self.expires_at),
            status: changes.status.unwrap_or(self.status),
        }
    }
}

/// A profile as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRef {
    /// Its id.
    pub profile_id: ProfileId,
    /// Whose it is, if the caller says; another user's profile is then not found.
    pub user: Option<UserId>,
}

impl ProfileRef {
    /// Whether the profile is the one that the caller named.
    #[must_use]
    pub fn names(&self, profile: &Profile) -> bool {
        self.profile_id == profile.profile_id && self.user.as_ref().is_none_or(|user| *user == profile.user)
    }
}

/// Which profiles to list; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileFilter {
    /// Of this user.
    pub user: Option<UserId>,
    /// From this source.
    pub source: Option<Source>,
    /// That carry every one of these tags.
    pub tags: Vec<Tag>,
    /// Of these statuses.
    pub statuses: StatusFilter,
    /// Last changed in this period.
    pub period: Period,
}
