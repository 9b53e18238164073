//! Bringing in results that were judged elsewhere: idempotent on a result's identity.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kernel::{Clock, OrgId, Source, StoreError, Timestamp, UnitOfWork, UserId};

use crate::judging::JudgeEpoch;
use crate::{
    AgentSuccessResult, BatchTooLarge, EvaluationError, Judgement, ResultIdentity, ResultTx, SessionKey,
    SessionStart,
};

/// Most rows of one import.
pub const MOST_IMPORTED: usize = 1_000;

/// One result as it is brought in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// What it is the result of.
    pub identity: ResultIdentity,
    /// When the session began; needed for a session that was never published here.
    pub created_at: Option<Timestamp>,
    /// What was said.
    pub judgement: Judgement,
}

/// The rows of one import, at most 1,000.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportBatch(Vec<ImportRow>);

impl ImportBatch {
    /// Checks the size of an import.
    ///
    /// # Errors
    /// When it holds more than 1,000 rows.
    pub fn new(rows: Vec<ImportRow>) -> Result<Self, BatchTooLarge> {
        if rows.len() > MOST_IMPORTED { Err(BatchTooLarge { most: MOST_IMPORTED }) } else { Ok(Self(rows)) }
    }
}

/// How many rows an intake changed; an unchanged repeat counts in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Intake {
    /// Rows that are new.
    pub imported: u64,
    /// Rows that were there and changed.
    pub updated: u64,
}

/// A result to keep, with the facts of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedResult {
    /// What it is the result of.
    pub identity: ResultIdentity,
    /// The first request time of the session.
    pub created_at: Timestamp,
    /// The source of the first request of the session.
    pub source: Source,
    /// When the judgement was made.
    pub judged_at: Timestamp,
    /// What was said.
    pub judgement: Judgement,
    /// Under which rubric and by which model; `None` when it was judged elsewhere.
    pub judge: Option<JudgeEpoch>,
}

impl JudgedResult {
    /// Whether keeping this would change nothing that is kept.
    fn is_kept_as(&self, kept: &AgentSuccessResult) -> bool {
        kept.created_at == self.created_at && kept.judgement == self.judgement
    }
}

/// Imports results that were judged elsewhere.
#[derive(Clone)]
pub struct ImportResults {
    store: Arc<dyn UnitOfWork<dyn ResultTx>>,
    clock: Arc<dyn Clock>,
}

impl ImportResults {
    /// Imports into this store, by this clock.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn ResultTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Keeps every row or none. Of two rows of one identity the later stands.
    ///
    /// For a session that was published here, its own first request time and source stand.
    ///
    /// # Errors
    /// When a row of an unknown session does not say when the session began, a row names a user whose erasure has
    /// begun, or the store failed.
    pub fn import(&self, org: &OrgId, batch: &ImportBatch) -> Result<Intake, EvaluationError> {
        let judged_at = self.clock.now();
        let rows: BTreeMap<&ResultIdentity, (usize, &ImportRow)> =
            batch.0.iter().enumerate().map(|(position, row)| (&row.identity, (position, row))).collect();
        self.store.transact(org, |tx| {
            tx.admit(&users_of(&rows))?;
            let judged = placed(&rows, &known_sessions(tx, &rows)?, judged_at)?;
            Ok(keep_changed(tx, judged)?)
        })
    }
}

type Rows<'a> = BTreeMap<&'a ResultIdentity, (usize, &'a ImportRow)>;

fn users_of(rows: &Rows<'_>) -> Vec<UserId> {
    let users: BTreeSet<_> = rows.keys().map(|identity| &identity.session.user_id).collect();
    users.into_iter().cloned().collect()
}

fn known_sessions(
    tx: &mut dyn ResultTx,
    rows: &Rows<'_>,
) -> Result<BTreeMap<SessionKey, SessionStart>, StoreError> {
    let sessions: BTreeSet<_> = rows.keys().map(|identity| &identity.session).collect();
    let sessions: Vec<_> = sessions.into_iter().cloned().collect();
    Ok(tx.session_starts(&sessions)?.into_iter().collect())
}

/// Gives each row the time and source of its session.
fn placed(
    rows: &Rows<'_>,
    known: &BTreeMap<SessionKey, SessionStart>,
    judged_at: Timestamp,
) -> Result<Vec<JudgedResult>, EvaluationError> {
    let mut judged = Vec::with_capacity(rows.len());
    let mut timeless = Vec::new();
    for (position, row) in rows.values() {
        let start = known.get(&row.identity.session).cloned().or_else(|| own_start(row));
        let Some(SessionStart { at, source }) = start else {
            timeless.push(*position);
            continue;
        };
        judged.push(JudgedResult {
            identity: row.identity.clone(),
            created_at: at,
            source,
            judged_at,
            judgement: row.judgement.clone(),
            judge: None,
        });
    }
    timeless.sort_unstable();
    if timeless.is_empty() { Ok(judged) } else { Err(EvaluationError::CreatedAtMissing { rows: timeless }) }
}

/// The start that a row states for a session that was never published here.
fn own_start(row: &ImportRow) -> Option<SessionStart> {
    row.created_at.map(|at| SessionStart { at, source: Source::unstated() })
}

/// Keeps the results that are new or say something else than what is kept.
fn keep_changed(tx: &mut dyn ResultTx, mut judged: Vec<JudgedResult>) -> Result<Intake, StoreError> {
    let identities: Vec<_> = judged.iter().map(|result| result.identity.clone()).collect();
    let kept: BTreeMap<_, _> =
        tx.existing(&identities)?.into_iter().map(|result| (result.identity.clone(), result)).collect();
    let mut intake = Intake::default();
    judged.retain(|result| match kept.get(&result.identity) {
        None => {
            intake.imported += 1;
            true
        }
        Some(same) if result.is_kept_as(same) => false,
        Some(_) => {
            intake.updated += 1;
            true
        }
    });
    if !judged.is_empty() {
        tx.keep(&judged)?;
    }
    Ok(intake)
}

#[cfg(test)]
mod tests;
