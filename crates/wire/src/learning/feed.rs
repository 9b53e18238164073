//! The learning feed.

use learning::{FeedLimit, FeedPage, FeedPosition};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::interaction::InteractionRecord;
use crate::{Fields, Invalid};

/// Where to go on in the feed.
#[derive(Debug, Deserialize, IntoParams)]
pub struct FeedQuery {
    /// The `next_after` of the page before; 0 from the beginning.
    #[param(minimum = 0)]
    pub after: Option<i64>,
    /// How many entries at most: 1 to 1000, 100 unless said.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<i64>,
}

impl FeedQuery {
    /// The valid request.
    pub fn parse(&self) -> Result<(FeedPosition, FeedLimit), Invalid> {
        let mut fields = Fields::of_query();
        let after = fields.required("after", self.after.unwrap_or(0), |after| {
            u64::try_from(after).map_err(|_| "must be a whole number from 0 on")
        });
        let limit = fields.optional("limit", self.limit, |limit| {
            let limit = u32::try_from(limit).map_err(|_| "must be between 1 and 1000".to_owned())?;
            FeedLimit::new(limit).map_err(|error| error.to_string())
        });
        let limit = limit.map(Option::unwrap_or_default);
        fields.finish(after.map(FeedPosition).zip(limit))
    }
}

/// Published requests in the order of their commits.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedResponse {
    /// The entries.
    pub entries: Vec<FeedEntryRecord>,
    /// Where to go on.
    pub next_after: u64,
}

/// One published request.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedEntryRecord {
    /// Its place in the feed.
    pub sequence: u64,
    /// Whose it is.
    pub user_id: String,
    /// Its session.
    pub session_id: String,
    /// Its id.
    pub request_id: String,
    /// Its turns.
    pub interactions: Vec<InteractionRecord>,
}

impl From<&FeedPage> for FeedResponse {
    fn from(page: &FeedPage) -> Self {
        let entries = page.entries.iter().map(|entry| FeedEntryRecord {
            sequence: entry.sequence.0,
            user_id: entry.session.user.as_str().to_owned(),
            session_id: entry.session.session.as_str().to_owned(),
            request_id: entry.request_id.as_str().to_owned(),
            interactions: entry.interactions.iter().map(Into::into).collect(),
        });
        Self { entries: entries.collect(), next_after: page.next_after.0 }
    }
}
