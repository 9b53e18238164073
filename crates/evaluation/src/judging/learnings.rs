//! What was retrieved for a session: which of it is judged, how it is asked, and what is kept of the answers.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Timestamp, UserId};

use super::answer::{ImpactVerdict, LearningChunk, LearningSubject, RelevanceVerdict, VerdictRef};
use super::canonical::playbook_digest;
use super::judge::{Answer, Effort, Judge, JudgeEpoch, JudgeFailure};
use super::session::SessionRecord;
use super::transcript::{Budget, Transcript, shorten};
use crate::vocabulary::vocabulary;
use crate::{InteractionId, LearningKind, NewLearningVerdict};

vocabulary! {
    /// What became of the learnings that were retrieved for a session.
    LearningStatus {
        /// Every one was judged in full.
        Complete => "complete",
        /// Some answers are missing.
        Degraded => "degraded",
        /// None was judged; what was kept before stays.
        Failed => "failed",
        /// There was nothing to judge.
        NotApplicable => "not_applicable",
        /// They were not asked about.
        Skipped => "skipped",
    }
}

/// What a learning says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LearningText {
    /// What is known of a user.
    Profile {
        /// The knowledge.
        content: String,
    },
    /// A rule of conduct.
    Playbook {
        /// What to do.
        content: String,
        /// When to do it; empty when not stated.
        trigger: String,
    },
}

/// A learning as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLearning {
    /// Its kind.
    pub kind: LearningKind,
    /// Its id among those of its kind.
    pub learning_id: String,
    /// Whose it is; `None` for the organization's own.
    pub owner: Option<UserId>,
    /// What it says.
    pub text: LearningText,
}

/// Most learnings of one call.
pub(crate) const CHUNK: usize = 8;

/// What is asked about one session's learnings.
pub(crate) struct Candidates<'a> {
    record: &'a SessionRecord,
    found: Vec<(VerdictRef, &'a StoredLearning)>,
}

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LearningOutcome {
    /// How it went.
    pub(crate) status: LearningStatus,
    /// The rows that replace those of the session; `None` leaves them as they are.
    pub(crate) rows: Option<Vec<NewLearningVerdict>>,
    /// Why answers are missing, the first time.
    pub(crate) failure: Option<JudgeFailure>,
    /// Under which epoch the first answer was given.
    pub(crate) epoch: Option<JudgeEpoch>,
    /// What it cost.
    pub(crate) effort: Effort,
}

impl LearningOutcome {
    /// Nobody asked.
    pub(crate) fn skipped() -> Self {
        Self {
            status: LearningStatus::Skipped,
            rows: None,
            failure: None,
            epoch: None,
            effort: Effort::default(),
        }
    }

    /// Takes an answer's origin and cost into account, or why there is none.
    fn note<T>(&mut self, answer: Answer<Vec<T>>) -> Option<Vec<T>> {
        match answer {
            Ok(judged) => {
                self.effort = self.effort.plus(judged.effort);
                self.epoch.get_or_insert(judged.epoch);
                Some(judged.answer)
            }
            Err(failure) => {
                self.failure.get_or_insert(failure);
                None
            }
        }
    }
}

/// The learnings that a session's turns name, each once.
pub(crate) fn named(record: &SessionRecord) -> Vec<(LearningKind, String)> {
    let named: BTreeSet<_> =
        record.attachments.iter().map(|attached| (attached.kind, attached.learning_id.clone())).collect();
    named.into_iter().collect()
}

impl<'a> Candidates<'a> {
    /// The distinct (turn, kind, learning) of the session that can be judged: gone ones and those of other users cannot.
    pub(crate) fn of(record: &'a SessionRecord, stored: &'a [StoredLearning], user: &UserId) -> Self {
        let own: BTreeMap<_, _> = stored
            .iter()
            .filter(|learning| learning.owner.as_ref().is_none_or(|owner| owner == user))
            .map(|learning| ((learning.kind, learning.learning_id.as_str()), learning))
            .collect();
        let distinct: BTreeSet<_> = record
            .attachments
            .iter()
            .map(|attached| VerdictRef {
                interaction_id: attached.interaction_id,
                kind: attached.kind,
                learning_id: attached.learning_id.clone(),
            })
            .collect();
        let found = distinct
            .into_iter()
            .filter_map(|reference| {
                let learning = own.get(&(reference.kind, reference.learning_id.as_str())).copied()?;
                Some((reference, learning))
            })
            .collect();
        Self { record, found }
    }

