//! Reading back what was published.

use kernel::{RequestId, SessionId, UserId};
use learning::{
    InteractionFilter, InteractionId, Page, PageRequest, PublishedInteraction, PublishedRequest, Request,
    RequestFilter, SessionGroup, Turns,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::interaction::InteractionRecord;
use super::page::PageFields;
use super::publish::ArmName;
use crate::{Fields, Invalid};

/// A request for published requests, newest first.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetRequestsRequest {
    /// Only this user's.
    pub user_id: Option<String>,
    /// Only this one.
    pub request_id: Option<String>,
    /// Only this session's.
    pub session_id: Option<String>,
    /// Whether the turns come along; true unless said.
    pub include_interactions: Option<bool>,
    /// Which part of the list.
    #[serde(flatten)]
    pub page: PageFields,
}

impl GetRequestsRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(RequestFilter, PageRequest<RequestId>), Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.name("user_id", self.user_id, UserId::new);
        let request = fields.name("request_id", self.request_id, RequestId::new);
        let session = fields.name("session_id", self.session_id, SessionId::new);
        let period = self.page.period(&mut fields);
        let page = self.page.page(&mut fields);
        let turns = if self.include_interactions == Some(false) { Turns::LeftOut } else { Turns::Included };
        let filter = || {
            Some(RequestFilter { user: user?, session: session?, request: request?, period: period?, turns })
        };
        let filter = filter();
        fields.finish(filter.zip(page))
    }
}

/// Published requests by session.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetRequestsResponse {
    /// Always true.
    pub success: bool,
    /// The sessions of the requests on this page.
    pub sessions: Vec<SessionRecord>,
    /// Whether there is more.
    pub has_more: bool,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was found, for people.
    pub msg: String,
}

/// A session's requests.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionRecord {
    /// The session.
    pub session_id: String,
    /// Whose it is.
    pub user_id: String,
    /// Its requests on this page.
    pub requests: Vec<RequestWithInteractions>,
}

/// A request with its turns.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestWithInteractions {
    /// The request.
    pub request: RequestRecord,
    /// Its turns, in their order; none when they were left out.
    pub interactions: Vec<InteractionRecord>,
}

/// A published request.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestRecord {
    /// Its id.
    pub request_id: String,
    /// Whose it is.
    pub user_id: String,
    /// When it happened, in epoch seconds.
    pub created_at: i64,
    /// Where it came from.
    pub source: String,
    /// The version of the agent that answered.
    pub agent_version: String,
    /// Its session.
    pub session_id: String,
    /// The experiment it was published under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieval_experiment_id: Option<String>,
    /// The arm its user was in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieval_experiment_arm: Option<ArmName>,
}

impl From<&Request> for RequestRecord {
    fn from(request: &Request) -> Self {
        Self {
            request_id: request.request_id.as_str().to_owned(),
            user_id: request.session.user.as_str().to_owned(),
            created_at: request.created_at.seconds(),
            source: request.source.as_str().to_owned(),
            agent_version: request.agent_version.as_str().to_owned(),
            session_id: request.session.session.as_str().to_owned(),
            retrieval_experiment_id: request
                .attribution
                .as_ref()
                .map(|one| one.experiment.as_str().to_owned()),
            retrieval_experiment_arm: request.attribution.as_ref().map(|one| one.arm.into()),
        }
    }
}

impl From<Page<PublishedRequest, RequestId>> for GetRequestsResponse {
    fn from(page: Page<PublishedRequest, RequestId>) -> Self {
        let (has_more, next_cursor) = (page.has_more(), page.next.as_ref().map(learning::Cursor::encode));
        let found = page.rows.len();
        let sessions: Vec<SessionRecord> = SessionGroup::gather(page.rows).iter().map(Into::into).collect();
        let msg = format!("Found {found} request(s) in {} session(s)", sessions.len());
        Self { success: true, sessions, has_more, next_cursor, msg }
    }
}

impl From<&SessionGroup> for SessionRecord {
    fn from(group: &SessionGroup) -> Self {
        let requests = group.requests.iter().map(|one| RequestWithInteractions {
            request: (&one.request).into(),
            interactions: one.interactions.iter().map(Into::into).collect(),
        });
        Self {
            session_id: group.session.session.as_str().to_owned(),
            user_id: group.session.user.as_str().to_owned(),
            requests: requests.collect(),
        }
    }
}

/// A request for turns, newest first.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GetInteractionsRequest {
    /// Only this user's.
    pub user_id: Option<String>,
    /// Which part of the list.
    #[serde(flatten)]
    pub page: PageFields,
}

impl GetInteractionsRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(InteractionFilter, PageRequest<InteractionId>), Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.name("user_id", self.user_id, UserId::new);
        let period = self.page.period(&mut fields);
        let page = self.page.page(&mut fields);
        let filter = user.zip(period).map(|(user, period)| InteractionFilter { user, period });
        fields.finish(filter.zip(page))
    }
}

/// Turns, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetInteractionsResponse {
    /// Always true.
    pub success: bool,
    /// The turns.
    pub interactions: Vec<InteractionRecord>,
    /// Whether there is more.
    pub has_more: bool,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was found, for people.
    pub msg: String,
}

impl From<Page<PublishedInteraction, InteractionId>> for GetInteractionsResponse {
    fn from(page: Page<PublishedInteraction, InteractionId>) -> Self {
        Self {
            success: true,
            has_more: page.has_more(),
            next_cursor: page.next.as_ref().map(learning::Cursor::encode),
            msg: format!("Found {} interaction(s)", page.rows.len()),
            interactions: page.rows.iter().map(Into::into).collect(),
        }
    }
}

/// A request to delete a session.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DeleteSessionRequest {
    /// The session.
    #[schema(min_length = 1, max_length = 255)]
    pub session_id: String,
    /// Whose it is; needed only when two users share the id.
    pub user_id: Option<String>,
}

impl DeleteSessionRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(SessionId, Option<UserId>), Invalid> {
        let mut fields = Fields::of_body();
        let session = fields.required("session_id", self.session_id.as_str(), SessionId::new);
        let user = fields.name("user_id", self.user_id, UserId::new);
        fields.finish(session.zip(user))
    }
}

/// What became of a deleted session.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeleteSessionResponse {
    /// Always true.
    pub success: bool,
    /// What was done, for people.
    pub message: String,
    /// How many requests it had.
    pub deleted_requests_count: u64,
}

impl DeleteSessionResponse {
    /// Tells how many requests went.
    #[must_use]
    pub fn of(deleted: u64) -> Self {
        Self { success: true, message: format!("Deleted {deleted} item(s)"), deleted_requests_count: deleted }
    }
}
