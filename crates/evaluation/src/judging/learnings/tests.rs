//! The rules of judging what was retrieved.

use super::*;
use crate::judging::judge::{Judged, MockJudge};
use crate::judging::testing::{attached, epoch, judged, record, reference};
use crate::judging::transcript::Turn;
use crate::samples::at;
use crate::{Diagnosis, DiagnosisCategory, Impact, Reason};

fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

fn profile(id: &str, owner: &str) -> StoredLearning {
    StoredLearning {
        kind: LearningKind::Profile,
        learning_id: id.to_owned(),
        owner: Some(UserId::new(owner).unwrap()),
        text: LearningText::Profile { content: "likes short answers".to_owned() },
    }
}

fn playbook(id: &str) -> StoredLearning {
    StoredLearning {
        kind: LearningKind::AgentPlaybook,
        learning_id: id.to_owned(),
        owner: None,
        text: LearningText::Playbook { content: "ask first".to_owned(), trigger: "a refund".to_owned() },
    }
}

fn with(attachments: Vec<crate::judging::session::Attachment>) -> SessionRecord {
    SessionRecord { attachments, ..record() }
}

fn references(record: &SessionRecord, stored: &[StoredLearning]) -> Vec<String> {
    let candidates = Candidates::of(record, stored, &ada());
    candidates.found.iter().map(|(reference, _)| reference.to_string()).collect()
}

fn all_relevant(chunk: &LearningChunk) -> Vec<RelevanceVerdict> {
    let relevant = |subject: &LearningSubject| RelevanceVerdict {
        reference: subject.reference.clone(),
        is_relevant: true,
        reason: Reason::new("fits").unwrap(),
    };
    chunk.subjects.iter().map(relevant).collect()
}

fn all_harmful(chunk: &LearningChunk) -> Vec<ImpactVerdict> {
    let cited = vec![InteractionId(2), InteractionId(99), InteractionId(1)];
    let diagnosis = Diagnosis::new(DiagnosisCategory::ContentDefect, "out of date", cited).unwrap();
    let harmful = |subject: &LearningSubject| ImpactVerdict {
        reference: subject.reference.clone(),
        impact: Impact::Negative,
        reason: Reason::new("misled").unwrap(),
        diagnosis: Some(diagnosis.clone()),
    };
    chunk.subjects.iter().map(harmful).collect()
}

fn answering() -> MockJudge {
    let mut judge = MockJudge::new();
    judge.expect_relevance().returning(|chunk| Ok(judged(all_relevant(chunk))));
    judge.expect_impact().returning(|chunk| Ok(judged(all_harmful(chunk))));
    judge
}

fn judge_with(record: &SessionRecord, stored: &[StoredLearning], judge: &MockJudge) -> LearningOutcome {
    Candidates::of(record, stored, &ada()).judge(judge, Budget::default(), at(500))
}

#[test]
fn a_learning_is_judged_once_for_each_turn_it_was_retrieved_for() {
    let record = with(vec![
        attached(2, LearningKind::Profile, "p"),
        attached(2, LearningKind::Profile, "p"),
        attached(1, LearningKind::Profile, "p"),
        attached(2, LearningKind::AgentPlaybook, "5"),
    ]);

    let asked = references(&record, &[profile("p", "ada"), playbook("5")]);

    assert_eq!(asked, ["1:profile:p", "2:agent_playbook:5", "2:profile:p"]);
}

#[test]
fn the_learning_of_another_user_and_one_that_is_gone_are_skipped() {
    let record = with(vec![
        attached(2, LearningKind::Profile, "hers"),
        attached(2, LearningKind::Profile, "his"),
        attached(2, LearningKind::UserPlaybook, "7"),
        attached(2, LearningKind::AgentPlaybook, "5"),
    ]);

    let asked = references(&record, &[profile("hers", "ada"), profile("his", "bob"), playbook("5")]);

    assert_eq!(asked, ["2:agent_playbook:5", "2:profile:hers"]);
}

#[test]
fn a_session_without_anything_to_judge_asks_nobody_and_has_no_rows() {
    let silent = MockJudge::new();
    let gone = with(vec![attached(2, LearningKind::Profile, "gone")]);

    for record in [record(), gone] {
        let outcome = judge_with(&record, &[], &silent);

        assert_eq!((outcome.status, outcome.rows), (LearningStatus::NotApplicable, Some(vec![])));
    }
}

#[test]
fn a_row_says_what_was_judged_when_and_how() {
    let record = with(vec![attached(2, LearningKind::AgentPlaybook, "5")]);

    let outcome = judge_with(&record, &[playbook("5")], &answering());

    let rows = outcome.rows.unwrap();
    let row = &rows[0];
    assert_eq!(outcome.status, LearningStatus::Complete);
    assert_eq!((row.interaction_id, row.interaction_created_at), (Some(InteractionId(2)), Some(at(2))));
    assert_eq!((row.is_relevant, row.impact), (Some(true), Some(Impact::Negative)));
    assert_eq!((row.relevance_reason.as_str(), row.impact_reason.as_str()), ("fits", "misled"));
    assert_eq!(row.evaluated_playbook_digest, Some(playbook_digest("ask first", "a refund")));
    assert!(row.diagnosis_evidence_complete);
    assert_eq!((row.agent_version.as_str(), row.created_at), ("v7", at(500)));
    assert_eq!(
        (outcome.effort.input_tokens, outcome.epoch),
        (20, Some(epoch(super::super::JudgeKind::Model)))
    );
}

