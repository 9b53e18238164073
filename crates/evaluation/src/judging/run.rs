//! One run of the judge over one session: begun with a fence, asked outside any transaction, kept in one.

use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;

use kernel::{Clock, EvaluationName, Label, OrgId, StoreError, Timestamp, UnitOfWork};

use super::judge::{Effort, Judge, JudgeEpoch, JudgeFailure, JudgeKind, Judges};
use super::learnings::{Candidates, LearningOutcome, named};
use super::ports::{Conclusion, Hold, JudgingSettings, JudgingTx, LearningReader, SessionReader};
use super::session::SessionRecord;
use super::settings::{JudgingSetup, Scope};
use super::transcript::{Budget, Transcript};
use crate::{Fenced, JudgedResult, Judgement, ResultIdentity, SessionKey, VerdictFence};

/// How often in a row a transaction may lose to others before an answer that was paid for is given up.
const MOST_CONTENDED: u32 = 20;

/// Puts sessions before the judge of their organization.
#[derive(Clone)]
pub struct SessionJudge {
    pub(super) store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
    pub(super) sessions: Arc<dyn SessionReader>,
    learnings: Arc<dyn LearningReader>,
    pub(super) judges: Arc<dyn Judges>,
    pub(super) settings: Arc<dyn JudgingSettings>,
    pub(super) clock: Arc<dyn Clock>,
}

/// Why a run came to nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RunFailure {
    /// There is no such session any more.
    Gone,
    /// The judge failed.
    Judge(JudgeFailure),
    /// The store failed, or its write gate refused the user.
    Store(StoreError),
}

impl From<StoreError> for RunFailure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Why a transaction of a worker was rolled back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Setback {
    /// Somebody else has the item now.
    LeaseLost,
    /// The store failed, or its write gate refused the user.
    Store(StoreError),
}

