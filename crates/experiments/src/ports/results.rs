//! What the results of an experiment need from a store: counts and sums, never rates.

use kernel::{OrgId, StoreError, Timestamp};

use crate::{Arm, ClusterSums, Experiment};

/// One thing of each arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerArm<T> {
    /// That of the treatment arm.
    pub treatment: T,
    /// That of the holdout arm.
    pub holdout: T,
}

impl<T> PerArm<T> {
    /// That of this arm.
    pub const fn of(&self, arm: Arm) -> &T {
        match arm {
            Arm::Treatment => &self.treatment,
            Arm::Holdout => &self.holdout,
        }
    }
}

/// A total and the number of sessions it was taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The sum of the figure.
    pub total: u64,
    /// The sessions that have the figure.
    pub sessions: u64,
}

/// What the store knows about one arm.
///
/// Three sets of rows, each keyed by (user, session) of the organization:
///
/// * **Assigned**: the sessions with at least one request tagged with the experiment. The arm is that of the earliest
///   such request, by (request time, `request_id`). No window applies.
/// * **Evaluated**: the sessions with an outcome (the one result that speaks for the session) whose first request
///   time lies in the experiment's window, both ends included, whether assigned or not.
/// * **Attributed**: the sessions that are both.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ArmSums {
    /// Distinct users of the arm's assigned sessions.
    pub assigned_users: u64,
    /// The arm's assigned sessions.
    pub published_sessions: u64,
    /// The arm's attributed sessions, summed over users: for a user, `N` is the number of the user's attributed
    /// sessions and `Y` the number of those that succeeded.
    pub outcomes: ClusterSums,
    /// Sum of the number of corrections over the arm's attributed sessions; a result that has none counts 0.
    pub corrections: u64,
    /// User turns to resolution over those of the arm's attributed sessions that have it.
    pub turns: Tally,
    /// The arm's attributed sessions that were escalated.
    pub escalated: u64,
    /// Output tokens over the arm's assigned sessions: the sum over the non-user interactions of the session's requests
    /// that are tagged with the experiment. A session with an interaction among them that has no stored count is left
    /// out of both figures; a session whose tagged requests hold no non-user interaction counts, with 0 tokens.
    pub output_tokens: Tally,
}

/// What the store knows about an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResultSums {
    /// The sums of each arm.
    pub arms: PerArm<ArmSums>,
    /// All evaluated sessions of the organization (see [`ArmSums`]), attributed or not.
    pub evaluated_sessions: u64,
    /// Distinct users with at least one exposure to the experiment, by the arm recorded with the exposure.
    pub exposed_users: PerArm<u64>,
    /// Distinct (user, session) with a request tagged holdout of which an interaction declares at least one retrieved
    /// learning or citation.
    pub contaminated_holdout_sessions: u64,
    /// Distinct (user, session) with a request tagged with the experiment whose time is after the experiment's end; 0
    /// while it is active.
    pub late_sessions: u64,
}

/// Reads what an experiment has measured.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait ResultsReader: Send + Sync {
    /// The sums of an experiment; its window runs from its start to `until`, both included.
    ///
    /// MUST read all of them from one snapshot, and MUST NOT load rows per session.
    fn sums(&self, org: &OrgId, experiment: &Experiment, until: Timestamp) -> Result<ResultSums, StoreError>;
}
