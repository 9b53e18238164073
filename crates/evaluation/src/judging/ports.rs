//! What judging needs from a store, from an organization's configuration and from chance.

mod jobs;
mod queue;
mod runs;

pub use jobs::{CandidateReader, CandidateReceiver, JobIds, JobReader, JobTx, SessionOutcome};
pub use queue::{Hold, QueueCounts, QueueReader, WorkQueue, WorkTx};
pub use runs::{
    Conclusion, Freshness, LastRun, LearningReader, RunTx, SessionClaims, SessionLease, SessionReader,
};
#[cfg(any(test, feature = "mock"))]
pub use {
    jobs::{MockCandidateReader, MockJobIds, MockJobReader, MockJobTx},
    queue::{MockQueueReader, MockWorkQueue, MockWorkTx},
    runs::{MockLearningReader, MockRunTx, MockSessionClaims, MockSessionReader},
};

use std::ops::ControlFlow;

use kernel::{OrgId, StoreError};

use super::settings::JudgingSetup;
use crate::{ResultTx, ServicePosition, VerdictTx};

/// Everything that judging changes, inside one transaction.
///
/// Transactions that overlap MUST end as if one had run after the other; a loser runs again from the start or fails
/// with [`StoreError::Contended`], and nothing of it is kept.
pub trait JudgingTx {
    /// Results of sessions.
    fn results(&mut self) -> &mut dyn ResultTx;
    /// Verdicts on learnings and on shadows.
    fn verdicts(&mut self) -> &mut dyn VerdictTx;
    /// Runs of the judge.
    fn runs(&mut self) -> &mut dyn RunTx;
    /// Items of the queue.
    fn work(&mut self) -> &mut dyn WorkTx;
    /// Replays.
    fn jobs(&mut self) -> &mut dyn JobTx;
}

/// What an organization's configuration says about judging.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait JudgingSettings: Send + Sync {
    /// The settings of the organization, defaults where it states nothing.
    fn judging(&self, org: &OrgId) -> Result<JudgingSetup, StoreError>;
}

/// Decides which of two responses is shown first.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Coin: Send + Sync {
    /// Where the service's response is shown. MUST be fair and drawn anew from the operating system at every call.
    fn toss(&self) -> ServicePosition;
}

/// Whoever waits for a grading that somebody else carries out.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait Patience {
    /// Waits a little. After [`ControlFlow::Break`] the wait is given up.
    fn wait(&self) -> ControlFlow<()>;
}

/// Mocks of everything that judging changes.
#[cfg(any(test, feature = "mock"))]
#[derive(Debug, Default)]
pub struct MockJudgingTx {
    /// Results of sessions.
    pub results: crate::ports::MockResultTx,
    /// Verdicts on learnings and on shadows.
    pub verdicts: crate::ports::MockVerdictTx,
    /// Runs of the judge.
    pub runs: MockRunTx,
    /// Items of the queue.
    pub work: MockWorkTx,
    /// Replays.
    pub jobs: MockJobTx,
}

#[cfg(any(test, feature = "mock"))]
impl JudgingTx for MockJudgingTx {
    fn results(&mut self) -> &mut dyn ResultTx {
        &mut self.results
    }

    fn verdicts(&mut self) -> &mut dyn VerdictTx {
        &mut self.verdicts
    }

    fn runs(&mut self) -> &mut dyn RunTx {
        &mut self.runs
    }

    fn work(&mut self) -> &mut dyn WorkTx {
        &mut self.work
    }

    fn jobs(&mut self) -> &mut dyn JobTx {
        &mut self.jobs
    }
}

#[cfg(any(test, feature = "mock"))]
kernel::runs_once!(dyn JudgingTx, MockJudgingTx);
