//! Verdicts on retrieved learnings: was it relevant to the turn, and did it help?

use std::sync::Arc;

use kernel::{AgentVersion, OrgId, Period, SessionId, Timestamp, UserId};

use crate::page::{Cursor, Page, PageLimit};
use crate::vocabulary::vocabulary;
use crate::{Diagnosis, EvaluationError, InteractionId, Reason, ResultReader, SessionKey};

vocabulary! {
    /// The kinds of learning, in alphabetical order of their names.
    LearningKind {
        /// A playbook of the organization.
        AgentPlaybook => "agent_playbook",
        /// What is known of a user.
        Profile => "profile",
        /// A playbook of one user.
        UserPlaybook => "user_playbook",
    }
}

vocabulary! {
    /// What a learning did to the answer.
    Impact {
        /// It helped.
        Positive => "positive",
        /// It did harm.
        Negative => "negative",
        /// It did neither.
        Neutral => "neutral",
    }
}

/// What a judge said of one learning at one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLearningVerdict {
    /// The version of the agent that answered.
    pub agent_version: AgentVersion,
    /// The turn that the learning was retrieved for.
    pub interaction_id: Option<InteractionId>,
    /// When that turn happened.
    pub interaction_created_at: Option<Timestamp>,
    /// The kind of learning.
    pub kind: LearningKind,
    /// The learning among those of its kind.
    pub learning_id: String,
    /// Whether it was relevant; `None` when the judge did not say.
    pub is_relevant: Option<bool>,
    /// Why, in the judge's words.
    pub relevance_reason: Reason,
    /// What it did; `None` when the judge did not say.
    pub impact: Option<Impact>,
    /// Why, in the judge's words.
    pub impact_reason: Reason,
    /// What was wrong with a playbook.
    pub diagnosis: Option<Diagnosis>,
    /// The digest of the playbook as it was judged.
    pub evaluated_playbook_digest: Option<String>,
    /// Whether nothing that the judge was shown had to be cut.
    pub diagnosis_evidence_complete: bool,
    /// When the verdict was made.
    pub created_at: Timestamp,
}

/// The latest verdict on one learning at one turn of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningVerdict {
    /// Its number, kept when the same learning is judged again at the same turn.
    pub result_id: i64,
    /// The session that it belongs to.
    pub session: SessionKey,
    /// What was said.
    pub verdict: NewLearningVerdict,
}

/// Which verdicts to read. Without a period, newest means latest made; with one, latest turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearningVerdictFilter {
    /// Only those of this user.
    pub user_id: Option<UserId>,
    /// Only those of sessions of this id.
    pub session_id: Option<SessionId>,
    /// Only those of turns in this period.
    pub period: Period,
}

impl LearningVerdictFilter {
    /// The time that orders the verdicts under this filter.
    #[must_use]
    pub fn sort_time(&self, verdict: &LearningVerdict) -> Timestamp {
        match verdict.verdict.interaction_created_at {
            Some(turn) if !self.period.is_open() => turn,
            _ => verdict.verdict.created_at,
        }
    }
}

/// Lists verdicts on retrieved learnings.
#[derive(Clone)]
pub struct ListLearningVerdicts {
    reader: Arc<dyn ResultReader>,
}

impl ListLearningVerdicts {
    /// Lists verdicts from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ResultReader>) -> Self {
        Self { reader }
    }

    /// One page of verdicts, newest first.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &LearningVerdictFilter,
        after: Option<Cursor>,
        limit: PageLimit,
    ) -> Result<Page<LearningVerdict>, EvaluationError> {
        let rows = self.reader.learning_verdicts(org, filter, after, limit.one_more())?;
        Ok(Page::cut(rows, limit, |row| Cursor { at: filter.sort_time(row), id: row.result_id }))
    }
}

#[cfg(test)]
mod tests {
    use mockall::predicate::{always, eq};

    use super::*;
    use crate::ports::MockResultReader;
    use crate::samples::{at, learning_verdict, org};

    #[test]
    fn a_page_goes_on_after_the_latest_made_verdict_when_no_period_is_asked_for() {
        let mut reader = MockResultReader::new();
        let rows = vec![learning_verdict(9, 100, 70), learning_verdict(8, 90, 80)];
        reader
            .expect_learning_verdicts()
            .with(always(), always(), eq(None), eq(2))
            .return_once(move |_, _, _, _| Ok(rows));

        let page = ListLearningVerdicts::new(Arc::new(reader))
            .list(&org(), &LearningVerdictFilter::default(), None, PageLimit::new(1).unwrap())
            .unwrap();

        assert_eq!(page.items.len(), 1);
        assert_eq!(page.next, Some(Cursor { at: at(100), id: 9 }));
    }

    #[test]
    fn a_page_goes_on_after_the_latest_turn_when_a_period_is_asked_for() {
        let mut reader = MockResultReader::new();
        let rows = vec![learning_verdict(8, 90, 80), learning_verdict(9, 100, 70)];
        reader.expect_learning_verdicts().return_once(move |_, _, _, _| Ok(rows));
        let filter = LearningVerdictFilter {
            period: Period::new(Some(at(0)), None).unwrap(),
            ..LearningVerdictFilter::default()
        };

        let page = ListLearningVerdicts::new(Arc::new(reader))
            .list(&org(), &filter, None, PageLimit::new(1).unwrap())
            .unwrap();

        assert_eq!(page.next, Some(Cursor { at: at(80), id: 8 }));
    }
}
