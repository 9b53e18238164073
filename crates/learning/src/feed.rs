//! The learning feed: published requests in commit order, for whatever learner an organization runs.

use std::sync::Arc;

use kernel::{OrgId, RequestId};

use crate::{FeedReader, LearningError, LimitOutOfRange, PublishedInteraction, SessionKey};

/// A place in an organization's feed; entries come after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FeedPosition(pub u64);

/// The entries on a page of the feed, 1 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedLimit(u32);

impl FeedLimit {
    /// Checks the limit.
    ///
    /// # Errors
    /// When it is not between 1 and 1000.
    pub const fn new(entries: u32) -> Result<Self, LimitOutOfRange> {
        if entries >= 1 && entries <= 1000 { Ok(Self(entries)) } else { Err(LimitOutOfRange) }
    }
}

impl Default for FeedLimit {
    fn default() -> Self {
        Self(100)
    }
}

/// A published request in the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEntry {
    /// Its place; later commits have greater ones.
    pub sequence: FeedPosition,
    /// The session it belongs to.
    pub session: SessionKey,
    /// The request.
    pub request_id: RequestId,
    /// Its turns, in the order published.
    pub interactions: Vec<PublishedInteraction>,
}

/// A page of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    /// The entries, in commit order.
    pub entries: Vec<FeedEntry>,
    /// Where to go on.
    pub next_after: FeedPosition,
}

/// Reads the learning feed.
#[derive(Clone)]
pub struct ReadFeed {
    reader: Arc<dyn FeedReader>,
}

impl ReadFeed {
    /// Reads from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn FeedReader>) -> Self {
        Self { reader }
    }

    /// The entries after a position; going on from `next_after` skips none and sees none twice.
    ///
    /// # Errors
    /// When the store failed.
    pub fn read(
        &self,
        org: &OrgId,
        after: FeedPosition,
        limit: FeedLimit,
    ) -> Result<FeedPage, LearningError> {
        let entries = self.reader.entries(org, after, limit.0)?;
        let next_after = entries.last().map_or(after, |entry| entry.sequence);
        Ok(FeedPage { entries, next_after })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{SessionId, UserId};

    use super::*;
    use crate::ports::MockFeedReader;

    fn entry(sequence: u64) -> FeedEntry {
        FeedEntry {
            sequence: FeedPosition(sequence),
            session: SessionKey { user: UserId::new("ada").unwrap(), session: SessionId::new("s").unwrap() },
            request_id: RequestId::new("r").unwrap(),
            interactions: vec![],
        }
    }

    fn read(entries: Vec<FeedEntry>) -> FeedPage {
        let mut reader = MockFeedReader::new();
        reader
            .expect_entries()
            .withf(|_, after, limit| *after == FeedPosition(7) && *limit == 100)
            .return_const(Ok(entries));
        let org = OrgId::new("acme").unwrap();
        ReadFeed::new(Arc::new(reader)).read(&org, FeedPosition(7), FeedLimit::default()).unwrap()
    }

    #[test]
    fn a_reader_goes_on_from_the_last_entry_it_saw() {
        assert_eq!(read(vec![entry(8), entry(11)]).next_after, FeedPosition(11));
    }

    #[test]
    fn a_reader_who_saw_nothing_stays_where_it_was() {
        assert_eq!(read(vec![]).next_after, FeedPosition(7));
    }

    #[test]
    fn a_page_of_the_feed_holds_one_to_a_thousand_entries() {
        assert!(FeedLimit::new(1).is_ok() && FeedLimit::new(1000).is_ok());
        assert_eq!(FeedLimit::new(0), Err(LimitOutOfRange));
        assert_eq!(FeedLimit::new(1001), Err(LimitOutOfRange));
    }
}
