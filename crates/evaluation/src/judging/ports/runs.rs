//! Reading sessions for a judge, and the record of its runs.

use kernel::{AgentVersion, OrgId, SessionId, StoreError, Timestamp, UserId};

use crate::judging::judge::{Effort, JudgeEpoch};
use crate::judging::learnings::{LearningStatus, StoredLearning};
use crate::judging::session::{SessionFacts, SessionRecord, ShadowTurn};
use crate::judging::work::Holder;
use crate::{Fenced, InteractionId, LearningKind, PromptVersion, SessionKey, VerdictFence};

/// Reads published sessions outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait SessionReader: Send + Sync {
    /// The users who have a session of this id, the one with the latest request first.
    fn owners(&self, org: &OrgId, session: &SessionId) -> Result<Vec<UserId>, StoreError>;

    /// What has to be known before the session is read; `None` when there is no such session.
    fn facts(&self, org: &OrgId, session: &SessionKey) -> Result<Option<SessionFacts>, StoreError>;

    /// The session with all its turns, ordered by (time, interaction id), as of one moment.
    fn session(&self, org: &OrgId, session: &SessionKey) -> Result<Option<SessionRecord>, StoreError>;

    /// The latest run that graded the session, if its result is still there.
    ///
    /// MUST compare the session's fingerprint of that run with the session as it is at the moment of reading.
    fn last_graded(&self, org: &OrgId, session: &SessionKey) -> Result<Option<LastRun>, StoreError>;

    /// A turn of the agent that has a shadow, with what came before it; `None` when there is no such turn any more.
    fn shadow_turn(&self, org: &OrgId, turn: InteractionId) -> Result<Option<ShadowTurn>, StoreError>;
}

/// Reads stored learnings outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait LearningReader: Send + Sync {
    /// Those of the learnings that exist, whatever their status and whoever's they are, in any order.
    ///
    /// MUST leave out an id that cannot be one of its kind (a playbook's is a number).
    fn learnings(
        &self,
        org: &OrgId,
        learnings: &[(LearningKind, String)],
    ) -> Result<Vec<StoredLearning>, StoreError>;
}

/// How a run of the judge over a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// The fence that the run was begun with.
    pub fence: VerdictFence,
    /// Whether the session itself was graded, not only what was retrieved for it.
    pub graded: bool,
    /// What became of the learnings that were retrieved for it.
    pub learnings: LearningStatus,
    /// Under which rubric and by which model; `None` when the judge had nothing to say.
    pub epoch: Option<JudgeEpoch>,
    /// What the whole run cost.
    pub effort: Effort,
    /// When it ended.
    pub at: Timestamp,
}

/// Whether a session is still as it was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It is.
    Current,
    /// It has changed since.
    Outdated,
}

/// The latest run that graded a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// Whether the session is still as that run saw it, by its fingerprint.
    pub freshness: Freshness,
    /// What became of the learnings in that run, or in a later one that judged only those.
    pub learnings: LearningStatus,
    /// The number of the `agent_success` result of that run.
    pub result_id: i64,
    /// The version of the agent that the result speaks of.
    pub agent_version: AgentVersion,
    /// The version that was named when the session was last graded on demand, if it ever was.
    pub asked_version: Option<AgentVersion>,
    /// When it was judged.
    pub judged_at: Timestamp,
}

/// Runs of the judge inside one transaction. They begin with [`crate::VerdictTx::begin_run`].
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait RunTx {
    /// Notes how a run ended.
    ///
    /// MUST answer [`Fenced::Stale`], and change nothing, when a run of a higher generation was concluded or the
    /// session's fingerprint is another now. MUST conflict with the concurrent publication of a turn of the session.
    fn conclude(&mut self, session: &SessionKey, conclusion: &Conclusion) -> Result<Fenced, StoreError>;

    /// Notes which version of the agent was named when the session was graded on demand.
    fn note_asked_version(&mut self, session: &SessionKey, version: &AgentVersion) -> Result<(), StoreError>;

    /// Notes under which epoch, and at which cost, the verdict on a turn's shadow was made.
    fn note_shadow_epoch(
        &mut self,
        turn: InteractionId,
        version: &PromptVersion,
        epoch: &JudgeEpoch,
        effort: &Effort,
    ) -> Result<(), StoreError>;
}

/// The right to be the only one who grades a session on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLease {
    /// The session.
    pub session: SessionKey,
    /// Counts the claims; who has an older one gives nothing back.
    pub fence: i64,
}

/// Sees to it that one session is graded on demand by one caller at a time, on any number of servers.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait SessionClaims: Send + Sync {
    /// Claims a session for `seconds` of the database's clock; `None` while somebody else holds it.
    ///
    /// MUST let one of any number of concurrent claimers have it. MUST answer [`StoreError::Barred`] for a user whose
    /// erasure has begun.
    fn claim(
        &self,
        org: &OrgId,
        session: &SessionKey,
        holder: &Holder,
        seconds: i64,
    ) -> Result<Option<SessionLease>, StoreError>;

    /// Gives a claim back; a claim that ran out and was taken by somebody else MUST stay with them.
    fn release(&self, org: &OrgId, lease: &SessionLease) -> Result<(), StoreError>;
}
