//! A judge that knows the story: it says of each scene what the scene was made to show, and that it is demo data.

use std::sync::Arc;

use evaluation::judging::{
    Answer, Effort, ImpactVerdict, Instructions, Judge, JudgeEpoch, JudgeFailure, JudgeKind, Judged, Judges,
    LearningChunk, LearningSubject, RelevanceVerdict, SessionGrade, ShadowGrade, ShadowPair, Transcript,
};
use evaluation::{
    BetterRequest, Diagnosis, DiagnosisCategory, FailureType, Impact, InteractionId, LearningKind,
    PromptVersion, Reason, ServicePosition, ShadowOutcome,
};
use judge::{Prompts, Question};
use kernel::{OrgId, StoreError};

use super::conversation::first_answer;
use super::dice::Dice;
use super::rules::RULES;
use super::scene::{Ending, Handover, Scene};
use super::timeline::is_regression;

/// What every reason begins with.
pub(super) const DISCLAIMER: &str = "Demo data:";
/// The judge's name beside its answers.
const MODEL: &str = "demo story";

/// Judges one scene.
#[derive(Debug, Clone)]
pub(super) struct StoryJudge {
    /// What it judges.
    pub(super) scene: Arc<Scene>,
    /// How it fails instead, where the story wants a failure.
    pub(super) trouble: Option<JudgeFailure>,
}

impl Judges for StoryJudge {
    fn judge_of(&self, _: &OrgId) -> Result<Arc<dyn Judge>, StoreError> {
        Ok(Arc::new(self.clone()))
    }
}

impl Judge for StoryJudge {
    fn kind(&self) -> JudgeKind {
        JudgeKind::Model
    }

    fn epoch(&self) -> JudgeEpoch {
        epoch(Question::Session)
    }

    fn probe(&self) -> Result<(), JudgeFailure> {
        Ok(())
    }

    fn grade_session(&self, _: &Transcript, _: &Instructions) -> Answer<SessionGrade> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        let (failure_type, failure_reason) = match self.scene.ending {
            Ending::Settled => (None, Reason::default()),
            Ending::Unsettled(kind) => (Some(kind), reason(why_failed(kind))),
        };
        Ok(judged(
            Question::Session,
            SessionGrade {
                is_success: self.scene.is_settled(),
                failure_type,
                failure_reason,
                is_escalated: self.scene.handover == Handover::ToPerson,
                corrections: self.scene.corrections,
            },
        ))
    }

    fn relevance(&self, chunk: &LearningChunk) -> Answer<Vec<RelevanceVerdict>> {
        let verdict = |subject: &LearningSubject| {
            let is_relevant = self.is_relevant(subject);
            let why = if is_relevant {
                "it speaks of what the customer asked."
            } else {
                "the customer asked about something else."
            };
            RelevanceVerdict { reference: subject.reference.clone(), is_relevant, reason: reason(why) }
        };
        Ok(judged(Question::Relevance, chunk.subjects.iter().map(verdict).collect()))
    }

    fn impact(&self, chunk: &LearningChunk) -> Answer<Vec<ImpactVerdict>> {
        let last = chunk.transcript.turns().last().map(|turn| turn.id);
        let verdict = |subject: &LearningSubject| self.impact_of(subject, last);
        Ok(judged(Question::Impact, chunk.subjects.iter().map(verdict).collect()))
    }

    fn compare_shadow(&self, pair: &ShadowPair) -> Answer<ShadowGrade> {
        let comparison = self.scene.shadow.ok_or(JudgeFailure::Refused)?;
        let is_first = pair.first == first_answer(&self.scene);
        let service = if is_first { ServicePosition::First } else { ServicePosition::Second };
        let (better_request, why) = match (comparison.outcome, service) {
            (ShadowOutcome::Tie, _) => (BetterRequest::Tie, "both say the same."),
            (ShadowOutcome::Win, ServicePosition::First) | (ShadowOutcome::Loss, ServicePosition::Second) => {
                (BetterRequest::First, "request 1 speaks of the order itself.")
            }
            (ShadowOutcome::Win, ServicePosition::Second) | (ShadowOutcome::Loss, ServicePosition::First) => {
                (BetterRequest::Second, "request 2 speaks of the order itself.")
            }
        };
        let answer = ShadowGrade {
            better_request,
            is_significantly_better: comparison.is_significant,
            reason: reason(why),
        };
        let epoch = JudgeEpoch { prompt_version: pair.version.clone(), ..epoch(Question::Shadow) };
        Ok(Judged { answer, epoch, effort: Effort::default() })
    }
}

impl StoryJudge {
    fn dice(&self, subject: &LearningSubject) -> Dice {
        Dice::named(self.scene.seed, &subject.content)
    }

