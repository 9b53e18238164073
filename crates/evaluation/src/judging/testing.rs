//! Values and doubles that the tests of judging build on.

use std::sync::Arc;

use kernel::{AgentVersion, EvaluationName, MockClock, RunsOnce, Source};

use super::answer::{LearningChunk, LearningSubject, SessionGrade, VerdictRef};
use super::job::{Job, JobId, JobStatus, ReplayWindow};
use super::judge::{Effort, Instructions, Judge, JudgeEpoch, JudgeKind, Judged, MockJudge, MockJudges};
use super::ports::{Hold, MockJudgingSettings, MockJudgingTx, MockLearningReader, MockSessionReader};
use super::run::SessionJudge;
use super::sampling::SamplingRate;
use super::session::{Attachment, SessionFacts, SessionPurpose, SessionRecord};
use super::settings::JudgingSetup;
use super::transcript::{Budget, Speaker, Transcript, Turn};
use super::work::{Claimed, Lease, WorkId, WorkItem, WorkSubject};
use crate::samples::{at, org, session};
use crate::{
    Fenced, InteractionId, LearningKind, PromptVersion, Reason, SessionStart, ShadowMode, ShadowSetup,
    VerdictFence,
};

pub(super) const NOW: i64 = 1_000_000;

pub(super) fn turn(id: i64, speaker: Speaker, content: &str) -> Turn {
    Turn {
        id: InteractionId(id),
        at: at(id),
        speaker,
        content: content.to_owned(),
        action: String::new(),
        tools: vec![],
    }
}

pub(super) fn user_turn(id: i64, content: &str) -> Turn {
    turn(id, Speaker::User, content)
}

pub(super) fn reference(interaction: i64, profile: &str) -> VerdictRef {
    VerdictRef {
        interaction_id: InteractionId(interaction),
        kind: LearningKind::Profile,
        learning_id: profile.to_owned(),
    }
}

pub(super) fn chunk_of(references: &[VerdictRef]) -> LearningChunk {
    let subject = |reference: &VerdictRef| LearningSubject {
        reference: reference.clone(),
        content: String::new(),
        trigger: String::new(),
    };
    LearningChunk {
        transcript: Transcript::within(Budget::default(), &[], &std::collections::BTreeSet::new()),
        subjects: references.iter().map(subject).collect(),
    }
}

pub(super) fn setup() -> JudgingSetup {
    JudgingSetup {
        sampling: SamplingRate::new(1.0).unwrap(),
        evaluation_only_sampling: None,
        learning_sampling: None,
        per_stratum: 200,
        concurrency_limit: 10,
        shadow: ShadowSetup { mode: ShadowMode::Off, pinned: PromptVersion::new("v1.1.0").unwrap() },
        instructions: Instructions::default(),
    }
}

pub(super) fn job(total: u64) -> Job {
    Job {
        id: JobId::new("job-1").unwrap(),
        evaluation_name: EvaluationName::agent_success(),
        window: ReplayWindow::new(at(0), at(100)).unwrap(),
        status: JobStatus::Queued,
        total,
        completed: 0,
        failed: 0,
        total_candidates: total,
        concurrency_limit: 10,
        started_at: at(5),
        finished_at: None,
    }
}

pub(super) fn epoch(kind: JudgeKind) -> JudgeEpoch {
    JudgeEpoch {
        kind,
        prompt_version: PromptVersion::new("v1.1.0").unwrap(),
        prompt_hash: "hash".to_owned(),
        requested_model: "asked".to_owned(),
        returned_model: "answered".to_owned(),
    }
}

pub(super) fn judged<T>(answer: T) -> Judged<T> {
    let effort = Effort { input_tokens: 10, output_tokens: 1, latency_ms: 100 };
    Judged { answer, epoch: epoch(JudgeKind::Model), effort }
}

pub(super) fn success() -> SessionGrade {
    SessionGrade {
        is_success: true,
        failure_type: None,
        failure_reason: Reason::default(),
        is_escalated: false,
        corrections: 0,
    }
}

pub(super) fn attached(interaction: i64, kind: LearningKind, learning_id: &str) -> Attachment {
    Attachment { interaction_id: InteractionId(interaction), kind, learning_id: learning_id.to_owned() }
}