impl From<StoreError> for Setback {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Goes on only while the lease holds: without it nothing of the transaction may be kept.
pub(super) fn held(hold: Hold) -> Result<(), Setback> {
    match hold {
        Hold::Held => Ok(()),
        Hold::Lost => Err(Setback::LeaseLost),
    }
}

/// What a run found.
#[derive(Debug)]
pub(super) struct Run {
    session: SessionKey,
    identity: ResultIdentity,
    fence: VerdictFence,
    judgement: Option<Judgement>,
    pub(super) learnings: LearningOutcome,
    epoch: Option<JudgeEpoch>,
    effort: Effort,
    at: Timestamp,
}

impl SessionJudge {
    /// Reads sessions and learnings from these, asks these judges, and keeps what they say in this store.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn JudgingTx>>,
        sessions: Arc<dyn SessionReader>,
        learnings: Arc<dyn LearningReader>,
        judges: Arc<dyn Judges>,
        settings: Arc<dyn JudgingSettings>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, sessions, learnings, judges, settings, clock }
    }

    /// Asks the judge. The fence is taken before the session is read: a turn that comes later makes the run stale.
    pub(super) fn judge(
        &self,
        org: &OrgId,
        session: &SessionKey,
        setup: &JudgingSetup,
        scope: Scope,
    ) -> Result<Run, RunFailure> {
        let fence = self.steadily(org, |tx| tx.verdicts().begin_run(session))?;
        let record = self.sessions.session(org, session)?.ok_or(RunFailure::Gone)?;
        let judge = self.judges.judge_of(org)?;
        let identity = ResultIdentity {
            session: session.clone(),
            agent_version: record.agent_version.clone(),
            evaluation_name: EvaluationName::agent_success(),
        };
        let mut run = Run {
            session: session.clone(),
            identity,
            fence,
            judgement: None,
            learnings: LearningOutcome::skipped(),
            epoch: None,
            effort: Effort::default(),
            at: self.clock.now(),
        };
        if scope != Scope::Learnings {
            run.grade(judge.as_ref(), &record, setup).map_err(RunFailure::Judge)?;
        }
        if scope != Scope::Session {
            run.learnings = self.judge_learnings(org, session, &record, judge.as_ref())?;
        }
        run.at = self.clock.now();
        Ok(run)
    }

    fn judge_learnings(
        &self,
        org: &OrgId,
        session: &SessionKey,
        record: &SessionRecord,
        judge: &dyn Judge,
    ) -> Result<LearningOutcome, StoreError> {
        let named = named(record);
        let stored = if named.is_empty() { Vec::new() } else { self.learnings.learnings(org, &named)? };
        let candidates = Candidates::of(record, &stored, &session.user_id);
        Ok(candidates.judge(judge, Budget::default(), self.clock.now()))
    }

    /// Runs a transaction again that only lost to others; nothing of it was kept.
    pub(super) fn steadily<T, E: From<StoreError> + Contended>(
        &self,
        org: &OrgId,
        mut rule: impl FnMut(&mut dyn JudgingTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut lost = 0;
        loop {
            match self.store.transact(org, |tx: &mut (dyn JudgingTx + 'static)| rule(tx)) {
                Err(error) if error.is_contended() && lost < MOST_CONTENDED => lost += 1,
                outcome => return outcome,
            }
        }
    }
}

/// An error that may say that only a race was lost.
pub(super) trait Contended {
    /// Whether it says so.
    fn is_contended(&self) -> bool;
}

impl Contended for StoreError {
    fn is_contended(&self) -> bool {
        *self == Self::Contended
    }
}

impl Contended for Setback {
    fn is_contended(&self) -> bool {
        *self == Self::Store(StoreError::Contended)
    }
}

impl Run {
    fn grade(
        &mut self,
        judge: &dyn Judge,
        record: &SessionRecord,
        setup: &JudgingSetup,
    ) -> Result<(), JudgeFailure> {
        let transcript = Transcript::within(Budget::default(), &record.turns, &BTreeSet::new());
        let judged = judge.grade_session(&transcript, &setup.instructions)?;
        let tags = tags_of(judged.epoch.kind);
        self.judgement = Some(Judgement { tags, ..judged.answer.judgement(record.user_turns()) });
        self.epoch = Some(judged.epoch);
        self.effort = judged.effort;
        Ok(())
    }

    /// What the result of this run is the result of.
    pub(super) const fn identity(&self) -> &ResultIdentity {
        &self.identity
    }

    /// Keeps what was found, all of it or nothing. A run that is stale by now keeps nothing.
    pub(super) fn keep(&self, tx: &mut dyn JudgingTx) -> Result<Fenced, StoreError> {
        let session = &self.session;
        tx.results().admit(slice::from_ref(&session.user_id))?;
        let starts = tx.results().session_starts(slice::from_ref(session))?;
        let Some((_, start)) = starts.into_iter().next() else { return Ok(Fenced::Stale) };
        if tx.runs().conclude(session, &self.conclusion())? == Fenced::Stale {
            return Ok(Fenced::Stale);
        }
        if let Some(rows) = &self.learnings.rows
            && tx.verdicts().replace_learning_verdicts(session, &self.fence, rows)? == Fenced::Stale
        {
            return Err(StoreError::Failed("a run that was concluded has stale verdicts".to_owned()));
        }
        if let Some(judgement) = &self.judgement {
            tx.results().keep(&[JudgedResult {
                identity: self.identity.clone(),
                created_at: start.at,
                source: start.source,
                judged_at: self.at,
                judgement: judgement.clone(),
                judge: self.epoch.clone(),
            }])?;
        }
        Ok(Fenced::Kept)
    }

    fn conclusion(&self) -> Conclusion {
        Conclusion {
            fence: self.fence.clone(),
            graded: self.judgement.is_some(),
            learnings: self.learnings.status,
            epoch: self.epoch.clone().or_else(|| self.learnings.epoch.clone()),
            effort: self.effort.plus(self.learnings.effort),
            at: self.at,
        }
    }
}

/// A result by rules of thumb says so, also where it needs no reason.
fn tags_of(kind: JudgeKind) -> Option<Vec<Label>> {
    match kind {
        JudgeKind::Model => None,
        JudgeKind::Heuristic => Label::new(kind.as_str()).ok().map(|tag| vec![tag]),
    }
}
