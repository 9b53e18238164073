//! What publishing, and taking back what was published, needs from a store.

use kernel::{SessionId, StoreError, Timestamp, UserId};

use crate::{BodyDigest, InteractionId, Request, SessionKey, TimedInteraction};

/// What became of a request that was to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// It is new and was written.
    Now,
    /// A request of this id was written before; nothing was changed.
    Before {
        /// The fingerprint of the body of that time.
        digest: BodyDigest,
        /// The interactions that were kept at that time, in their order.
        interactions: Vec<InteractionId>,
    },
}

/// An organization's published activity inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PublishTx {
    /// Asks the write gate to let the rule write for these users; every rule calls it before its first write.
    ///
    /// MUST answer [`StoreError::Barred`] when the erasure of any of them has begun. Every method below that writes
    /// for a user MUST refuse, as a defect, a user whom this transaction has not admitted: a rule that forgets to
    /// ask cannot write around the gate.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// Writes the request unless one of its id exists.
    ///
    /// MUST insert first and read the earlier request only when the insert found one: a read before the write
    /// would make publishers of different requests lose races against each other.
    fn insert_request(&mut self, request: &Request, digest: &BodyDigest) -> Result<Recorded, StoreError>;

    /// Writes the interactions of the request and returns their ids, which MUST ascend in the order given.
    fn insert_interactions(
        &mut self,
        request: &Request,
        interactions: &[TimedInteraction],
    ) -> Result<Vec<InteractionId>, StoreError>;

    /// Notes that the session has this request.
    ///
    /// MUST keep the time and source of the session's first request, the earliest by (time, request id) whatever
    /// the order of arrival, and hand them on to the results of a session that was judged already.
    fn record_session(&mut self, request: &Request) -> Result<(), StoreError>;

    /// Makes the evaluation of the session due at this time; a later due time replaces an earlier one.
    fn schedule_evaluation(&mut self, session: &SessionKey, due_at: Timestamp) -> Result<(), StoreError>;

    /// Queues these turns of the request to be compared with their shadows.
    fn queue_shadow_turns(&mut self, request: &Request, turns: &[InteractionId]) -> Result<(), StoreError>;

    /// Appends the request to the learning feed; see [`FeedReader`](crate::FeedReader) for the order it MUST have.
    fn append_to_feed(&mut self, request: &Request) -> Result<(), StoreError>;
}

/// An organization's sessions inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait SessionTx {
    /// Asks the write gate, as [`PublishTx::admit`] does and with the same obligations.
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError>;

    /// The users who have a session of this id, each once.
    fn owners(&mut self, session: &SessionId) -> Result<Vec<UserId>, StoreError>;

    /// Deletes the session and returns how many requests it had.
    ///
    /// MUST delete its requests, interactions, results, and every entry for later work and in the feed.
    fn delete(&mut self, session: &SessionKey) -> Result<u64, StoreError>;
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn PublishTx, MockPublishTx);
#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn SessionTx, MockSessionTx);
