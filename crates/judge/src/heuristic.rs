//! Rules of thumb that need no network: deterministic, modest, and open about being no more than that.

use std::collections::BTreeSet;

use evaluation::judging::{
    Answer, Effort, ImpactVerdict, Instructions, Judge, JudgeEpoch, JudgeFailure, JudgeKind, Judged,
    LearningChunk, LearningSubject, RelevanceVerdict, SessionGrade, ShadowGrade, ShadowPair, Speaker,
    Transcript, Turn,
};
use evaluation::{BetterRequest, Diagnosis, DiagnosisCategory, FailureType, Impact, LearningKind, Reason};

use crate::openai::pinned;
use crate::prompts::{Prompt, Prompts, Question};

mod signs;

use signs::{escalates, gives_up, is_content, is_correction, is_failed_status, words_of};

/// What every reason begins with.
pub const DISCLAIMER: &str = "Heuristic, no model was asked:";

/// The model's name where there is none.
const NO_MODEL: &str = "heuristic";

/// The built-in judge.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heuristic;

impl Judge for Heuristic {
    fn kind(&self) -> JudgeKind {
        JudgeKind::Heuristic
    }

    fn epoch(&self) -> JudgeEpoch {
        epoch(&Prompts.current(Question::Session))
    }

    fn probe(&self) -> Result<(), JudgeFailure> {
        Ok(())
    }

    fn grade_session(&self, transcript: &Transcript, _: &Instructions) -> Answer<SessionGrade> {
        let turns: Vec<_> = transcript.turns().collect();
        let failure = failure_of(&turns);
        Ok(judged(
            Question::Session,
            SessionGrade {
                is_success: failure.is_none(),
                failure_type: failure.map(|(kind, _)| kind),
                failure_reason: failure.map_or_else(Reason::default, |(_, why)| reason(why)),
                is_escalated: turns.iter().any(|turn| escalates(&turn.content)),
                corrections: corrections(&turns),
            },
        ))
    }

    fn relevance(&self, chunk: &LearningChunk) -> Answer<Vec<RelevanceVerdict>> {
        let verdict = |subject: &LearningSubject| {
            let shared = shared_with_question(chunk, subject);
            RelevanceVerdict {
                reference: subject.reference.clone(),
                is_relevant: shared > 0,
                reason: reason(&format!(
                    "{shared} words of it occur in what the user said before that turn."
                )),
            }
        };
        Ok(judged(Question::Relevance, chunk.subjects.iter().map(verdict).collect()))
    }

    fn impact(&self, chunk: &LearningChunk) -> Answer<Vec<ImpactVerdict>> {
        let verdict = |subject: &LearningSubject| ImpactVerdict {
            reference: subject.reference.clone(),
            // Words cannot show that an answer got better or worse.
            impact: Impact::Neutral,
            reason: reason("words alone cannot show whether it helped."),
            diagnosis: diagnosis(subject.reference.kind),
        };
        Ok(judged(Question::Impact, chunk.subjects.iter().map(verdict).collect()))
    }

    fn compare_shadow(&self, pair: &ShadowPair) -> Answer<ShadowGrade> {
        let prompt = pinned(&pair.version)?;
        let asked = pair.context.turns().filter(|turn| turn.speaker == Speaker::User).last();
        let asked = asked.map(|turn| words_of(&turn.content)).unwrap_or_default();
        let score = |response: &str| {
            (!gives_up(response) && !response.trim().is_empty(), shared(&asked, &words_of(response)))
        };
        let better_request = match score(&pair.first).cmp(&score(&pair.second)) {
            std::cmp::Ordering::Greater => BetterRequest::First,
            std::cmp::Ordering::Less => BetterRequest::Second,
            std::cmp::Ordering::Equal => BetterRequest::Tie,
        };
        let answer = ShadowGrade {
            better_request,
            is_significantly_better: false,
            reason: reason("which answer takes up more of the user's words and does not give up."),
        };
        Ok(Judged { answer, epoch: epoch(&prompt), effort: Effort::default() })
    }
}

fn judged<T>(question: Question, answer: T) -> Judged<T> {
    Judged { answer, epoch: epoch(&Prompts.current(question)), effort: Effort::default() }
}

fn epoch(prompt: &Prompt) -> JudgeEpoch {
    JudgeEpoch {
        kind: JudgeKind::Heuristic,
        prompt_version: Prompts::version_of(prompt),
        prompt_hash: prompt.hash(),
        requested_model: NO_MODEL.to_owned(),
        returned_model: NO_MODEL.to_owned(),
    }
}

fn reason(why: &str) -> Reason {
    Reason::new(&format!("{DISCLAIMER} {why}")).unwrap_or_default()
}

/// A diagnosis is for playbooks, and this judge never knows one.
fn diagnosis(kind: LearningKind) -> Option<Diagnosis> {
    let why = format!("{DISCLAIMER} the cause cannot be told from words.");
    match kind {
        LearningKind::Profile => None,
        LearningKind::UserPlaybook | LearningKind::AgentPlaybook => {
            Diagnosis::new(DiagnosisCategory::Unknown, &why, vec![]).ok()
        }
    }
}

/// Why a session looks failed, judged by its end.
fn failure_of(turns: &[&Turn]) -> Option<(FailureType, &'static str)> {
    let last_user = turns.iter().rev().find(|turn| turn.speaker == Speaker::User);
    let last_agent = turns.iter().rev().find(|turn| turn.speaker == Speaker::Agent);
    let Some(answer) = last_agent else {
        return Some((FailureType::WrongAnswer, "the agent never answered."));
    };
    if last_user.is_some_and(|turn| is_content(&turn.content)) {
        return None;
    }
    if answer.tools.iter().any(|tool| is_failed_status(&tool.status)) {
        return Some((FailureType::SystemError, "a tool of the last answer failed."));
    }
    if last_user.is_some_and(|turn| turn.at > answer.at && is_correction(&turn.content)) {
        return Some((FailureType::WrongAnswer, "the last word is a correction by the user."));
    }
    if gives_up(&answer.content) {
        return Some((FailureType::WrongAnswer, "the last answer says that the agent could not help."));
    }
    None
}

/// User turns after the agent's first that correct it.
fn corrections(turns: &[&Turn]) -> u32 {
    let answered = turns.iter().skip_while(|turn| turn.speaker != Speaker::Agent);
    let corrected =
        answered.filter(|turn| turn.speaker == Speaker::User && is_correction(&turn.content)).count();
    u32::try_from(corrected).unwrap_or(u32::MAX)
}

/// How many words a learning shares with the user's latest words before its turn.
fn shared_with_question(chunk: &LearningChunk, subject: &LearningSubject) -> usize {
    let asked = chunk
        .transcript
        .turns()
        .take_while(|turn| turn.id != subject.reference.interaction_id)
        .filter(|turn| turn.speaker == Speaker::User)
        .last();
    let asked = asked.map(|turn| words_of(&turn.content)).unwrap_or_default();
    let says = words_of(&format!("{} {}", subject.content, subject.trigger));
    shared(&asked, &says)
}

fn shared(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    one.intersection(other).count()
}

#[cfg(test)]
mod tests;
