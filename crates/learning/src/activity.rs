//! What was published, read back by session, and taken back.

use std::collections::HashMap;
use std::slice;
use std::sync::Arc;

use kernel::{AgentVersion, OrgId, Period, RequestId, SessionId, Source, Timestamp, UnitOfWork, UserId};

use crate::{
    ActivityReader, Attribution, Cursor, Interaction, InteractionId, LearningError, Page, PageRequest,
    Purpose, SessionTx, Thing, TokenCount,
};

#[cfg(test)]
mod tests;

/// The identity of a session: two users may share a session id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// Whose session it is.
    pub user: UserId,
    /// Which of the user's sessions.
    pub session: SessionId,
}

/// A published request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id, unique in the organization.
    pub request_id: RequestId,
    /// The session it belongs to.
    pub session: SessionKey,
    /// Where it came from.
    pub source: Source,
    /// The version of the agent that answered.
    pub agent_version: AgentVersion,
    /// What it was published for.
    pub purpose: Purpose,
    /// The arm that the user was in.
    pub attribution: Option<Attribution>,
    /// When it happened: with the earliest of its interactions.
    pub created_at: Timestamp,
}

/// A turn of a published request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedInteraction {
    /// Its id.
    pub interaction_id: InteractionId,
    /// Whose it is.
    pub user: UserId,
    /// The request it came with.
    pub request_id: RequestId,
    /// When it happened.
    pub created_at: Timestamp,
    /// The tokens of its content, where they were counted.
    pub output_tokens: Option<TokenCount>,
    /// What it carries.
    pub body: Interaction,
}

/// A published request with its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedRequest {
    /// The request.
    pub request: Request,
    /// Its turns, in the order published.
    pub interactions: Vec<PublishedInteraction>,
}

/// Whether a list of requests comes with their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Turns {
    /// It does.
    #[default]
    Included,
    /// It does not: no text is read.
    LeftOut,
}

/// Which requests to list; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestFilter {
    /// Of this user.
    pub user: Option<UserId>,
    /// Of sessions of this id.
    pub session: Option<SessionId>,
    /// Of this id.
    pub request: Option<RequestId>,
    /// That happened in this period.
    pub period: Period,
    /// With their turns, or without.
    pub turns: Turns,
}

/// Which interactions to list; what is absent does not filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InteractionFilter {
    /// Of this user.
    pub user: Option<UserId>,
    /// That happened in this period.
    pub period: Period,
}

/// The requests of one session that are on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionGroup {
    /// The session.
    pub session: SessionKey,
    /// Its requests, newest first.
    pub requests: Vec<PublishedRequest>,
}

impl SessionGroup {
    /// Gathers requests by session; the session of the newest request comes first.
    #[must_use]
    pub fn gather(requests: Vec<PublishedRequest>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut places = HashMap::new();
        for request in requests {
            let session = request.request.session.clone();
            let place = *places.entry(session.clone()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.requests.push(request),
                None => groups.push(Self { session, requests: vec![request] }),
            }
        }
        groups
    }
}

/// Lists what was published.
#[derive(Clone)]
pub struct ListRequests {
    reader: Arc<dyn ActivityReader>,
}

impl ListRequests {
    /// Lists requests from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ActivityReader>) -> Self {
        Self { reader }
    }

    /// A page of requests, newest first; [`SessionGroup::gather`] sorts them by session.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &RequestFilter,
        page: PageRequest<RequestId>,
    ) -> Result<Page<PublishedRequest, RequestId>, LearningError> {
        let place = |row: &PublishedRequest| Cursor {
            at: row.request.created_at,
            key: row.request.request_id.clone(),
        };
        Page::read(page, place, |slice| Ok(self.reader.requests(org, filter, slice)?))
    }
}

/// Lists the turns of what was published.
#[derive(Clone)]
pub struct ListInteractions {
    reader: Arc<dyn ActivityReader>,
}

impl ListInteractions {
    /// Lists interactions from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ActivityReader>) -> Self {
        Self { reader }
    }

    /// A page of interactions, newest first.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        page: PageRequest<InteractionId>,
    ) -> Result<Page<PublishedInteraction, InteractionId>, LearningError> {
        let place = |row: &PublishedInteraction| Cursor { at: row.created_at, key: row.interaction_id };
        Page::read(page, place, |slice| Ok(self.reader.interactions(org, filter, slice)?))
    }
}

/// Deletes a session.
#[derive(Clone)]
pub struct DeleteSession {
    store: Arc<dyn UnitOfWork<dyn SessionTx>>,
}

impl DeleteSession {
    /// Deletes sessions in this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn SessionTx>>) -> Self {
        Self { store }
    }

    /// Deletes a session and everything that came with it, and says how many requests it had.
    ///
    /// A caller who does not name the user means the only one who has a session of this id.
    ///
    /// # Errors
    /// When there is no such session, several users have one, the user is being erased, or the store failed.
    pub fn delete(
        &self,
        org: &OrgId,
        session: &SessionId,
        user: Option<&UserId>,
    ) -> Result<u64, LearningError> {
        self.store.transact(org, |tx| {
            let mut owners = tx.owners(session)?;
            owners.retain(|owner| user.is_none_or(|user| user == owner));
            match owners.as_slice() {
                [] => Err(LearningError::NotFound(Thing::Session)),
                [owner] => {
                    tx.admit(slice::from_ref(owner))?;
                    let session = SessionKey { user: owner.clone(), session: session.clone() };
                    Ok(tx.delete(&session)?)
                }
                _ => Err(LearningError::AmbiguousSession),
            }
        })
    }
}
