//! One session as the story wants it: who, when, about what, and how it ends.

use evaluation::{FailureType, ShadowOutcome};
use kernel::{SessionId, Timestamp, UserId};
use learning::Attribution;

use super::topics::Topic;

/// How a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The customer got what they wanted.
    Settled,
    /// They did not, for this reason.
    Unsettled(FailureType),
}

/// How the second answer of a turn compares with the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    /// How the service's own answer does.
    pub(super) outcome: ShadowOutcome,
    /// Whether the difference is large.
    pub(super) is_significant: bool,
}

/// Who reads a session along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handover {
    /// Nobody: the agent is alone.
    None,
    /// A person takes over.
    ToPerson,
}

/// One session of the story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scene {
    /// From what everything else about it is thrown.
    pub(super) seed: u64,
    /// The day on which it happens.
    pub(super) day: u32,
    /// When it begins.
    pub(super) at: Timestamp,
    /// Whose session it is.
    pub(super) user: UserId,
    /// Its name.
    pub(super) session: SessionId,
    /// Where it comes from.
    pub(super) source: &'static str,
    /// What it is about.
    pub(super) topic: Topic,
    /// The experiment and the arm that its user is in, while one runs.
    pub(super) attribution: Option<Attribution>,
    /// Whether learnings were put before the agent.
    pub(super) retrieval: Retrieval,
    /// How it ends.
    pub(super) ending: Ending,
    /// How often the customer corrects the agent.
    pub(super) corrections: u32,
    /// Whether a person takes over.
    pub(super) handover: Handover,
    /// How its shadow answer compares, if it has one.
    pub(super) shadow: Option<Comparison>,
    /// Whether something is learned from it about how to treat its user.
    pub(super) teaches: bool,
}

/// Whether learnings were put before the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retrieval {
    /// None: there were none yet, or an experiment withheld them.
    Nothing,
    /// Those that fit, and the agent named the rule it followed.
    Cited,
    /// Those that fit, and the agent named none.
    Uncited,
}

impl Scene {
    /// Whether the customer got what they wanted.
    pub(super) fn is_settled(&self) -> bool {
        self.ending == Ending::Settled
    }
}