    /// A rule is retrieved because it fits; what is known about a user fits more loosely.
    fn is_relevant(&self, subject: &LearningSubject) -> bool {
        let share = match subject.reference.kind {
            LearningKind::AgentPlaybook => 0.93,
            LearningKind::UserPlaybook => 0.7,
            LearningKind::Profile => 0.55,
        };
        self.dice(subject).happens(share)
    }

    fn impact_of(&self, subject: &LearningSubject, last: Option<InteractionId>) -> ImpactVerdict {
        let mut dice = self.dice(subject);
        let is_harmful = RULES.iter().any(|rule| rule.is_harmful() && rule.content == subject.content);
        let is_relevant = self.is_relevant(subject);
        let _the_same_throw = dice.share();
        let (impact, why) = match (is_relevant, is_harmful, self.scene.is_settled()) {
            (false, _, _) => (Impact::Neutral, "the answer does not follow it."),
            (true, true, false) => {
                (Impact::Negative, "the answer promised a refund that was declined later.")
            }
            (true, true, true) => (Impact::Neutral, "the refund would have been granted anyway."),
            (true, false, true) if dice.happens(0.75) => {
                (Impact::Positive, "the answer follows it, and the customer was content.")
            }
            (true, false, true) => (Impact::Neutral, "the answer would have been the same without it."),
            (true, false, false) if dice.happens(0.08) => {
                (Impact::Negative, "it kept the agent from asking back.")
            }
            (true, false, false) => (Impact::Neutral, "the session failed for another reason."),
        };
        ImpactVerdict {
            reference: subject.reference.clone(),
            impact,
            reason: reason(why),
            diagnosis: self.diagnosis(subject, impact, last),
        }
    }

    /// What went wrong with a playbook, with the turns that show it.
    fn diagnosis(
        &self,
        subject: &LearningSubject,
        impact: Impact,
        last: Option<InteractionId>,
    ) -> Option<Diagnosis> {
        if subject.reference.kind == LearningKind::Profile {
            return None;
        }
        let (category, why) = match (impact, self.scene.ending) {
            (Impact::Negative, _) => (
                DiagnosisCategory::ContentDefect,
                "the rule says too much: it leaves out when it does not apply.",
            ),
            (_, Ending::Settled) => (DiagnosisCategory::NoIssue, "nothing went wrong."),
            (_, Ending::Unsettled(FailureType::SystemError | FailureType::WrongTool))
                if is_regression(self.scene.day) =>
            {
                (DiagnosisCategory::ExternalFailure, "the new version could not reach the right tool.")
            }
            (_, Ending::Unsettled(FailureType::WrongAnswer)) => (
                DiagnosisCategory::ApplicationFailure,
                "the rule was right and the answer did not follow it.",
            ),
            (_, Ending::Unsettled(_)) => (DiagnosisCategory::Unknown, "the cause cannot be told."),
        };
        let mut evidence = vec![subject.reference.interaction_id];
        evidence.extend(last.filter(|last| *last != subject.reference.interaction_id));
        Diagnosis::new(category, &format!("{DISCLAIMER} {why}"), evidence).ok()
    }
}

const fn why_failed(kind: FailureType) -> &'static str {
    match kind {
        FailureType::SystemError => "a tool of the shop did not answer.",
        FailureType::MissingTool => "the agent had no tool for what was asked.",
        FailureType::WrongTool => "the agent asked for store hours instead of looking the order up.",
        FailureType::InsufficientInfoFromTool => "the tool answered without the order's state.",
        FailureType::WrongAnswer => "the answer was not true of this order.",
    }
}

fn judged<T>(question: Question, answer: T) -> Judged<T> {
    Judged { answer, epoch: epoch(question), effort: Effort::default() }
}

fn epoch(question: Question) -> JudgeEpoch {
    let prompt = Prompts.current(question);
    JudgeEpoch {
        kind: JudgeKind::Model,
        prompt_version: Prompts::version_of(&prompt),
        // No prompt was read: the verdicts were written with the story.
        prompt_hash: String::new(),
        requested_model: MODEL.to_owned(),
        returned_model: MODEL.to_owned(),
    }
}

fn reason(why: &str) -> Reason {
    Reason::new(&format!("{DISCLAIMER} {why}")).unwrap_or_default()
}

/// The rubric that was pinned before this binary's.
pub(super) const OLDER_RUBRIC: &str = "v1.0.0";

/// What an earlier binary carried: the rubric before the change.
#[derive(Debug, Clone, Copy)]
pub(super) struct EarlierPrompts;

impl organization::PromptCatalogue for EarlierPrompts {
    fn carries(&self, version: &str) -> bool {
        PromptVersion::new(version).is_ok() && version == OLDER_RUBRIC
    }
}
