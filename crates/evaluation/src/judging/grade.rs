//! Grading one session on demand: cached for a day, judged once however many ask.

use std::ops::ControlFlow;
use std::slice;
use std::sync::Arc;

use kernel::{AgentVersion, OrgId, SessionId, StoreError, UserId};

use super::learnings::LearningStatus;
use super::ports::{Freshness, JudgingTx, Patience, SessionClaims};
use super::run::{RunFailure, SessionJudge};
use super::settings::Scope;
use super::work::Holder;
use crate::calendar::DAY;
use crate::{EvaluationError, Fenced, ResultIdentity, SessionKey};

/// How long a result is good enough, in seconds.
pub const CACHE_SECONDS: i64 = DAY;

/// How long one caller may grade before another may, in seconds.
pub const CLAIM_SECONDS: i64 = 300;

/// How often a session that changes while it is judged is judged again.
const MOST_RUNS: u32 = 3;

/// Which session to grade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradeRequest {
    /// The session.
    pub session_id: SessionId,
    /// Whose session, when two users share the id; without it, that of the latest request.
    pub user_id: Option<UserId>,
    /// For which version of the agent; the session is judged at the version of its latest request.
    pub agent_version: AgentVersion,
}

/// The answer to a request for a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Graded {
    /// There is no such session.
    NoRequests,
    /// There is a result.
    Result {
        /// Its number.
        result_id: i64,
        /// Whether it was there already.
        cached: bool,
        /// What became of the learnings that were retrieved for the session.
        learnings: LearningStatus,
    },
}

/// Grades a session on demand.
#[derive(Clone)]
pub struct GradeOnDemand {
    judge: SessionJudge,
    claims: Arc<dyn SessionClaims>,
    holder: Holder,
}

impl GradeOnDemand {
    /// Grades with this judge; the claims see to it that nobody else does at the same time.
    #[must_use]
    pub fn new(judge: SessionJudge, claims: Arc<dyn SessionClaims>, holder: Holder) -> Self {
        Self { judge, claims, holder }
    }

    /// The session's result of the last 24 hours for this version, unless the session has changed since; else a new one.
    ///
    /// Of several callers one asks the judge; the others wait for its result.
    ///
    /// # Errors
    /// When the judge failed (nothing is kept then), the user is being erased, nobody came to a result while this caller
    /// was willing to wait, or the store failed.
    pub fn grade(
        &self,
        org: &OrgId,
        request: &GradeRequest,
        patience: &dyn Patience,
    ) -> Result<Graded, EvaluationError> {
        let Some(session) = self.owned(org, request)? else { return Ok(Graded::NoRequests) };
        loop {
            if let Some(cached) = self.cached(org, &session, &request.agent_version)? {
                return Ok(cached);
            }
            if let Some(lease) = self.claims.claim(org, &session, &self.holder, CLAIM_SECONDS)? {
                let graded = self.graded(org, &session, &request.agent_version);
                // A claim that cannot be given back runs out by itself.
                let _ = self.claims.release(org, &lease);
                return graded;
            }
            if patience.wait() == ControlFlow::Break(()) {
                return Err(EvaluationError::GradedElsewhere);
            }
        }
    }

    /// The session of the owner who was named, else of the one with the latest request.
    fn owned(&self, org: &OrgId, request: &GradeRequest) -> Result<Option<SessionKey>, StoreError> {
        let owners = self.judge.sessions.owners(org, &request.session_id)?;
        let owner = match &request.user_id {
            Some(user) => owners.into_iter().find(|owner| owner == user),
            None => owners.into_iter().next(),
        };
        Ok(owner.map(|user_id| SessionKey { user_id, session_id: request.session_id.clone() }))
    }

    fn cached(
        &self,
        org: &OrgId,
        session: &SessionKey,
        version: &AgentVersion,
    ) -> Result<Option<Graded>, StoreError> {
        let since = self.judge.clock.now().plus_seconds(-CACHE_SECONDS);
        let last = self.judge.sessions.last_graded(org, session)?;
        let good_enough = last.filter(|run| {
            let is_of_version = run.agent_version == *version || run.asked_version.as_ref() == Some(version);
            run.freshness == Freshness::Current && run.judged_at > since && is_of_version
        });
        Ok(good_enough.map(|run| Graded::Result {
            result_id: run.result_id,
            cached: true,
            learnings: run.learnings,
        }))
    }

    /// Grades as the only one. Somebody may have come to a result just before the claim.
    fn graded(
        &self,
        org: &OrgId,
        session: &SessionKey,
        version: &AgentVersion,
    ) -> Result<Graded, EvaluationError> {
        let setup = self.judge.settings.judging(org)?;
        for _ in 0..MOST_RUNS {
            if let Some(cached) = self.cached(org, session, version)? {
                return Ok(cached);
            }
            let run = match self.judge.judge(org, session, &setup, Scope::Everything) {
                Ok(run) => run,
                Err(RunFailure::Gone) => return Ok(Graded::NoRequests),
                Err(RunFailure::Judge(failure)) => return Err(EvaluationError::Judge(failure)),
                Err(RunFailure::Store(error)) => return Err(error.into()),
            };
            let learnings = run.learnings.status;
            let kept = self.judge.steadily(org, |tx| match run.keep(tx)? {
                Fenced::Kept => {
                    tx.runs().note_asked_version(session, version)?;
                    result_of(tx, run.identity()).map(Some)
                }
                Fenced::Stale => Ok(None),
            })?;
            if let Some(result_id) = kept {
                return Ok(Graded::Result { result_id, cached: false, learnings });
            }
        }
        Err(StoreError::Contended.into())
    }
}

/// The number of the result that was just kept.
fn result_of(tx: &mut dyn JudgingTx, identity: &ResultIdentity) -> Result<i64, StoreError> {
    let kept = tx.results().existing(slice::from_ref(identity))?;
    kept.first()
        .map(|result| result.result_id)
        .ok_or_else(|| StoreError::Failed("a result that was kept is not there".to_owned()))
}

#[cfg(test)]
mod tests;