/// A question and an answer, without retrieved learnings.
pub(super) fn record() -> SessionRecord {
    SessionRecord {
        agent_version: AgentVersion::new("v7").unwrap(),
        turns: vec![user_turn(1, "where is my parcel?"), turn(2, Speaker::Agent, "it arrives today")],
        attachments: vec![],
    }
}

pub(super) fn fence() -> VerdictFence {
    VerdictFence { generation: 4, fingerprint: "as it was".to_owned() }
}

pub(super) fn claimed(subject: WorkSubject, attempts: u32) -> Claimed {
    let item = WorkItem { org: org(), session: session("ada", "s1"), subject, due_at: at(0), attempts };
    Claimed { item, lease: Lease { work: WorkId(9), fence: 2, revision: 3 } }
}

pub(super) fn grading(grade: SessionGrade) -> MockJudge {
    let mut judge = MockJudge::new();
    judge.expect_grade_session().returning(move |_, _| Ok(judged(grade.clone())));
    judge
}

/// A transaction that begins runs and lets everybody in.
pub(super) fn open_tx() -> MockJudgingTx {
    let mut tx = MockJudgingTx::default();
    tx.verdicts.expect_begin_run().return_const(Ok(fence()));
    tx.results.expect_admit().return_const(Ok(()));
    let start = SessionStart { at: at(1), source: Source::new("web").unwrap() };
    tx.results.expect_session_starts().returning(move |keys| Ok(vec![(keys[0].clone(), start.clone())]));
    tx
}

/// Lets a run conclude and replace its verdicts.
pub(super) fn concluding(mut tx: MockJudgingTx) -> MockJudgingTx {
    tx.runs.expect_conclude().return_const(Ok(Fenced::Kept));
    tx.verdicts.expect_replace_learning_verdicts().return_const(Ok(Fenced::Kept));
    tx
}

/// Lets the claimed work be completed once.
pub(super) fn completing(mut tx: MockJudgingTx) -> MockJudgingTx {
    tx.work
        .expect_complete()
        .withf(|lease| *lease == claimed(WorkSubject::Session, 1).lease)
        .times(1)
        .return_const(Ok(Hold::Held));
    tx
}

/// Everything that a run reads, for tests to change before they build the judge.
pub(super) struct Desk {
    pub(super) tx: MockJudgingTx,
    pub(super) judge: MockJudge,
    pub(super) sessions: MockSessionReader,
    pub(super) learnings: MockLearningReader,
    pub(super) setup: JudgingSetup,
    pub(super) now: i64,
}

impl Desk {
    /// A desk with this judge and transaction, without sessions.
    pub(super) fn bare(judge: MockJudge, tx: MockJudgingTx) -> Self {
        let (sessions, learnings) = (MockSessionReader::new(), MockLearningReader::new());
        Self { tx, judge, sessions, learnings, setup: setup(), now: NOW }
    }

    /// A desk whose store holds this session.
    pub(super) fn holding(record: SessionRecord, judge: MockJudge, tx: MockJudgingTx) -> Self {
        let mut desk = Self::bare(judge, tx);
        let facts = SessionFacts { purpose: SessionPurpose::Learning };
        desk.sessions.expect_facts().return_const(Ok(Some(facts)));
        desk.sessions.expect_session().return_const(Ok(Some(record)));
        desk
    }

    pub(super) fn build(self) -> SessionJudge {
        let judge: Arc<dyn Judge> = Arc::new(self.judge);
        let mut judges = MockJudges::new();
        judges.expect_judge_of().returning(move |_| Ok(Arc::clone(&judge)));
        let mut settings = MockJudgingSettings::new();
        settings.expect_judging().return_const(Ok(self.setup));
        let mut clock = MockClock::new();
        clock.expect_now().return_const(at(self.now));
        SessionJudge::new(
            Arc::new(RunsOnce::on(self.tx)),
            Arc::new(self.sessions),
            Arc::new(self.learnings),
            Arc::new(judges),
            Arc::new(settings),
            Arc::new(clock),
        )
    }
}
