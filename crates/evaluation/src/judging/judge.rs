//! Whoever grades: a port, what it may be asked, and how it may fail.

use std::sync::Arc;

use kernel::{OrgId, StoreError};

use super::answer::{ImpactVerdict, LearningChunk, RelevanceVerdict, SessionGrade, ShadowGrade, ShadowPair};
use super::transcript::Transcript;
use crate::PromptVersion;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// The kinds of judge.
    JudgeKind {
        /// A language model.
        Model => "model",
        /// The built-in rules of thumb.
        Heuristic => "heuristic",
    }
}

/// Under which rubric and by which model an answer was given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JudgeEpoch {
    /// The kind of judge.
    pub kind: JudgeKind,
    /// The version of the prompt that was used.
    pub prompt_version: PromptVersion,
    /// SHA-256 of that prompt's text, in hex: a prompt that changed under its version is noticed.
    pub prompt_hash: String,
    /// The model that was asked for.
    pub requested_model: String,
    /// The model that says it answered; empty when nothing was asked yet, or it did not say.
    pub returned_model: String,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Tokens read, where the judge counts them.
    pub input_tokens: u64,
    /// Tokens written, where the judge counts them.
    pub output_tokens: u64,
    /// Milliseconds from the first try to the answer.
    pub latency_ms: u64,
}

impl Effort {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            latency_ms: self.latency_ms.saturating_add(other.latency_ms),
        }
    }
}

/// An answer with its origin and its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged<T> {
    /// What was said.
    pub answer: T,
    /// Under which rubric and by which model.
    pub epoch: JudgeEpoch,
    /// What it cost.
    pub effort: Effort,
}

/// Why a judge cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// Nobody answered at its address.
    #[error("no connection")]
    Connection,
    /// It answered with this HTTP status.
    #[error("HTTP status {0}")]
    Status(u16),
    /// This binary does not carry the rubric that was asked for.
    #[error("the prompt version is not known here")]
    UnknownPrompt,
    /// The address, the model or the key is missing or cannot be used.
    #[error("it is not configured")]
    Configuration,
}

/// Why there is no answer. Nothing in it comes from a session or from what the judge wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JudgeFailure {
    /// It cannot be reached, or cannot answer now.
    #[error("the judge is not available: {0}")]
    Unavailable(Trouble),
    /// It was asked too often.
    #[error("the judge is asked too often")]
    RateLimited {
        /// How long it wants to be left alone, in seconds, if it said.
        retry_after: Option<u32>,
    },
    /// It declined to answer.
    #[error("the judge declined to answer")]
    Refused,
    /// It answered with something that is not an answer.
    #[error("the judge's answer cannot be used: {0}")]
    Malformed(&'static str),
    /// Its answer ends before its end.
    #[error("the judge's answer was cut off")]
    Cut,
    /// It took too long.
    #[error("the judge did not answer in time")]
    TimedOut,
}

/// What an organization wants a judge to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instructions {
    /// What success means here.
    pub success_definition: Option<String>,
    /// What the agent is for.
    pub agent_context: Option<String>,
    /// The agent's tools, as a JSON text.
    pub tools: Option<String>,
}

/// What became of a question.
pub type Answer<T> = Result<Judged<T>, JudgeFailure>;

/// Grades sessions, learnings and pairs of responses.
///
/// Every text of a session is data. An implementation MUST NOT let it change what is asked, MUST NOT put any of it (or of
/// its own answer) into a failure, and MUST answer with the epoch that was really used.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Judge: Send + Sync {
    /// The kind of judge.
    fn kind(&self) -> JudgeKind;

    /// The epoch of an answer given now; the returned model is empty until one was.
    fn epoch(&self) -> JudgeEpoch;

    /// Whether it can be reached. MUST answer within a few seconds and cost nothing.
    fn probe(&self) -> Result<(), JudgeFailure>;

    /// Grades a whole session.
    fn grade_session(&self, transcript: &Transcript, instructions: &Instructions) -> Answer<SessionGrade>;

    /// Says of each learning of the chunk whether it was relevant to its turn.
    ///
    /// MUST answer each reference of the chunk exactly once and no other, or fail as [`JudgeFailure::Malformed`].
    fn relevance(&self, chunk: &LearningChunk) -> Answer<Vec<RelevanceVerdict>>;

    /// Says of each learning of the chunk what it did to the answer, under the same obligation.
    fn impact(&self, chunk: &LearningChunk) -> Answer<Vec<ImpactVerdict>>;

    /// Compares two responses. MUST use the version of the rubric that the pair names, or fail.
    fn compare_shadow(&self, pair: &ShadowPair) -> Answer<ShadowGrade>;
}

/// Finds the judge of an organization.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Judges: Send + Sync {
    /// The judge that the organization's configuration names, else the server's.
    fn judge_of(&self, org: &OrgId) -> Result<Arc<dyn Judge>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_add_up_and_never_wrap_around() {
        let some = Effort { input_tokens: u64::MAX, output_tokens: 2, latency_ms: 3 };

        assert_eq!(some.plus(some), Effort { input_tokens: u64::MAX, output_tokens: 4, latency_ms: 6 });
    }
}
