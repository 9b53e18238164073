//! A replay of the judge and the only ways it changes: `queued → running → completed | failed`, `cancelled` from either.

use kernel::{EvaluationName, InvalidName, Label, Timestamp, Window};

use super::judge::JudgeFailure;
use crate::SessionKey;
use crate::vocabulary::vocabulary;

/// Most failures that a job tells of.
pub const MOST_FAILURES: u64 = 50;

/// Longest reason of a failure, in characters.
pub const LONGEST_FAILURE_REASON: usize = 200;

/// The identity of a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(Label);

impl JobId {
    /// Parses a job's id.
    ///
    /// # Errors
    /// When it is blank, too long, or holds control characters.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        Label::new(text).map(Self)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

vocabulary! {
    /// Where a job stands.
    JobStatus {
        /// No session was taken up yet.
        Queued => "queued",
        /// Sessions are being judged.
        Running => "running",
        /// Every session was judged or has failed, and not all have failed.
        Completed => "completed",
        /// Somebody stopped it.
        Cancelled => "cancelled",
        /// Every session has failed.
        Failed => "failed",
    }
}

impl JobStatus {
    /// Whether work may still be done for it.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// A window that does not end after it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be later than from_ts")]
pub struct WindowNotAhead;

/// The closed window of a replay; it ends after it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayWindow(Window);

impl ReplayWindow {
    /// Checks a window.
    ///
    /// # Errors
    /// When it does not end after it starts.
    pub fn new(from: Timestamp, to: Timestamp) -> Result<Self, WindowNotAhead> {
        if from == to {
            return Err(WindowNotAhead);
        }
        Window::new(from, to).map(Self).map_err(|_| WindowNotAhead)
    }

    /// The window, both ends included.
    #[must_use]
    pub const fn window(self) -> Window {
        self.0
    }
}

/// Why a session of a job has failed: one of our own sentences, never a user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureReason(String);

impl FailureReason {
    /// The judge failed for good.
    #[must_use]
    pub fn of(failure: JudgeFailure) -> Self {
        Self::bounded(&failure.to_string())
    }

    /// The session was deleted, or its user erased, before it was judged.
    #[must_use]
    pub fn session_gone() -> Self {
        Self::bounded("the session is no longer there")
    }

    /// A reason that was kept.
    #[must_use]
    pub fn bounded(text: &str) -> Self {
        Self(text.chars().take(LONGEST_FAILURE_REASON).collect())
    }

    /// The reason as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A session of a job that has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFailure {
    /// The session; `None` once its user was erased.
    pub session: Option<SessionKey>,
    /// Why.
    pub reason: FailureReason,
}

/// A replay of the judge over a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its identity.
    pub id: JobId,
    /// The evaluation that the caller named.
    pub evaluation_name: EvaluationName,
    /// The window whose sessions are judged again.
    pub window: ReplayWindow,
    /// Where it stands.
    pub status: JobStatus,
    /// Sessions that will be judged.
    pub total: u64,
    /// Sessions that were judged.
    pub completed: u64,
    /// Sessions that have failed.
    pub failed: u64,
    /// Sessions of the window, before sampling.
    pub total_candidates: u64,
    /// How many judge calls may be in flight.
    pub concurrency_limit: u32,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

impl Job {
    /// The job once a session was taken up; `None` if it runs already or has ended.
    #[must_use]
    pub fn taken_up(&self) -> Option<Self> {
        (self.status == JobStatus::Queued).then(|| Self { status: JobStatus::Running, ..self.clone() })
    }

    /// The job once somebody stopped it; `None` if it has ended.
    #[must_use]
    pub fn cancelled(&self, now: Timestamp) -> Option<Self> {
        self.status.is_live().then(|| self.ended(JobStatus::Cancelled, now))
    }

    /// The job once every session is through; `None` if some are not, or it has ended.
    #[must_use]
    pub fn finished(&self, now: Timestamp) -> Option<Self> {
        let through = self.completed.saturating_add(self.failed) >= self.total;
        (self.status.is_live() && through).then(|| self.ended(self.outcome(), now))
    }