    /// Asks about all of them, chunk by chunk; a chunk that fails does not take the others with it.
    pub(crate) fn judge(&self, judge: &dyn Judge, budget: Budget, now: Timestamp) -> LearningOutcome {
        let mut outcome = LearningOutcome::skipped();
        let (mut rows, mut missing) = (Vec::new(), false);
        for part in self.found.chunks(CHUNK) {
            let (chunk, whole) = self.chunk(part, budget);
            let relevance = outcome.note(checked_relevance(judge, &chunk));
            let impact = outcome.note(checked_impact(judge, &chunk));
            missing |= relevance.is_none() || impact.is_none();
            if relevance.is_some() || impact.is_some() {
                rows.extend(self.rows(part, whole, relevance, impact, now));
            }
        }
        outcome.status = match (self.found.is_empty(), rows.is_empty(), missing) {
            (true, _, _) => LearningStatus::NotApplicable,
            (_, true, _) => LearningStatus::Failed,
            (_, _, true) => LearningStatus::Degraded,
            (_, _, false) => LearningStatus::Complete,
        };
        outcome.rows = (outcome.status != LearningStatus::Failed).then_some(rows);
        outcome
    }

    /// What is put before the judge, and whether that is everything.
    fn chunk(&self, part: &[(VerdictRef, &StoredLearning)], budget: Budget) -> (LearningChunk, bool) {
        let asked: BTreeSet<_> = part.iter().map(|(reference, _)| reference.interaction_id).collect();
        let transcript = Transcript::within(budget, &self.record.turns, &asked);
        let mut whole = transcript.evidence_complete();
        let mut shown = |text: &str| {
            let short = shorten(text, budget.text);
            whole &= short == text;
            short
        };
        let subjects = part
            .iter()
            .map(|(reference, learning)| {
                let (content, trigger) = match &learning.text {
                    LearningText::Profile { content } => (shown(content), String::new()),
                    LearningText::Playbook { content, trigger } => (shown(content), shown(trigger)),
                };
                LearningSubject { reference: reference.clone(), content, trigger }
            })
            .collect();
        (LearningChunk { transcript, subjects }, whole)
    }

    fn rows(
        &self,
        part: &[(VerdictRef, &StoredLearning)],
        evidence_complete: bool,
        relevance: Option<Vec<RelevanceVerdict>>,
        impact: Option<Vec<ImpactVerdict>>,
        now: Timestamp,
    ) -> Vec<NewLearningVerdict> {
        let session: BTreeSet<InteractionId> = self.record.turns.iter().map(|turn| turn.id).collect();
        let mut relevance: BTreeMap<_, _> =
            relevance.into_iter().flatten().map(|verdict| (verdict.reference.clone(), verdict)).collect();
        let mut impact: BTreeMap<_, _> =
            impact.into_iter().flatten().map(|verdict| (verdict.reference.clone(), verdict)).collect();
        part.iter()
            .map(|(reference, learning)| {
                let (relevance, impact) = (relevance.remove(reference), impact.remove(reference));
                let blank = self.blank_row(reference, learning, evidence_complete, now);
                filled(blank, relevance, impact, &session)
            })
            .collect()
    }

    /// The row of a learning before anything was said of it.
    fn blank_row(
        &self,
        reference: &VerdictRef,
        learning: &StoredLearning,
        evidence_complete: bool,
        now: Timestamp,
    ) -> NewLearningVerdict {
        let digest = match &learning.text {
            LearningText::Profile { .. } => None,
            LearningText::Playbook { content, trigger } => Some(playbook_digest(content, trigger)),
        };
        NewLearningVerdict {
            agent_version: self.record.agent_version.clone(),
            interaction_id: Some(reference.interaction_id),
            interaction_created_at: self.record.time_of(reference.interaction_id),
            kind: reference.kind,
            learning_id: reference.learning_id.clone(),
            is_relevant: None,
            relevance_reason: crate::Reason::default(),
            impact: None,
            impact_reason: crate::Reason::default(),
            diagnosis: None,
            evaluated_playbook_digest: digest,
            diagnosis_evidence_complete: evidence_complete,
            created_at: now,
        }
    }
}

/// The row with what was said. Only a playbook is diagnosed, and only with turns of its own session.
fn filled(
    mut row: NewLearningVerdict,
    relevance: Option<RelevanceVerdict>,
    impact: Option<ImpactVerdict>,
    session: &BTreeSet<InteractionId>,
) -> NewLearningVerdict {
    if let Some(verdict) = relevance {
        row.is_relevant = Some(verdict.is_relevant);
        row.relevance_reason = verdict.reason;
    }
    if let Some(verdict) = impact {
        row.impact = Some(verdict.impact);
        row.impact_reason = verdict.reason;
        row.diagnosis = verdict
            .diagnosis
            .filter(|_| row.kind != LearningKind::Profile)
            .map(|diagnosis| diagnosis.within(session));
    }
    row
}

fn checked_relevance(judge: &dyn Judge, chunk: &LearningChunk) -> Answer<Vec<RelevanceVerdict>> {
    let judged = judge.relevance(chunk)?;
    chunk.check(judged.answer.iter().map(|verdict| &verdict.reference))?;
    Ok(judged)
}

fn checked_impact(judge: &dyn Judge, chunk: &LearningChunk) -> Answer<Vec<ImpactVerdict>> {
    let judged = judge.impact(chunk)?;
    chunk.check(judged.answer.iter().map(|verdict| &verdict.reference))?;
    Ok(judged)
}

#[cfg(test)]
mod tests;
