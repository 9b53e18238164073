//! What the rules of this room refuse, as facts.

use std::fmt;

use kernel::StoreError;

use crate::{ProfileId, UserPlaybookId};

/// The things that a caller can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// A profile.
    Profile,
    /// A user playbook.
    UserPlaybook,
    /// An agent playbook.
    AgentPlaybook,
    /// A session.
    Session,
}

impl fmt::Display for Thing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Profile => "profile",
            Self::UserPlaybook => "user playbook",
            Self::AgentPlaybook => "agent playbook",
            Self::Session => "session",
        })
    }
}

/// Why a rule of this room refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LearningError {
    /// A batch without a single entry.
    #[error("the list must not be empty")]
    EmptyBatch,
    /// A batch with more entries than we take at once.
    #[error("the list holds {count} entries, at most {most} are taken at once")]
    BatchTooLarge {
        /// How many there are.
        count: usize,
        /// How many we take.
        most: usize,
    },
    /// Every interaction was dropped.
    #[error("no interaction carries anything to keep")]
    NothingToKeep,
    /// More retrieved learnings than one request may declare.
    #[error("the request declares {count} retrieved learnings, at most {most} are taken")]
    TooManyRetrievedLearnings {
        /// How many there are.
        count: usize,
        /// How many we take.
        most: usize,
    },
    /// More citations than one request may hold.
    #[error("the request holds {count} citations, at most {most} are taken")]
    TooManyCitations {
        /// How many there are.
        count: usize,
        /// How many we take.
        most: usize,
    },
    /// More source windows than one request may name.
    #[error("the request names {count} source windows, at most {most} are taken")]
    TooManySourceWindows {
        /// How many there are.
        count: usize,
        /// How many we take.
        most: usize,
    },
    /// An interaction that happens later than clocks can differ.
    #[error("interaction {index} lies more than a day in the future")]
    InTheFuture {
        /// Its place in the batch, from 0.
        index: usize,
    },
    /// The request id named another body before.
    #[error("the request id was used before with another body")]
    RequestIdReused,
    /// The attribution names an experiment that never was.
    #[error("the request names an experiment that does not exist")]
    UnknownExperiment,
    /// The attribution names the arm that the user was not in.
    #[error("the request names an arm that the user is not assigned to")]
    WrongArm,
    /// A search during an experiment that does not say for whom.
    #[error("a user_id is required while a retrieval experiment is active")]
    UserIdRequired,
    /// There is no such thing in the organization.
    #[error("no such {0}")]
    NotFound(Thing),
    /// The id belongs to a profile of another user.
    #[error("profile id {id} belongs to another user")]
    ProfileOfAnotherUser {
        /// The id.
        id: ProfileId,
    },
    /// Several users have a session of this id.
    #[error("several users have a session of this id; say whose")]
    AmbiguousSession,
    /// A source window names a user playbook that the organization does not have.
    #[error("user playbook {id} does not exist")]
    LinkedPlaybookMissing {
        /// The playbook that is missing.
        id: UserPlaybookId,
    },
    /// A source window names a playbook of a subject whose erasure has begun: it is gone, or will be.
    #[error("a linked user playbook belongs to a subject that is erased or being erased")]
    LinkedSubjectBarred,
    /// The store failed, or its gate refused the write.
    #[error(transparent)]
    Store(#[from] StoreError),
}
