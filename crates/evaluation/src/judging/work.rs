//! Items of the durable queue, the right to work on one, and when a failed one is tried again.

use kernel::{OrgId, Timestamp};

use super::job::JobId;
use super::judge::JudgeFailure;
use crate::vocabulary::vocabulary;
use crate::{InteractionId, SessionKey};

vocabulary! {
    /// The kinds of work.
    WorkKind {
        /// A session is due to be evaluated.
        SessionEvaluation => "session_evaluation",
        /// A turn is to be compared with its shadow.
        ShadowTurn => "shadow_turn",
        /// A session of a replay is to be judged again.
        RegenerationSession => "regeneration_session",
    }
}

/// An item of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkId(pub i64);

/// What the work is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkSubject {
    /// See [`WorkKind::SessionEvaluation`].
    Session,
    /// See [`WorkKind::ShadowTurn`].
    Turn(InteractionId),
    /// See [`WorkKind::RegenerationSession`].
    Replay(JobId),
}

impl WorkSubject {
    /// The kind of work.
    #[must_use]
    pub const fn kind(&self) -> WorkKind {
        match self {
            Self::Session => WorkKind::SessionEvaluation,
            Self::Turn(_) => WorkKind::ShadowTurn,
            Self::Replay(_) => WorkKind::RegenerationSession,
        }
    }
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    /// Whose work it is.
    pub org: OrgId,
    /// The session that it belongs to.
    pub session: SessionKey,
    /// What it is about.
    pub subject: WorkSubject,
    /// When it became due.
    pub due_at: Timestamp,
    /// How often it was claimed, this time included.
    pub attempts: u32,
}

/// Names a worker (a process) for operators; the fence, not the name, decides who may write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Holder(pub String);

/// The right to work on an item until the lease runs out or somebody else claims it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The item.
    pub work: WorkId,
    /// Counts the claims of the item; a write with an older fence than the stored one is refused.
    pub fence: i64,
    /// Counts what made the item due; more of it after the claim means that there is work again.
    pub revision: i64,
}

/// An item that a worker may work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// What to do.
    pub item: WorkItem,
    /// The right to do it.
    pub lease: Lease,
}

/// How often and how soon failed work is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often after the first try.
    pub retries: u32,
    /// Seconds before the first retry; four times as long before each later one.
    pub first_delay_seconds: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { retries: 3, first_delay_seconds: 15 }
    }
}

/// What is next for an item whose judge failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextTry {
    /// It is tried again after so many seconds.
    In(i64),
    /// It has been tried often enough.
    Never,
}

/// What is told of work whose verdicts the store never took, or in whose midst its worker always ended.
pub(super) const NEVER_KEPT: JudgeFailure =
    JudgeFailure::Malformed("it was never kept, however often it was given");

/// Nobody claims an item so often whose judge fails; each claim may have been paid for.
const MOST_CLAIMS: u32 = 20;

/// The longest wait that a judge may ask for, in seconds.
const LONGEST_WAIT: u32 = 3_600;

impl RetryPolicy {
    /// Whether an item was claimed so often that its judge is not to be asked once more.
    #[must_use]
    pub const fn has_enough(self, claims: u32) -> bool {
        claims > self.retries.saturating_add(MOST_CLAIMS)
    }

    /// What is next for an item that was claimed so often. A judge that asks to be left alone is.
    #[must_use]
    pub fn after(self, attempts: u32, failure: JudgeFailure) -> NextTry {
        if attempts > self.retries {
            return NextTry::Never;
        }
        let longer = 4_u32.saturating_pow(attempts.saturating_sub(1));
        let delay = self.first_delay_seconds.saturating_mul(longer);
        let asked = match failure {
            JudgeFailure::RateLimited { retry_after: Some(seconds) } => seconds,
            _ => 0,
        };
        NextTry::In(i64::from(delay.max(asked).min(LONGEST_WAIT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_work_is_retried_three_times_each_time_later() {
        let policy = RetryPolicy::default();

        let tries = [1, 2, 3, 4].map(|attempts| policy.after(attempts, JudgeFailure::TimedOut));

        assert_eq!(tries, [NextTry::In(15), NextTry::In(60), NextTry::In(240), NextTry::Never]);
    }

    #[test]
    fn a_judge_that_asks_for_patience_gets_it_within_reason() {
        let policy = RetryPolicy::default();
        let asking = |seconds| JudgeFailure::RateLimited { retry_after: Some(seconds) };

        assert_eq!(policy.after(1, asking(120)), NextTry::In(120));
        assert_eq!(policy.after(1, asking(5)), NextTry::In(15));
        assert_eq!(policy.after(1, asking(u32::MAX)), NextTry::In(3_600));
        assert_eq!(policy.after(4, asking(120)), NextTry::Never);
    }

    #[test]
    fn every_subject_has_its_kind() {
        let kinds = [
            WorkSubject::Session.kind(),
            WorkSubject::Turn(InteractionId(1)).kind(),
            WorkSubject::Replay(JobId::new("j").unwrap()).kind(),
        ];

        assert_eq!(
            kinds.map(WorkKind::as_str),
            ["session_evaluation", "shadow_turn", "regeneration_session"]
        );
    }
}