#[test]
fn citations_outside_the_session_are_dropped() {
    let record = with(vec![attached(2, LearningKind::AgentPlaybook, "5")]);

    let outcome = judge_with(&record, &[playbook("5")], &answering());

    let diagnosis = outcome.rows.unwrap()[0].diagnosis.clone().unwrap();
    assert_eq!(diagnosis.evidence(), [InteractionId(2), InteractionId(1)]);
}

#[test]
fn a_profile_is_never_diagnosed_and_has_no_digest() {
    let record = with(vec![attached(2, LearningKind::Profile, "p")]);

    let outcome = judge_with(&record, &[profile("p", "ada")], &answering());

    let rows = outcome.rows.unwrap();
    assert_eq!((&rows[0].diagnosis, &rows[0].evaluated_playbook_digest), (&None, &None));
}

#[test]
fn evidence_that_was_cut_is_called_incomplete() {
    let long = "x".repeat(Budget::default().text + 1);
    let cut_turn = SessionRecord {
        turns: vec![Turn { content: long.clone(), ..record().turns[0].clone() }, record().turns[1].clone()],
        ..with(vec![attached(2, LearningKind::AgentPlaybook, "5")])
    };
    let whole = with(vec![attached(2, LearningKind::AgentPlaybook, "5")]);
    let long_text = LearningText::Playbook { content: long, trigger: String::new() };
    let cut_playbook = StoredLearning { text: long_text, ..playbook("5") };

    for (record, stored) in [(cut_turn, playbook("5")), (whole, cut_playbook)] {
        let rows = judge_with(&record, &[stored], &answering()).rows.unwrap();

        assert!(!rows[0].diagnosis_evidence_complete);
    }
}

#[test]
fn the_digest_is_that_of_the_whole_playbook_even_where_the_judge_saw_a_part() {
    let long = "x".repeat(Budget::default().text + 1);
    let text = LearningText::Playbook { content: long.clone(), trigger: String::new() };
    let record = with(vec![attached(2, LearningKind::AgentPlaybook, "5")]);

    let rows = judge_with(&record, &[StoredLearning { text, ..playbook("5") }], &answering()).rows.unwrap();

    assert_eq!(rows[0].evaluated_playbook_digest, Some(playbook_digest(&long, "")));
}

#[test]
fn half_an_answer_is_kept_and_called_degraded() {
    let mut judge = MockJudge::new();
    judge.expect_relevance().returning(|chunk| Ok(judged(all_relevant(chunk))));
    judge.expect_impact().return_const(Err(JudgeFailure::Cut));
    let record = with(vec![attached(2, LearningKind::AgentPlaybook, "5")]);

    let outcome = judge_with(&record, &[playbook("5")], &judge);

    let rows = outcome.rows.unwrap();
    assert_eq!((outcome.status, outcome.failure), (LearningStatus::Degraded, Some(JudgeFailure::Cut)));
    assert_eq!((rows[0].is_relevant, rows[0].impact), (Some(true), None));
}

#[test]
fn no_answer_at_all_leaves_what_was_kept_before() {
    let mut judge = MockJudge::new();
    judge.expect_relevance().return_const(Err(JudgeFailure::TimedOut));
    judge.expect_impact().return_const(Err(JudgeFailure::Refused));
    let record = with(vec![attached(2, LearningKind::AgentPlaybook, "5")]);

    let outcome = judge_with(&record, &[playbook("5")], &judge);

    assert_eq!((outcome.status, outcome.rows), (LearningStatus::Failed, None));
    assert_eq!(outcome.failure, Some(JudgeFailure::TimedOut));
}

#[test]
fn an_answer_about_something_else_is_no_answer() {
    let mut judge = MockJudge::new();
    judge.expect_relevance().returning(|chunk| {
        let strange = RelevanceVerdict { reference: reference(2, "other"), ..all_relevant(chunk)[0].clone() };
        Ok(judged(vec![strange]))
    });
    judge.expect_impact().returning(|_| Ok(judged(vec![])));
    let record = with(vec![attached(2, LearningKind::Profile, "p")]);

    let outcome = judge_with(&record, &[profile("p", "ada")], &judge);

    assert_eq!(outcome.status, LearningStatus::Failed);
    assert!(matches!(outcome.failure, Some(JudgeFailure::Malformed(_))));
}

#[test]
fn many_learnings_are_asked_about_in_chunks_and_one_bad_chunk_spoils_only_itself() {
    let mut judge = MockJudge::new();
    let bad = |chunk: &LearningChunk| chunk.subjects[0].reference.learning_id == "00";
    judge.expect_relevance().times(3).returning(move |chunk| {
        assert!(chunk.subjects.len() <= CHUNK);
        if bad(chunk) { Err(JudgeFailure::Refused) } else { Ok(judged(all_relevant(chunk))) }
    });
    judge.expect_impact().times(3).returning(move |chunk| -> Result<Judged<_>, _> {
        if bad(chunk) { Err(JudgeFailure::Refused) } else { Ok(judged(all_harmful(chunk))) }
    });
    let ids: Vec<_> = (0..CHUNK * 3).map(|number| format!("{number:02}")).collect();
    let record = with(ids.iter().map(|id| attached(2, LearningKind::Profile, id)).collect());
    let stored: Vec<_> = ids.iter().map(|id| profile(id, "ada")).collect();

    let outcome = judge_with(&record, &stored, &judge);

    assert_eq!((outcome.status, outcome.rows.unwrap().len()), (LearningStatus::Degraded, CHUNK * 2));
}
