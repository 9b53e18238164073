//! A published session as judging reads it.

use kernel::{AgentVersion, Timestamp};

use super::transcript::{Speaker, Turn};
use crate::{InteractionId, LearningKind, SessionKey};

/// What a session was published for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPurpose {
    /// To learn from and to be evaluated.
    Learning,
    /// To be evaluated only, in every one of its requests.
    EvaluationOnly,
}

/// What has to be known of a session before anything of it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionFacts {
    /// What it was published for.
    pub purpose: SessionPurpose,
}

/// A learning that was put before the agent for a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The turn.
    pub interaction_id: InteractionId,
    /// The kind of learning.
    pub kind: LearningKind,
    /// The learning among those of its kind.
    pub learning_id: String,
}

/// A session with all its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The version of the agent on its latest request.
    pub agent_version: AgentVersion,
    /// Its turns, in order.
    pub turns: Vec<Turn>,
    /// What was retrieved for them, in order; may name one learning twice for a turn.
    pub attachments: Vec<Attachment>,
}

impl SessionRecord {
    /// How many turns are the user's.
    #[must_use]
    pub fn user_turns(&self) -> u32 {
        let turns = self.turns.iter().filter(|turn| turn.speaker == Speaker::User).count();
        u32::try_from(turns).unwrap_or(u32::MAX)
    }

    /// When a turn happened.
    #[must_use]
    pub fn time_of(&self, turn: InteractionId) -> Option<Timestamp> {
        self.turns.iter().find(|candidate| candidate.id == turn).map(|found| found.at)
    }
}

/// A turn of the agent with another version to be compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowTurn {
    /// The session of the turn.
    pub session: SessionKey,
    /// The version of the agent that answered.
    pub agent_version: AgentVersion,
    /// What came before, in order.
    pub before: Vec<Turn>,
    /// The service's own response.
    pub service: String,
    /// The shadow response.
    pub shadow: String,
}
