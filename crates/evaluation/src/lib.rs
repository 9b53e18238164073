//! Evaluation: how well the agent does, whether that is real, and which session shows why.

#![cfg_attr(test, expect(clippy::float_cmp, reason = "numbers worked out by hand that are exact in binary"))]

pub mod calendar;
mod counting;
pub mod diagnosis;
pub mod error;
pub mod import;
pub mod interval;
pub mod judging;
pub mod learning_verdict;
pub mod overview;
pub mod page;
pub mod partner;
pub mod ports;
pub mod result;
pub mod results;
#[cfg(test)]
mod samples;
pub mod shadow;
pub mod tally;
pub mod text;
mod vocabulary;

pub use calendar::Bucket;
pub use diagnosis::{Diagnosis, DiagnosisCategory, InteractionId, InvalidDiagnosis};
pub use error::{BatchTooLarge, EvaluationError};
pub use import::{ImportBatch, ImportResults, ImportRow, Intake, JudgedResult};
pub use interval::{Interval, Moments};
pub use learning_verdict::{
    Impact, LearningKind, LearningVerdict, LearningVerdictFilter, ListLearningVerdicts, NewLearningVerdict,
};
pub use overview::{HeroState, Overview, OverviewQuery, Part, ReadOverview, Slice, SourceSet, SourceSets};
pub use page::{Cursor, InvalidCursor, LimitOutOfRange, Page, PageLimit};
pub use partner::{PartnerScore, ScoreBatch, ScoreIdentity, ScoreSubject, ScoreValue, TakePartnerScores};
pub use ports::{
    CitedRuleReceiver, Fenced, OverviewSnapshot, PartnerScoreTx, ResultReader, ResultTx, SessionStart,
    ShadowSettings, ShadowVerdictReader, VerdictFence, VerdictTx,
};
pub use result::{
    AgentSuccessResult, FailureType, Judgement, KeptResult, RegularVsShadow, ResultIdentity, SessionKey,
    spokesman,
};
pub use results::{Escalation, ListResults, Outcome, ResultFilter, StreamResults};
pub use shadow::{
    BetterRequest, ListRecentShadow, NewShadowVerdict, PromptVersion, RecentLimit, ServicePosition,
    ShadowFilter, ShadowMode, ShadowOutcome, ShadowSetup, ShadowVerdict,
};
pub use tally::Tally;
pub use text::{InvalidText, Reason};
