//! Why a playbook did not help: an explanation with citations, never proof of improvement.

use std::collections::BTreeSet;

use crate::text::{InvalidText, checked};
use crate::vocabulary::vocabulary;

/// Longest reason of a diagnosis, in characters.
pub const LONGEST_DIAGNOSIS_REASON: usize = 4_000;

/// Most interactions that a diagnosis cites.
pub const MOST_CITATIONS: usize = 20;

/// One turn of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InteractionId(pub i64);

vocabulary! {
    /// Where the problem lay.
    DiagnosisCategory {
        /// The playbook says something wrong.
        ContentDefect => "content_defect",
        /// The playbook is right and was not followed, or followed badly.
        ApplicationFailure => "application_failure",
        /// Something outside the playbook and the agent failed.
        ExternalFailure => "external_failure",
        /// There was no problem.
        NoIssue => "no_issue",
        /// The judge could not tell.
        Unknown => "unknown",
    }
}

/// Why a diagnosis cannot be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDiagnosis {
    /// The reason is empty, too long, or holds NUL.
    #[error("the reason {0}")]
    Reason(#[from] InvalidText),
    /// More citations than a diagnosis may carry.
    #[error("must cite at most {MOST_CITATIONS} interactions")]
    TooManyCitations,
}

/// An explanation of an observed problem with a playbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    category: DiagnosisCategory,
    reason: String,
    evidence: Vec<InteractionId>,
}

impl Diagnosis {
    /// Checks a diagnosis.
    ///
    /// # Errors
    /// When the reason is not 1 to 4,000 characters long or more than 20 interactions are cited.
    pub fn new(
        category: DiagnosisCategory,
        reason: &str,
        evidence: Vec<InteractionId>,
    ) -> Result<Self, InvalidDiagnosis> {
        checked(reason, 1, LONGEST_DIAGNOSIS_REASON)?;
        if evidence.len() > MOST_CITATIONS {
            return Err(InvalidDiagnosis::TooManyCitations);
        }
        Ok(Self { category, reason: reason.to_owned(), evidence })
    }

    /// Where the problem lay.
    #[must_use]
    pub const fn category(&self) -> DiagnosisCategory {
        self.category
    }

    /// The explanation.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The interactions it cites.
    #[must_use]
    pub fn evidence(&self) -> &[InteractionId] {
        &self.evidence
    }

    /// The same diagnosis without citations of interactions outside the session.
    #[must_use]
    pub fn within(mut self, session: &BTreeSet<InteractionId>) -> Self {
        self.evidence.retain(|cited| session.contains(cited));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citing(evidence: Vec<InteractionId>) -> Result<Diagnosis, InvalidDiagnosis> {
        Diagnosis::new(DiagnosisCategory::ContentDefect, "out of date", evidence)
    }

    #[test]
    fn a_reason_is_1_to_4000_characters_long() {
        let saying = |reason: &str| Diagnosis::new(DiagnosisCategory::Unknown, reason, vec![]);

        assert_eq!(saying(""), Err(InvalidDiagnosis::Reason(InvalidText::TooShort { shortest: 1 })));
        assert!(saying("x").is_ok());
        assert!(saying(&"ü".repeat(4_000)).is_ok());
        assert_eq!(
            saying(&"ü".repeat(4_001)),
            Err(InvalidDiagnosis::Reason(InvalidText::TooLong { longest: 4_000 }))
        );
    }

    #[test]
    fn at_most_20_interactions_are_cited() {
        assert!(citing((1..=20).map(InteractionId).collect()).is_ok());
        assert_eq!(citing((1..=21).map(InteractionId).collect()), Err(InvalidDiagnosis::TooManyCitations));
    }

    #[test]
    fn citations_outside_the_session_are_dropped_and_the_rest_keep_their_order() {
        let session = BTreeSet::from([InteractionId(1), InteractionId(2), InteractionId(3)]);
        let diagnosis = citing(vec![InteractionId(3), InteractionId(9), InteractionId(1)]).unwrap();

        let kept = diagnosis.within(&session);

        assert_eq!(kept.evidence(), [InteractionId(3), InteractionId(1)]);
        assert_eq!(kept.reason(), "out of date");
    }
}
