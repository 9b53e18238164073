//! What the rules of thumb say, and that they never pretend to be more.

use evaluation::judging::{Budget, ToolCall, Trouble, VerdictRef};
use evaluation::{InteractionId, PromptVersion};
use kernel::Timestamp;

use super::*;

fn turn(id: i64, speaker: Speaker, content: &str) -> Turn {
    Turn {
        id: InteractionId(id),
        at: Timestamp::from_seconds(id),
        speaker,
        content: content.to_owned(),
        action: String::new(),
        tools: vec![],
    }
}

fn transcript(turns: &[Turn]) -> Transcript {
    Transcript::within(Budget::default(), turns, &BTreeSet::new())
}

fn talk(contents: &[(Speaker, &str)]) -> Transcript {
    let turns: Vec<_> = (1..).zip(contents).map(|(id, (speaker, text))| turn(id, *speaker, text)).collect();
    transcript(&turns)
}

fn grade(transcript: &Transcript) -> SessionGrade {
    Heuristic.grade_session(transcript, &Instructions::default()).unwrap().answer
}

use Speaker::{Agent, User};

#[test]
fn an_answered_question_is_a_success() {
    let grade = grade(&talk(&[(User, "where is it?"), (Agent, "it arrives today")]));

    assert!(grade.is_success && !grade.is_escalated);
}

#[test]
fn a_session_that_nobody_answered_has_failed() {
    assert!(!grade(&talk(&[(User, "hello?")])).is_success);
    assert!(!grade(&talk(&[])).is_success);
}

#[test]
fn a_correction_at_the_end_is_a_failure_and_one_in_the_middle_is_counted() {
    let corrected =
        talk(&[(User, "refund it"), (Agent, "done"), (User, "No, that's wrong"), (Agent, "refunded now")]);
    let wrong = talk(&[(User, "refund it"), (Agent, "done"), (User, "That’s not what I asked")]);

    assert!(grade(&corrected).is_success);
    assert_eq!(grade(&corrected).corrections, 1);
    assert_eq!(grade(&wrong).failure_type, Some(FailureType::WrongAnswer));
}

#[test]
fn a_failed_tool_at_the_end_is_a_system_error() {
    let tool = ToolCall { name: "search".to_owned(), data: String::new(), status: "Error".to_owned() };
    let broken = Turn { tools: vec![tool], ..turn(2, Agent, "let me look") };

    let grade = grade(&transcript(&[turn(1, User, "where is it?"), broken]));

    assert_eq!(grade.failure_type, Some(FailureType::SystemError));
}

#[test]
fn a_session_that_went_to_a_person_was_escalated() {
    let handed = talk(&[(User, "I want a real person"), (Agent, "of course")]);

    assert!(grade(&handed).is_escalated);
}

#[test]
fn every_reason_says_that_it_is_a_heuristic() {
    let reference = VerdictRef::parse("2:agent_playbook:5").unwrap();
    let subject = LearningSubject { reference, content: "refund first".to_owned(), trigger: String::new() };
    let chunk = LearningChunk {
        transcript: talk(&[(User, "a refund please"), (Agent, "done")]),
        subjects: vec![subject],
    };
    let pair = ShadowPair {
        context: talk(&[(User, "a refund please")]),
        first: "a refund is booked".to_owned(),
        second: "no".to_owned(),
        version: PromptVersion::new("v1.1.0").unwrap(),
    };

    let relevance = Heuristic.relevance(&chunk).unwrap().answer.remove(0);
    let impact = Heuristic.impact(&chunk).unwrap().answer.remove(0);
    let shadow = Heuristic.compare_shadow(&pair).unwrap();
    let failed = grade(&talk(&[(User, "hello?")]));

    assert!(relevance.is_relevant);
    assert_eq!(shadow.answer.better_request, BetterRequest::First);
    assert_eq!(shadow.epoch.kind, JudgeKind::Heuristic);
    let reasons = [
        relevance.reason.as_str(),
        impact.reason.as_str(),
        impact.diagnosis.as_ref().unwrap().reason(),
        shadow.answer.reason.as_str(),
        failed.failure_reason.as_str(),
    ];
    for reason in reasons {
        assert!(reason.starts_with(DISCLAIMER), "{reason}");
    }
}

#[test]
fn the_order_of_two_responses_changes_nothing() {
    let pair = |first: &str, second: &str| ShadowPair {
        context: talk(&[(User, "where is my parcel")]),
        first: first.to_owned(),
        second: second.to_owned(),
        version: PromptVersion::new("v1.1.0").unwrap(),
    };
    let better = |pair: &ShadowPair| Heuristic.compare_shadow(pair).unwrap().answer.better_request;

    assert_eq!(better(&pair("your parcel is here", "I'm unable to say")), BetterRequest::First);
    assert_eq!(better(&pair("I'm unable to say", "your parcel is here")), BetterRequest::Second);
    assert_eq!(better(&pair("same", "same")), BetterRequest::Tie);
}

#[test]
fn a_rubric_that_is_not_carried_is_not_pretended() {
    let pair = ShadowPair {
        context: talk(&[]),
        first: String::new(),
        second: String::new(),
        version: PromptVersion::new("v0.0.1").unwrap(),
    };

    let failure = Heuristic.compare_shadow(&pair).unwrap_err();

    assert_eq!(failure, JudgeFailure::Unavailable(Trouble::UnknownPrompt));
}
