//! Replays of the judge on the wire.

use evaluation::judging::{JobFailure, JobRecord, ReplayPreview, ReplayWindow, StartedJob};
use evaluation::{Cursor, Page, PageLimit};
use kernel::{EvaluationName, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::EvaluationPageFields;
use crate::{Fields, Invalid};

/// A request to judge the sessions of a window again.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RegenerateRequest {
    /// The evaluation; `agent_success` unless said.
    pub evaluation_name: Option<String>,
    /// The first second of the window.
    pub from_ts: i64,
    /// The last second of the window; later than the first.
    pub to_ts: i64,
}

impl RegenerateRequest {
    /// The valid request.
    pub fn parse(self) -> Result<(ReplayWindow, EvaluationName), Invalid> {
        let mut fields = Fields::of_body();
        let (from, to) = (Timestamp::from_seconds(self.from_ts), Timestamp::from_seconds(self.to_ts));
        let window = fields.required("to_ts", (from, to), |(from, to)| ReplayWindow::new(from, to));
        let name = fields.name("evaluation_name", self.evaluation_name, EvaluationName::new);
        let name = name.map(|name| name.unwrap_or_else(EvaluationName::agent_success));
        fields.finish(window.zip(name))
    }
}

/// A replay that was started.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegenerateResponse {
    /// The job.
    pub job_id: String,
    /// How many sessions will be judged.
    pub total: u64,
}

impl From<&StartedJob> for RegenerateResponse {
    fn from(started: &StartedJob) -> Self {
        Self { job_id: started.id.as_str().to_owned(), total: started.total }
    }
}

/// What a replay would be.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegeneratePreviewResponse {
    /// How many sessions the window has.
    pub total_candidates: u64,
    /// How many of them would be judged.
    pub sampled_count: u64,
    /// How many judge calls may be in flight.
    pub concurrency_limit: u32,
    /// How long it would take at the pace of the latest replay that ran to its end; null when none did.
    pub estimated_seconds: Option<f64>,
}

impl From<&ReplayPreview> for RegeneratePreviewResponse {
    fn from(preview: &ReplayPreview) -> Self {
        Self {
            total_candidates: preview.total_candidates,
            sampled_count: preview.sampled,
            concurrency_limit: preview.concurrency_limit,
            estimated_seconds: preview.estimated_seconds,
        }
    }
}

/// A session of a replay that has failed.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegenerateFailure {
    /// The session; empty once its user was erased.
    pub session_id: String,
    /// Whose session it is; absent once the user was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Why, in at most 200 characters and without a user's words.
    pub reason: String,
}

impl From<&JobFailure> for RegenerateFailure {
    fn from(failure: &JobFailure) -> Self {
        let session = failure.session.as_ref();
        Self {
            session_id: session.map(|key| key.session_id.as_str().to_owned()).unwrap_or_default(),
            user_id: session.map(|key| key.user_id.as_str().to_owned()),
            reason: failure.reason.as_str().to_owned(),
        }
    }
}

/// How a replay stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegenerateStatusResponse {
    /// The job.
    pub job_id: String,
    /// `queued`, `running`, `completed`, `cancelled` or `failed`.
    pub status: String,
    /// How many sessions will be judged.
    pub total: u64,
    /// How many were judged.
    pub completed: u64,
    /// How many have failed.
    pub failed: u64,
    /// The first 50 failures.
    pub failures: Vec<RegenerateFailure>,
    /// When it was started, in seconds.
    pub started_at: f64,
    /// When it ended, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<f64>,
    /// How many sessions the window has.
    pub total_candidates: u64,
    /// How many of them were sampled.
    pub sampled_count: u64,
    /// How many judge calls may be in flight.
    pub concurrency_limit: u32,
    /// The evaluation.
    pub evaluation_name: String,
    /// The first second of the window.
    pub from_ts: i64,
    /// The last second of the window.
    pub to_ts: i64,
}

/// Seconds as a float; exact, as no time of ours needs more than 53 bits.
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "seconds since 1970 are far below 2^53"
)]
fn float(at: Timestamp) -> f64 {
    at.seconds() as f64
}

impl From<&JobRecord> for RegenerateStatusResponse {
    fn from(record: &JobRecord) -> Self {
        let job = &record.job;
        let window = job.window.window();
        Self {
            job_id: job.id.as_str().to_owned(),
            status: job.status.as_str().to_owned(),
            total: job.total,
            completed: job.completed,
            failed: job.failed,
            failures: record.failures.iter().map(Into::into).collect(),
            started_at: float(job.started_at),
            finished_at: job.finished_at.map(float),
            total_candidates: job.total_candidates,
            sampled_count: job.total,
            concurrency_limit: job.concurrency_limit,
            evaluation_name: job.evaluation_name.as_str().to_owned(),
            from_ts: window.start().seconds(),
            to_ts: window.end().seconds(),
        }
    }
}

/// Which part of the list of replays.
#[derive(Debug, Deserialize, IntoParams)]
pub struct RegenerationsQuery {
    /// How many at most: 1 to 1000, 100 unless said.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<i64>,
    /// Where the page before ended: its `next_cursor`.
    pub cursor: Option<String>,
}

impl RegenerationsQuery {
    /// The valid request.
    pub fn parse(self) -> Result<(Option<Cursor>, PageLimit), Invalid> {
        let page = EvaluationPageFields {
            limit: self.limit,
            cursor: self.cursor,
            ..EvaluationPageFields::default()
        };
        let mut fields = Fields::of_query();
        let place = page.place(&mut fields);
        fields.finish(place)
    }
}

/// Replays, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegenerationsResponse {
    /// The jobs.
    pub jobs: Vec<RegenerateStatusResponse>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl From<Page<JobRecord>> for RegenerationsResponse {
    fn from(page: Page<JobRecord>) -> Self {
        Self { jobs: page.items.iter().map(Into::into).collect(), next_cursor: page.next.map(Cursor::encode) }
    }
}
