//! A purge operation and the only ways it changes: `pending → running → complete`, `running → failed → running`.

use kernel::Timestamp;

use crate::{Actor, PurgeId, TicketRefs};

/// How long a lease lasts without a heartbeat, in seconds of the database's clock.
pub const LEASE_SECONDS: i64 = 30;

/// Why an erasure failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The store could not be reached, or was too busy to finish.
    StorageUnavailable,
    /// The executor lost its lease.
    LeaseLost,
    /// The final check found a row of the user.
    SubjectNotEmpty,
    /// A defect on our side.
    Internal,
}

impl ErrorCode {
    /// All codes.
    pub const ALL: [Self; 4] =
        [Self::StorageUnavailable, Self::LeaseLost, Self::SubjectNotEmpty, Self::Internal];

    /// The code as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StorageUnavailable => "storage_unavailable",
            Self::LeaseLost => "lease_lost",
            Self::SubjectNotEmpty => "subject_not_empty",
            Self::Internal => "internal",
        }
    }

    /// Reads a code back.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }
}

/// Why a purge failed, for programs and for people. The detail never holds a value from the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// For programs.
    pub code: ErrorCode,
    /// For people.
    pub detail: String,
}

/// Where a purge stands, without what belongs to the standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PurgeStatus {
    /// Opened; it waits for another ticket's erasure of the same user.
    Pending,
    /// An executor works on it, or did until it crashed.
    Running,
    /// An attempt failed; it can be tried again, and the barrier stays up.
    Failed,
    /// Done, for ever.
    Complete,
}

impl PurgeStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Running, Self::Failed, Self::Complete];

    /// The status as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Complete => "complete",
        }
    }

    /// Reads a status back.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Where a purge stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PurgeState {
    /// See [`PurgeStatus::Pending`].
    Pending,
    /// See [`PurgeStatus::Running`].
    Running,
    /// See [`PurgeStatus::Failed`].
    Failed(Failure),
    /// See [`PurgeStatus::Complete`].
    Complete {
        /// When it became complete.
        at: Timestamp,
    },
}

impl PurgeState {
    /// The status alone.
    #[must_use]
    pub const fn status(&self) -> PurgeStatus {
        match self {
            Self::Pending => PurgeStatus::Pending,
            Self::Running => PurgeStatus::Running,
            Self::Failed(_) => PurgeStatus::Failed,
            Self::Complete { .. } => PurgeStatus::Complete,
        }
    }
}

/// Counts the executors a purge has had; a write that carries an older fence than the stored one is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fence(pub i64);

/// Names an executor (a process) for operators; the fence, not the name, decides who may write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Holder(pub String);

/// Whether an executor's lease still runs, by the database's clock at the moment of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hold {
    /// Nobody holds it: there never was a lease, it was given back, or it ran out.
    Free,
    /// An executor holds it.
    Held,
}

/// An executor's right to work on a purge until the lease runs out or someone with a higher fence takes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The purge that is worked on.
    pub purge: PurgeId,
    /// Who works on it.
    pub holder: Holder,
    /// The fence that every write of this executor is checked against.
    pub fence: Fence,
}

/// One ticket's erasure of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purge {
    /// Its identity, the same for every repeat of the ticket.
    pub id: PurgeId,
    /// The user and the ticket, minimized.
    pub refs: TicketRefs,
    /// Who opened it.
    pub actor: Actor,
    /// Where it stands.
    pub state: PurgeState,
    /// The fence of its latest executor; zero before the first.
    pub fence: Fence,
    /// Whether an executor holds it.
    pub hold: Hold,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
}

impl Purge {
    /// A new purge that nobody works on yet.
    #[must_use]
    pub fn opened(id: PurgeId, refs: TicketRefs, actor: Actor, now: Timestamp) -> Self {
        let (state, fence, hold) = (PurgeState::Pending, Fence(0), Hold::Free);
        Self { id, refs, actor, state, fence, hold, created_at: now, updated_at: now }
    }

    /// The purge once an executor has taken it, with the next fence; `None` if it is complete or held.
    ///
    /// A failed purge can be taken at any time: that is a retry. A running one only when its lease has run out.
    #[must_use]
    pub fn claimed(&self, now: Timestamp) -> Option<Self> {
        match (&self.state, self.hold) {
            (PurgeState::Complete { .. }, _) | (PurgeState::Running, Hold::Held) => None,
            (PurgeState::Pending | PurgeState::Failed(_), _) | (PurgeState::Running, Hold::Free) => {
                Some(Self {
                    fence: Fence(self.fence.0.saturating_add(1)),
                    hold: Hold::Held,
                    ..self.moved(PurgeState::Running, now)
                })
            }
        }
    }

    /// The purge once its attempt has failed; `None` if no attempt is running.
    #[must_use]
    pub fn failed(&self, failure: Failure, now: Timestamp) -> Option<Self> {
        self.is_running().then(|| self.moved(PurgeState::Failed(failure), now))
    }

    /// The purge once everything is erased; `None` if no attempt is running.
    #[must_use]
    pub fn completed(&self, now: Timestamp) -> Option<Self> {
        self.is_running().then(|| {
            let moved = self.moved(PurgeState::Running, now);
            Self { state: PurgeState::Complete { at: moved.updated_at }, ..moved }
        })
    }

    /// Whether it is complete.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        matches!(self.state, PurgeState::Complete { .. })
    }

    /// Seconds until the background tries a failed purge again: a minute, doubled per attempt, at most an hour.
    #[must_use]
    pub fn seconds_to_retry(&self) -> i64 {
        let doublings = u32::try_from(self.fence.0.saturating_sub(1).clamp(0, 6)).unwrap_or(6);
        60_i64.saturating_mul(2_i64.saturating_pow(doublings)).min(3600)
    }

    const fn is_running(&self) -> bool {
        matches!(self.state, PurgeState::Running)
    }

    /// Time never runs backwards in a purge, even if the clock does.
    fn moved(&self, state: PurgeState, now: Timestamp) -> Self {
        Self { state, hold: Hold::Free, updated_at: now.max(self.updated_at), ..self.clone() }
    }
}

#[cfg(test)]
mod tests;
