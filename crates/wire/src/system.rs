//! How the server stands, for whoever looks after it.

use evaluation::judging::{JudgeKind, JudgingStatus};
use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// Where the data is.
#[derive(Debug, Serialize, ToSchema)]
pub struct StorageRecord {
    /// The kind of database.
    pub kind: &'static str,
    /// Whether it answers and its schema is this binary's.
    pub ready: bool,
}

/// Who judges for the organization now.
#[derive(Debug, Serialize, ToSchema)]
pub struct JudgeRecord {
    /// `model` or `heuristic`.
    pub kind: &'static str,
    /// The model that is asked for; null for the heuristic.
    pub model: Option<String>,
    /// The version of the prompt for sessions.
    pub prompt_version: String,
    /// Whether it can be reached.
    pub reachable: bool,
    /// Why it cannot.
    pub trouble: Option<String>,
}

/// What waits for the judge, in the organization.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueueRecord {
    /// Items that wait: for quiet, for their turn, or for another try.
    pub waiting: u64,
    /// Items that are worked on now.
    pub running: u64,
    /// Of those that wait, the ones that have failed before.
    pub retrying: u64,
    /// Items laid aside in the last 24 hours.
    pub failed_24h: u64,
    /// The earliest due time of what waits.
    pub oldest_due_at: Option<i64>,
}

/// How the server stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct SystemResponse {
    /// The version of this binary.
    pub version: &'static str,
    /// When this server was started.
    pub started_at: i64,
    /// Where the data is.
    pub storage: StorageRecord,
    /// Who judges.
    pub judge: JudgeRecord,
    /// What waits to be judged.
    pub queue: QueueRecord,
    /// Whether the storage keeps shadow verdicts.
    pub shadow_supported: bool,
}

/// What the server knows of itself.
#[derive(Debug)]
pub struct ServerFacts {
    /// The version of this binary.
    pub version: &'static str,
    /// When this server was started.
    pub started_at: Timestamp,
    /// Where the data is.
    pub storage: StorageRecord,
}

impl SystemResponse {
    /// The answer from what the server knows of itself and how judging stands.
    #[must_use]
    pub fn of(facts: ServerFacts, judging: &JudgingStatus) -> Self {
        Self {
            version: facts.version,
            started_at: facts.started_at.seconds(),
            storage: facts.storage,
            judge: judge(judging),
            queue: queue(judging),
            // Both kinds of database keep them.
            shadow_supported: true,
        }
    }
}

fn judge(status: &JudgingStatus) -> JudgeRecord {
    let epoch = &status.judge.epoch;
    JudgeRecord {
        kind: epoch.kind.as_str(),
        model: (epoch.kind == JudgeKind::Model).then(|| epoch.requested_model.clone()),
        prompt_version: epoch.prompt_version.as_str().to_owned(),
        reachable: status.judge.trouble.is_none(),
        trouble: status.judge.trouble.map(|trouble| trouble.to_string()),
    }
}

fn queue(status: &JudgingStatus) -> QueueRecord {
    let depth: u64 = status.queue.depth.iter().map(|(_, n)| n).sum();
    QueueRecord {
        waiting: depth.saturating_sub(status.queue.running),
        running: status.queue.running,
        retrying: status.queue.retrying,
        failed_24h: status.queue.failed,
        oldest_due_at: status.queue.oldest_due.map(Timestamp::seconds),
    }
}