    /// The job when nothing is left in the queue for it; `None` if it has ended.
    ///
    /// What is missing then went with users who were erased meanwhile: it counts as failed, so that the numbers add up.
    #[must_use]
    pub fn settled(&self, now: Timestamp) -> Option<Self> {
        let failed = self.total.saturating_sub(self.completed);
        Self { failed, ..self.clone() }.finished(now)
    }

    /// A job of which nothing succeeded has not been completed.
    const fn outcome(&self) -> JobStatus {
        if self.total > 0 && self.completed == 0 { JobStatus::Failed } else { JobStatus::Completed }
    }

    fn ended(&self, status: JobStatus, now: Timestamp) -> Self {
        Self { status, finished_at: Some(now.max(self.started_at)), ..self.clone() }
    }
}

/// A job with the first of its failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRecord {
    /// Its number, which orders jobs of the same start.
    pub number: i64,
    /// The job.
    pub job: Job,
    /// Its first 50 failures, in the order in which they happened.
    pub failures: Vec<JobFailure>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judging::judge::Trouble;
    use crate::judging::testing::job;
    use crate::samples::at;

    fn counted(completed: u64, failed: u64) -> Job {
        Job { status: JobStatus::Running, completed, failed, ..job(3) }
    }

    #[test]
    fn a_window_ends_after_it_starts() {
        assert!(ReplayWindow::new(at(1), at(2)).is_ok());
        assert_eq!(ReplayWindow::new(at(2), at(2)), Err(WindowNotAhead));
        assert_eq!(ReplayWindow::new(at(3), at(2)), Err(WindowNotAhead));
    }

    #[test]
    fn the_first_session_taken_up_makes_a_queued_job_run() {
        assert_eq!(job(3).taken_up().map(|job| job.status), Some(JobStatus::Running));
        assert_eq!(counted(0, 0).taken_up(), None);
    }

    #[test]
    fn a_job_is_completed_when_its_counters_reach_its_total() {
        assert_eq!(counted(1, 1).finished(at(9)), None);

        let finished = counted(2, 1).finished(at(9)).unwrap();

        assert_eq!((finished.status, finished.finished_at), (JobStatus::Completed, Some(at(9))));
    }

    #[test]
    fn a_job_of_which_every_session_failed_has_failed() {
        assert_eq!(counted(0, 3).finished(at(9)).map(|job| job.status), Some(JobStatus::Failed));
    }

    #[test]
    fn a_job_without_sessions_is_completed() {
        assert_eq!(job(0).finished(at(9)).map(|job| job.status), Some(JobStatus::Completed));
    }

    #[test]
    fn what_went_with_erased_users_counts_as_failed() {
        let settled = counted(1, 0).settled(at(9)).unwrap();

        assert_eq!((settled.completed, settled.failed, settled.status), (1, 2, JobStatus::Completed));
    }

    #[test]
    fn a_live_job_can_be_cancelled_and_an_ended_one_never_changes() {
        assert_eq!(job(3).cancelled(at(9)).map(|job| job.status), Some(JobStatus::Cancelled));
        for status in [JobStatus::Completed, JobStatus::Cancelled, JobStatus::Failed] {
            let ended = Job { status, ..counted(3, 0) };

            assert_eq!((ended.taken_up(), ended.cancelled(at(9))), (None, None));
            assert_eq!((ended.finished(at(9)), ended.settled(at(9))), (None, None));
        }
    }

    #[test]
    fn a_job_never_ends_before_it_started() {
        assert_eq!(job(0).finished(at(-5)).unwrap().finished_at, Some(job(0).started_at));
    }

    #[test]
    fn every_reason_is_short_and_one_of_ours() {
        let failures = [
            JudgeFailure::Unavailable(Trouble::Status(503)),
            JudgeFailure::RateLimited { retry_after: Some(u32::MAX) },
            JudgeFailure::Refused,
            JudgeFailure::Malformed("its references are not those that were asked"),
            JudgeFailure::Cut,
            JudgeFailure::TimedOut,
        ];
        for failure in failures {
            let reason = FailureReason::of(failure);

            assert_eq!(reason.as_str(), failure.to_string());
            assert!(reason.as_str().chars().count() <= 200);
        }
        assert_eq!(FailureReason::bounded(&"ü".repeat(300)).as_str().chars().count(), 200);
    }
}
