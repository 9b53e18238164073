//! Replays of the judge: jobs, and the sessions they choose from.

use kernel::{OrgId, StoreError, Window};

use crate::judging::job::{Job, JobFailure, JobId, JobRecord, JobStatus};
use crate::judging::sampling::Candidate;
use crate::{Cursor, SessionKey};

/// Makes ids that no job has had.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait JobIds: Send + Sync {
    /// A new id.
    fn job_id(&self) -> JobId;
}

/// Takes candidates as they pass by, so that nobody has to hold them all.
pub trait CandidateReceiver {
    /// Takes one candidate.
    fn receive(&mut self, candidate: Candidate);
}

/// Finds the sessions that a replay could judge.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait CandidateReader: Send + Sync {
    /// Hands over every session that has a request in the window, each once, in any order.
    fn candidates(
        &self,
        org: &OrgId,
        window: Window,
        receiver: &mut dyn CandidateReceiver,
    ) -> Result<(), StoreError>;
}

/// How a session of a job came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionOutcome {
    /// It was judged.
    Judged,
    /// It has failed.
    Failed,
}

/// Replays inside one transaction.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait JobTx {
    /// The job that is queued or running, if there is one.
    fn live(&mut self) -> Result<Option<Job>, StoreError>;

    /// The job of this id.
    fn find(&mut self, id: &JobId) -> Result<Option<Job>, StoreError>;

    /// Those of the sessions whose users the write gate lets through, in the order given.
    fn admitted(&mut self, sessions: &[SessionKey]) -> Result<Vec<SessionKey>, StoreError>;

    /// Keeps a new job and queues one item of work for each of its sessions, due now.
    ///
    /// MUST lose the race, so that the rule runs again and finds the winner, when another job is live: the database itself
    /// allows one.
    fn insert(&mut self, job: &Job, sessions: &[SessionKey]) -> Result<(), StoreError>;

    /// Stores where a job stands, its `failed` and its end.
    ///
    /// MUST return false, and change nothing, unless the stored status is `from`.
    fn advance(&mut self, job: &Job, from: JobStatus) -> Result<bool, StoreError>;

    /// Counts a session of the job, in place, and returns the job as it is then.
    ///
    /// MUST return `None`, and change nothing, unless the job is live.
    fn count(&mut self, id: &JobId, outcome: SessionOutcome) -> Result<Option<Job>, StoreError>;

    /// Keeps a failure after those that are kept.
    fn add_failure(&mut self, id: &JobId, failure: &JobFailure) -> Result<(), StoreError>;

    /// Removes every item of work of the job, those under a lease too: who works on one finds its hold lost.
    fn drop_work(&mut self, id: &JobId) -> Result<(), StoreError>;

    /// Whether an item of work of the job is left in the queue.
    fn has_work(&mut self, id: &JobId) -> Result<bool, StoreError>;
}

/// Reads replays outside a unit of work.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait JobReader: Send + Sync {
    /// The job of this id with its first failures; `None` for another organization's.
    fn find(&self, org: &OrgId, id: &JobId) -> Result<Option<JobRecord>, StoreError>;

    /// The organization's jobs, latest start first and then by falling number, those that come after `after`, at most `limit`.
    fn list(&self, org: &OrgId, after: Option<Cursor>, limit: u32) -> Result<Vec<JobRecord>, StoreError>;

    /// Live jobs of all organizations that have no item of work left.
    fn idle(&self) -> Result<Vec<(OrgId, JobId)>, StoreError>;
}
