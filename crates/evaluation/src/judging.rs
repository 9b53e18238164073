//! Judging: what is put before a judge, when, and what is kept of its answers.
//!
//! Work waits in a durable queue ([`ports::WorkQueue`]). Whoever claims an item asks the judge outside any transaction and
//! then keeps the answer and finishes the item in one: an answer without its item finished, or the other way round,
//! cannot happen. What a slow or dead worker leaves behind is fenced off by the item's lease and the run's generation.

pub mod answer;
mod canonical;
pub mod grade;
pub mod group;
pub mod job;
pub mod judge;
pub mod learnings;
pub mod ports;
pub mod regenerate;
mod run;
pub mod sampling;
pub mod session;
pub mod settings;
pub mod shadow_turn;
pub mod status;
#[cfg(test)]
mod testing;
pub mod transcript;
pub mod work;

pub use answer::{
    ImpactVerdict, LearningChunk, LearningSubject, RelevanceVerdict, SessionGrade, ShadowGrade, ShadowPair,
    VerdictRef,
};
pub use grade::{GradeOnDemand, GradeRequest, Graded};
pub use group::{EvaluateSession, Evaluated};
pub use job::{
    FailureReason, Job, JobFailure, JobId, JobRecord, JobStatus, LONGEST_FAILURE_REASON, MOST_FAILURES,
    ReplayWindow, WindowNotAhead,
};
pub use judge::{
    Answer, Effort, Instructions, Judge, JudgeEpoch, JudgeFailure, JudgeKind, Judged, Judges, Trouble,
};
pub use learnings::{LearningStatus, LearningText, StoredLearning};
pub use ports::{
    CandidateReader, CandidateReceiver, Coin, Conclusion, Freshness, Hold, JobIds, JobReader, JobTx,
    JudgingSettings, JudgingTx, LastRun, LearningReader, Patience, QueueCounts, QueueReader, RunTx,
    SessionClaims, SessionLease, SessionOutcome, SessionReader, WorkQueue, WorkTx,
};
pub use regenerate::{
    CancelRegeneration, ListRegenerations, PreviewRegeneration, ReadRegeneration, ReplayPreview, Replayed,
    RunRegeneration, SettleRegenerations, StartRegeneration, StartedJob,
};
pub use run::SessionJudge;
pub use sampling::{Candidate, RateOutOfRange, SamplingRate, StratifiedSample, StratifiedSampler};
pub use session::{Attachment, SessionFacts, SessionPurpose, SessionRecord, ShadowTurn};
pub use settings::JudgingSetup;
pub use shadow_turn::{Compared, JudgeShadowTurn};
pub use status::{JudgeStanding, JudgingStatus, ReadJudgingStatus};
pub use transcript::{Budget, Entry, Speaker, ToolCall, Transcript, Turn};
pub use work::{Claimed, Holder, Lease, NextTry, RetryPolicy, WorkId, WorkItem, WorkKind, WorkSubject};
