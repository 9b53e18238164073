//! What a judge is asked and what it answers, beyond the transcript itself.

use std::collections::BTreeSet;
use std::fmt;

use super::judge::JudgeFailure;
use super::transcript::Transcript;
use crate::{
    BetterRequest, Diagnosis, FailureType, Impact, InteractionId, Judgement, LearningKind, PromptVersion,
    Reason,
};

/// What a judge said of a whole session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionGrade {
    /// Whether the agent did what the user wanted.
    pub is_success: bool,
    /// What made it fail.
    pub failure_type: Option<FailureType>,
    /// Why it failed.
    pub failure_reason: Reason,
    /// Whether the session was handed to a person.
    pub is_escalated: bool,
    /// How often the user corrected the agent.
    pub corrections: u32,
}

impl SessionGrade {
    /// The judgement to keep: a success has no failure, and only a success was resolved in so many user turns.
    #[must_use]
    pub fn judgement(self, user_turns: u32) -> Judgement {
        Judgement {
            is_success: self.is_success,
            failure_type: self.failure_type.filter(|_| !self.is_success),
            failure_reason: if self.is_success { Reason::default() } else { self.failure_reason },
            regular_vs_shadow: None,
            corrections: self.corrections,
            turns_to_resolution: self.is_success.then_some(user_turns),
            is_escalated: self.is_escalated,
            tags: None,
        }
    }
}

/// One learning at one turn; spelled `interaction_id:kind:learning_id`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VerdictRef {
    /// The turn that the learning was retrieved for.
    pub interaction_id: InteractionId,
    /// The kind of learning.
    pub kind: LearningKind,
    /// The learning among those of its kind.
    pub learning_id: String,
}

impl VerdictRef {
    /// Reads a reference as it is spelled. The learning's own id may hold colons.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ':');
        let interaction_id = InteractionId(parts.next()?.parse().ok()?);
        let kind = LearningKind::parse(parts.next()?)?;
        let learning_id = parts.next().filter(|id| !id.is_empty())?.to_owned();
        Some(Self { interaction_id, kind, learning_id })
    }
}

impl fmt::Display for VerdictRef {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.interaction_id.0, self.kind.as_str(), self.learning_id)
    }
}

/// A learning to be judged at a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningSubject {
    /// Which learning at which turn.
    pub reference: VerdictRef,
    /// What the learning says, perhaps shortened.
    pub content: String,
    /// When a playbook applies; empty for a profile or when not stated.
    pub trigger: String,
}

/// Learnings that are judged in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningChunk {
    /// The session, with every turn that is asked about.
    pub transcript: Transcript,
    /// The learnings, each with its own reference.
    pub subjects: Vec<LearningSubject>,
}

impl LearningChunk {
    /// Checks that an answer speaks of exactly what was asked: each reference once, and no other.
    ///
    /// # Errors
    /// [`JudgeFailure::Malformed`] otherwise.
    pub fn check<'a>(&self, answered: impl Iterator<Item = &'a VerdictRef>) -> Result<(), JudgeFailure> {
        let asked: BTreeSet<_> = self.subjects.iter().map(|subject| &subject.reference).collect();
        let (mut seen, mut count) = (BTreeSet::new(), 0);
        for reference in answered {
            seen.insert(reference);
            count += 1;
        }
        if seen == asked && count == asked.len() {
            Ok(())
        } else {
            Err(JudgeFailure::Malformed("its references are not those that were asked"))
        }
    }
}

/// Whether a learning was relevant to its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelevanceVerdict {
    /// Which learning at which turn.
    pub reference: VerdictRef,
    /// Whether it was relevant.
    pub is_relevant: bool,
    /// Why.
    pub reason: Reason,
}

/// What a learning did to the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpactVerdict {
    /// Which learning at which turn.
    pub reference: VerdictRef,
    /// What it did.
    pub impact: Impact,
    /// Why.
    pub reason: Reason,
    /// What was wrong with a playbook.
    pub diagnosis: Option<Diagnosis>,
}

/// Two responses to one turn, in the order in which the judge shall see them. Nothing says which is whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowPair {
    /// The session up to the turn, without it.
    pub context: Transcript,
    /// Request 1.
    pub first: String,
    /// Request 2.
    pub second: String,
    /// The rubric to use.
    pub version: PromptVersion,
}

/// What a judge said of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowGrade {
    /// Which response was better, by its position.
    pub better_request: BetterRequest,
    /// Whether it was better by far.
    pub is_significantly_better: bool,
    /// Why.
    pub reason: Reason,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judging::testing::{chunk_of, reference};

    fn grade(is_success: bool) -> SessionGrade {
        SessionGrade {
            is_success,
            failure_type: Some(FailureType::WrongTool),
            failure_reason: Reason::new("used the wrong tool").unwrap(),
            is_escalated: true,
            corrections: 2,
        }
    }

    #[test]
    fn turns_to_resolution_are_the_user_turns_of_a_success_and_of_nothing_else() {
        assert_eq!(grade(true).judgement(4).turns_to_resolution, Some(4));
        assert_eq!(grade(false).judgement(4).turns_to_resolution, None);
    }

    #[test]
    fn a_success_carries_no_failure_whatever_the_judge_says() {
        let kept = grade(true).judgement(1);

        assert_eq!((kept.failure_type, kept.failure_reason), (None, Reason::default()));
        assert_eq!(grade(false).judgement(1).failure_type, Some(FailureType::WrongTool));
    }

    #[test]
    fn a_reference_is_read_back_as_it_is_spelled_colons_and_all() {
        let colons = VerdictRef { learning_id: "a:b:".to_owned(), ..reference(7, "x") };

        assert_eq!(colons.to_string(), "7:profile:a:b:");
        assert_eq!(VerdictRef::parse("7:profile:a:b:"), Some(colons));
    }

    #[test]
    fn what_is_no_reference_is_not_read_as_one() {
        for text in ["", "7", "7:profile", "7:profile:", "x:profile:p", "7:diary:p"] {
            assert_eq!(VerdictRef::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_chunk_is_valid_only_if_its_references_are_exactly_those_asked() {
        let [one, two, three] = [reference(1, "p"), reference(1, "q"), reference(2, "p")];
        let chunk = chunk_of(&[one.clone(), two.clone()]);
        let check = |answered: &[&VerdictRef]| chunk.check(answered.iter().copied()).is_ok();

        assert!(check(&[&two, &one]));
        assert!(!check(&[&one]));
        assert!(!check(&[&one, &two, &three]));
        assert!(!check(&[&one, &three]));
        assert!(!check(&[&one, &two, &two]));
        assert!(!check(&[]));
    }
}
