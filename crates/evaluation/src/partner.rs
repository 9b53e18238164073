//! Scores that a partner's evaluation made: brought in, idempotent on the partner's run and scorer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kernel::{Label, OrgId, SessionId, Timestamp, UnitOfWork, UserId};

use crate::{BatchTooLarge, EvaluationError, Intake, PartnerScoreTx, SessionKey};

/// Most scores of one intake.
pub const MOST_SCORES: usize = 10_000;

/// A score that is no number, or too large a one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a number from -1e100 to 1e100")]
pub struct ScoreOutOfRange;

/// A score names a session but not whose session it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is required together with session_id")]
pub struct SessionWithoutUser;

/// No scorer gives a larger score, and any number of smaller ones still has a sum.
const LARGEST_SCORE: f64 = 1e100;

/// The value of a score, any number that can be added up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreValue(f64);

impl ScoreValue {
    /// Checks the value.
    ///
    /// # Errors
    /// When it is no number, or too large to be added up.
    pub fn new(value: f64) -> Result<Self, ScoreOutOfRange> {
        if value.abs() <= LARGEST_SCORE { Ok(Self(value)) } else { Err(ScoreOutOfRange) }
    }

    /// The value as a number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// What a score is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScoreSubject {
    /// Nobody in particular.
    Unstated,
    /// A user.
    User(UserId),
    /// A session, together with its user.
    Session(SessionKey),
}

impl ScoreSubject {
    /// The subject that the two optional names make.
    ///
    /// # Errors
    /// When a session is named without its user: a session id alone does not say whose it is.
    pub fn new(user: Option<UserId>, session: Option<SessionId>) -> Result<Self, SessionWithoutUser> {
        match (user, session) {
            (None, None) => Ok(Self::Unstated),
            (Some(user_id), None) => Ok(Self::User(user_id)),
            (Some(user_id), Some(session_id)) => Ok(Self::Session(SessionKey { user_id, session_id })),
            (None, Some(_)) => Err(SessionWithoutUser),
        }
    }

    /// The user it belongs to, if any.
    #[must_use]
    pub const fn user(&self) -> Option<&UserId> {
        match self {
            Self::Unstated => None,
            Self::User(user) => Some(user),
            Self::Session(session) => Some(&session.user_id),
        }
    }
}

/// What makes a score the same score.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScoreIdentity {
    /// The partner's run.
    pub source_run_id: Label,
    /// The scorer in that run.
    pub scorer_name: Label,
}

/// A score of a partner's evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct PartnerScore {
    /// Which score it is.
    pub identity: ScoreIdentity,
    /// Its value.
    pub value: ScoreValue,
    /// When it was made.
    pub at: Timestamp,
    /// What it is about.
    pub subject: ScoreSubject,
}

/// The scores of one intake, at most 10,000.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreBatch(Vec<PartnerScore>);

impl ScoreBatch {
    /// Checks the size of an intake.
    ///
    /// # Errors
    /// When it holds more than 10,000 scores.
    pub fn new(scores: Vec<PartnerScore>) -> Result<Self, BatchTooLarge> {
        if scores.len() > MOST_SCORES { Err(BatchTooLarge { most: MOST_SCORES }) } else { Ok(Self(scores)) }
    }
}

/// Takes in a partner's scores.
#[derive(Clone)]
pub struct TakePartnerScores {
    store: Arc<dyn UnitOfWork<dyn PartnerScoreTx>>,
}

impl TakePartnerScores {
    /// Takes scores into this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn PartnerScoreTx>>) -> Self {
        Self { store }
    }

    /// Keeps every score or none; a repeat replaces what the same run and scorer said before.
    ///
    /// # Errors
    /// When a score names a user whose erasure has begun, or the store failed.
    pub fn take(&self, org: &OrgId, batch: &ScoreBatch) -> Result<Intake, EvaluationError> {
        // Of two scores of one identity the later stands.
        let scores: BTreeMap<_, _> = batch.0.iter().map(|score| (&score.identity, score)).collect();
        let users: BTreeSet<_> = scores.values().filter_map(|score| score.subject.user()).collect();
        let users: Vec<_> = users.into_iter().cloned().collect();
        let identities: Vec<_> = scores.keys().copied().cloned().collect();
        self.store.transact(org, |tx| {
            tx.admit(&users)?;
            let kept: BTreeMap<_, _> =
                tx.existing(&identities)?.into_iter().map(|score| (score.identity.clone(), score)).collect();
            let changed: Vec<_> = scores
                .values()
                .filter(|score| kept.get(&score.identity) != Some(**score))
                .map(|score| (*score).clone())
                .collect();
            if !changed.is_empty() {
                tx.keep(&changed)?;
            }
            let updated = changed.iter().filter(|score| kept.contains_key(&score.identity)).count();
            Ok(intake(changed.len(), updated))
        })
    }
}

fn intake(changed: usize, updated: usize) -> Intake {
    let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
    Intake { imported: count(changed - updated), updated: count(updated) }
}

#[cfg(test)]
mod tests;
