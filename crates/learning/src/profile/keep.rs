//! Adding, changing, deleting and listing profiles.

use std::slice;
use std::sync::Arc;

use kernel::{Clock, OrgId, Timestamp, UnitOfWork, UserId};

use crate::batch::check_size;
use crate::time::stated_or;
use crate::{
    Cursor, EventTime, Ids, LearningError, LearningReader, NewProfile, Page, PageRequest, Profile,
    ProfileChanges, ProfileFilter, ProfileId, ProfileRef, ProfileTx, Put, Thing,
};

#[cfg(test)]
mod tests;

/// Adds profiles.
#[derive(Clone)]
pub struct AddProfiles {
    store: Arc<dyn UnitOfWork<dyn ProfileTx>>,
    ids: Arc<dyn Ids>,
    clock: Arc<dyn Clock>,
}

impl AddProfiles {
    /// Adds profiles to this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn ProfileTx>>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>) -> Self {
        Self { store, ids, clock }
    }

    /// Adds all of the profiles or none; a given id replaces the same user's profile of that id.
    ///
    /// # Errors
    /// When there are none or too many, an id belongs to another user, a user is being erased, or the store failed.
    pub fn add(&self, org: &OrgId, given: Vec<NewProfile>) -> Result<Vec<ProfileId>, LearningError> {
        check_size(&given)?;
        let now = self.clock.now();
        let profiles: Vec<_> = given.into_iter().map(|profile| self.complete(profile, now)).collect();
        let users: Vec<UserId> = crate::batch::distinct(profiles.iter().map(|profile| &profile.user));
        self.store.transact(org, |tx| {
            tx.admit(&users)?;
            for profile in &profiles {
                keep(tx, profile)?;
            }
            Ok::<_, LearningError>(())
        })?;
        Ok(profiles.into_iter().map(|profile| profile.profile_id).collect())
    }

    fn complete(&self, given: NewProfile, now: Timestamp) -> Profile {
        Profile {
            profile_id: given.profile_id.unwrap_or_else(|| self.ids.profile_id()),
            user: given.user,
            content: given.content,
            source: given.source,
            generated_from_request_id: given.generated_from_request_id,
            time_to_live: given.time_to_live,
            tags: given.tags,
            last_modified: stated_or(now, given.last_modified),
            expires_at: given.expires_at.map(EventTime::timestamp),
            status: given.status,
        }
    }
}

fn keep(tx: &mut dyn ProfileTx, profile: &Profile) -> Result<(), LearningError> {
    match tx.put(profile)? {
        Put::Kept => Ok(()),
        Put::OwnedByAnother => Err(LearningError::ProfileOfAnotherUser { id: profile.profile_id.clone() }),
    }
}

/// The profile that the caller named, with its user admitted by the write gate.
fn admitted(tx: &mut dyn ProfileTx, named: &ProfileRef) -> Result<Profile, LearningError> {
    let found = tx.find(&named.profile_id)?.filter(|profile| named.names(profile));
    let profile = found.ok_or(LearningError::NotFound(Thing::Profile))?;
    tx.admit(slice::from_ref(&profile.user))?;
    Ok(profile)
}

/// Changes a profile.
#[derive(Clone)]
pub struct UpdateProfile {
    store: Arc<dyn UnitOfWork<dyn ProfileTx>>,
    clock: Arc<dyn Clock>,
}

impl UpdateProfile {
    /// Changes profiles in this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn ProfileTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Changes the stated fields of a profile and leaves the others.
    ///
    /// # Errors
    /// When there is no such profile, its user is being erased, or the store failed.
    pub fn update(
        &self,
        org: &OrgId,
        named: &ProfileRef,
        changes: &ProfileChanges,
    ) -> Result<(), LearningError> {
        let now = self.clock.now();
        self.store.transact(org, |tx| {
            let profile = admitted(tx, named)?.changed(changes.clone(), now);
            keep(tx, &profile)
        })
    }
}

/// Deletes a profile.
#[derive(Clone)]
pub struct DeleteProfile {
    store: Arc<dyn UnitOfWork<dyn ProfileTx>>,
}

impl DeleteProfile {
    /// Deletes profiles from this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn ProfileTx>>) -> Self {
        Self { store }
    }

    /// Deletes a profile.
    ///
    /// # Errors
    /// When there is no such profile, its user is being erased, or the store failed.
    pub fn delete(&self, org: &OrgId, named: &ProfileRef) -> Result<(), LearningError> {
        self.store.transact(org, |tx| {
            let profile = admitted(tx, named)?;
            let deleted = tx.delete(&profile.profile_id)?;
            if deleted { Ok(()) } else { Err(LearningError::NotFound(Thing::Profile)) }
        })
    }
}

/// Lists profiles.
#[derive(Clone)]
pub struct ListProfiles {
    reader: Arc<dyn LearningReader>,
}

impl ListProfiles {
    /// Lists profiles from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn LearningReader>) -> Self {
        Self { reader }
    }

    /// A page of profiles, the last changed first.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &ProfileFilter,
        page: PageRequest<ProfileId>,
    ) -> Result<Page<Profile, ProfileId>, LearningError> {
        let place = |row: &Profile| Cursor { at: row.last_modified, key: row.profile_id.clone() };
        Page::read(page, place, |slice| Ok(self.reader.profiles(org, filter, slice)?))
    }
}
