//! Comparing a turn with its shadow: a fair coin decides which the judge sees first, and the mapping is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use kernel::{OrgId, StoreError, Timestamp};

use super::answer::{ShadowGrade, ShadowPair};
use super::job::FailureReason;
use super::judge::{JudgeFailure, Judged};
use super::ports::Coin;
use super::run::{SessionJudge, Setback, held};
use super::session::ShadowTurn;
use super::transcript::{Budget, Transcript, shorten};
use super::work::{Claimed, NEVER_KEPT, NextTry, RetryPolicy, WorkSubject};
use crate::{EvaluationError, InteractionId, NewShadowVerdict, PromptVersion, ServicePosition};

/// What became of a turn that was to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// It was compared and the verdict is kept.
    Judged,
    /// The organization does not want it: its judge is the heuristic and shadow mode is off.
    NotWanted,
    /// There is no such turn any more.
    Gone,
    /// Its user is being erased, or was: nothing is kept.
    Dropped,
    /// The judge failed; the turn is tried again.
    Retrying(JudgeFailure),
    /// The judge failed too often; the turn is laid aside.
    Buried(JudgeFailure),
    /// Somebody else has the work now: nothing is kept.
    LeaseLost,
}

/// Compares turns with their shadows.
#[derive(Clone)]
pub struct JudgeShadowTurn {
    judge: SessionJudge,
    coin: Arc<dyn Coin>,
    retries: RetryPolicy,
}

impl JudgeShadowTurn {
    /// Compares with this judge, this coin and this patience.
    #[must_use]
    pub fn new(judge: SessionJudge, coin: Arc<dyn Coin>, retries: RetryPolicy) -> Self {
        Self { judge, coin, retries }
    }

    /// Carries out a claimed comparison.
    ///
    /// # Errors
    /// When the store failed, or the work is of another kind; the lease then runs out and the work is claimed again.
    pub fn compare(&self, work: &Claimed) -> Result<Compared, EvaluationError> {
        let WorkSubject::Turn(turn) = work.item.subject else {
            return Err(StoreError::Failed("this work is no shadow turn".to_owned()).into());
        };
        match self.compared(work, turn) {
            Ok(compared) => Ok(compared),
            Err(Setback::Store(StoreError::Barred(_))) => match self.done(work, Compared::Dropped) {
                Ok(dropped) => Ok(dropped),
                Err(Setback::LeaseLost) => Ok(Compared::LeaseLost),
                Err(Setback::Store(error)) => Err(error.into()),
            },
            Err(Setback::LeaseLost) => Ok(Compared::LeaseLost),
            Err(Setback::Store(error)) => Err(error.into()),
        }
    }

    fn compared(&self, work: &Claimed, turn: InteractionId) -> Result<Compared, Setback> {
        let org = &work.item.org;
        if self.retries.has_enough(work.item.attempts) {
            return self.again(work, NEVER_KEPT);
        }
        let setup = self.judge.settings.judging(org)?;
        let judge = self.judge.judges.judge_of(org)?;
        if !setup.compares_shadows(judge.kind()) {
            return self.done(work, Compared::NotWanted);
        }
        let Some(shadow) = self.judge.sessions.shadow_turn(org, turn)? else {
            return self.done(work, Compared::Gone);
        };
        let service = self.coin.toss();
        match judge.compare_shadow(&pair(&shadow, service, setup.shadow.pinned)) {
            Ok(judged) => self.keep(org, work, &verdict(turn, shadow, service, &judged, self.now()), &judged),
            Err(failure) => self.again(work, failure),
        }
    }

    fn now(&self) -> Timestamp {
        self.judge.clock.now()
    }

    fn keep(
        &self,
        org: &OrgId,
        work: &Claimed,
        verdict: &NewShadowVerdict,
        judged: &Judged<ShadowGrade>,
    ) -> Result<Compared, Setback> {
        let (turn, version) = (verdict.interaction_id, &verdict.judge_prompt_version);
        self.judge.steadily(org, |tx| {
            tx.verdicts().keep_shadow_verdict(verdict)?;
            tx.runs().note_shadow_epoch(turn, version, &judged.epoch, &judged.effort)?;
            held(tx.work().complete(&work.lease)?)?;
            Ok(Compared::Judged)
        })
    }

    fn done(&self, work: &Claimed, compared: Compared) -> Result<Compared, Setback> {
        self.judge.steadily(&work.item.org, |tx| {
            held(tx.work().complete(&work.lease)?)?;
            Ok(compared)
        })
    }

    fn again(&self, work: &Claimed, failure: JudgeFailure) -> Result<Compared, Setback> {
        let reason = FailureReason::of(failure);
        let next = self.retries.after(work.item.attempts, failure);
        self.judge.steadily(&work.item.org, |tx| match next {
            NextTry::In(seconds) => {
                held(tx.work().retry(&work.lease, seconds, &reason)?)?;
                Ok(Compared::Retrying(failure))
            }
            NextTry::Never => {
                held(tx.work().bury(&work.lease, &reason)?)?;
                Ok(Compared::Buried(failure))
            }
        })
    }
}

/// The two responses in the order that the coin decided.
fn pair(turn: &ShadowTurn, service: ServicePosition, version: PromptVersion) -> ShadowPair {
    let budget = Budget::default();
    let longest = budget.total / 4;
    let (own, other) = (shorten(&turn.service, longest), shorten(&turn.shadow, longest));
    let (first, second) = match service {
        ServicePosition::First => (own, other),
        ServicePosition::Second => (other, own),
    };
    let context = Transcript::within(budget, &turn.before, &BTreeSet::new());
    ShadowPair { context, first, second, version }
}

/// The verdict to keep, under the rubric that was really used.
fn verdict(
    turn: InteractionId,
    shadow: ShadowTurn,
    service: ServicePosition,
    judged: &Judged<ShadowGrade>,
    now: Timestamp,
) -> NewShadowVerdict {
    NewShadowVerdict {
        interaction_id: turn,
        session: shadow.session,
        agent_version: shadow.agent_version,
        service,
        better_request: judged.answer.better_request,
        is_significantly_better: judged.answer.is_significantly_better,
        comparison_reason: judged.answer.reason.clone(),
        judge_prompt_version: judged.epoch.prompt_version.clone(),
        created_at: now,
    }
}

#[cfg(test)]
mod tests;
