//! The rules of evaluating a due session.

use kernel::{Barrier, StoreError};

use super::*;
use crate::judging::answer::SessionGrade;
use crate::judging::judge::{JudgeKind, Judged, MockJudge, Trouble};
use crate::judging::ports::{Hold, MockJudgingTx};
use crate::judging::sampling::SamplingRate;
use crate::judging::session::SessionRecord;
use crate::judging::settings::JudgingSetup;
use crate::judging::testing::{
    Desk, NOW, attached, claimed, completing, concluding, epoch, fence, grading, judged, open_tx, record,
    setup, success,
};
use crate::judging::work::WorkSubject;
use crate::samples::at;
use crate::{FailureType, Fenced, LearningKind, Reason};

const DOWN: JudgeFailure = JudgeFailure::Unavailable(Trouble::Status(503));

fn evaluate(desk: Desk, attempts: u32) -> Result<Evaluated, EvaluationError> {
    EvaluateSession::new(desk.build(), RetryPolicy::default())
        .evaluate(&claimed(WorkSubject::Session, attempts))
}

fn failing(failure: JudgeFailure) -> MockJudge {
    let mut judge = MockJudge::new();
    judge.expect_grade_session().times(1).return_const(Err(failure));
    judge
}

#[test]
fn a_due_session_is_judged_kept_and_its_work_ended() {
    let mut tx = completing(concluding(open_tx()));
    tx.results
        .expect_keep()
        .withf(|results| {
            let result = &results[0];
            result.identity.agent_version.as_str() == "v7"
                && result.identity.evaluation_name.is_agent_success()
                && (result.created_at, result.source.as_str()) == (at(1), "web")
                && result.judged_at == at(NOW)
                && result.judgement.turns_to_resolution == Some(1)
                && result.judgement.tags.is_none()
        })
        .times(1)
        .return_const(Ok(()));

    assert_eq!(evaluate(Desk::holding(record(), grading(success()), tx), 1), Ok(Evaluated::Judged));
}

#[test]
fn a_failed_session_says_why_and_was_not_resolved() {
    let failed = SessionGrade {
        is_success: false,
        failure_type: Some(FailureType::WrongAnswer),
        failure_reason: Reason::new("named the wrong day").unwrap(),
        ..success()
    };
    let mut tx = completing(concluding(open_tx()));
    tx.results
        .expect_keep()
        .withf(|results| {
            let said = &results[0].judgement;
            said.failure_type == Some(FailureType::WrongAnswer)
                && said.failure_reason.as_str() == "named the wrong day"
                && said.turns_to_resolution.is_none()
        })
        .times(1)
        .return_const(Ok(()));

    assert_eq!(evaluate(Desk::holding(record(), grading(failed), tx), 1), Ok(Evaluated::Judged));
}

#[test]
fn a_result_by_rules_of_thumb_is_tagged_as_one() {
    let mut judge = MockJudge::new();
    judge
        .expect_grade_session()
        .returning(|_, _| Ok(Judged { epoch: epoch(JudgeKind::Heuristic), ..judged(success()) }));
    let mut tx = completing(concluding(open_tx()));
    tx.results
        .expect_keep()
        .withf(|results| results[0].judgement.tags.as_ref().unwrap()[0].as_str() == "heuristic")
        .times(1)
        .return_const(Ok(()));

    assert_eq!(evaluate(Desk::holding(record(), judge, tx), 1), Ok(Evaluated::Judged));
}

#[test]
fn the_record_of_a_run_holds_its_fence_epoch_and_cost() {
    let mut tx = completing(open_tx());
    tx.verdicts.expect_replace_learning_verdicts().return_const(Ok(Fenced::Kept));
    tx.results.expect_keep().return_const(Ok(()));
    tx.runs
        .expect_conclude()
        .withf(|_, conclusion| {
            conclusion.fence == fence()
                && conclusion.graded
                && conclusion.learnings == LearningStatus::NotApplicable
                && conclusion.epoch == Some(epoch(JudgeKind::Model))
                && conclusion.effort.input_tokens == 10
        })
        .times(1)
        .return_const(Ok(Fenced::Kept));

    assert_eq!(evaluate(Desk::holding(record(), grading(success()), tx), 1), Ok(Evaluated::Judged));
}

#[test]
fn the_rows_of_a_session_without_attachments_are_replaced_by_none() {
    let mut tx = completing(open_tx());
    tx.runs.expect_conclude().return_const(Ok(Fenced::Kept));
    tx.results.expect_keep().return_const(Ok(()));
    tx.verdicts
        .expect_replace_learning_verdicts()
        .withf(|_, with, rows| *with == fence() && rows.is_empty())
        .times(1)
        .return_const(Ok(Fenced::Kept));

    assert_eq!(evaluate(Desk::holding(record(), grading(success()), tx), 1), Ok(Evaluated::Judged));
}

#[test]
fn a_session_outside_the_sample_is_not_judged_and_its_work_is_done() {
    let mut desk = Desk::holding(record(), MockJudge::new(), completing(MockJudgingTx::default()));
    desk.setup = JudgingSetup { sampling: SamplingRate::new(0.0).unwrap(), ..setup() };

    assert_eq!(evaluate(desk, 1), Ok(Evaluated::NotSampled));
}

#[test]
fn when_only_learnings_are_sampled_no_result_is_written() {
    let mut tx = completing(concluding(open_tx()));
    tx.results.expect_keep().never();
    let mut desk = Desk::holding(record(), MockJudge::new(), tx);
    let [none, all] = [0.0, 1.0].map(|rate| SamplingRate::new(rate).unwrap());
    desk.setup = JudgingSetup { sampling: none, learning_sampling: Some(all), ..setup() };

    assert_eq!(evaluate(desk, 1), Ok(Evaluated::Judged));
}

#[test]
fn when_only_the_session_is_sampled_the_rows_of_its_learnings_stay() {
    let mut tx = completing(open_tx());
    tx.runs
        .expect_conclude()
        .withf(|_, conclusion| conclusion.learnings == LearningStatus::Skipped)
        .return_const(Ok(Fenced::Kept));
    tx.verdicts.expect_replace_learning_verdicts().never();
    tx.results.expect_keep().times(1).return_const(Ok(()));
    let mut desk = Desk::holding(record(), grading(success()), tx);
    desk.setup = JudgingSetup { learning_sampling: SamplingRate::new(0.0).ok(), ..setup() };

    assert_eq!(evaluate(desk, 1), Ok(Evaluated::Judged));
}

#[test]
fn a_session_that_is_gone_ends_its_work() {
    let mut desk = Desk::bare(MockJudge::new(), completing(MockJudgingTx::default()));
    desk.sessions.expect_facts().return_const(Ok(None));

    assert_eq!(evaluate(desk, 1), Ok(Evaluated::Gone));
}

#[test]
fn a_failed_judge_leaves_no_row_and_is_asked_again_later() {
    let mut tx = open_tx();
    tx.results.expect_keep().never();
    tx.work
        .expect_retry()
        .withf(|_, seconds, reason| *seconds == 15 && reason.as_str() == DOWN.to_string())
        .times(1)
        .return_const(Ok(Hold::Held));

    let evaluated = evaluate(Desk::holding(record(), failing(DOWN), tx), 1);

    assert_eq!(evaluated, Ok(Evaluated::Retrying(DOWN)));
}

#[test]
fn a_session_whose_results_are_never_kept_is_laid_aside_and_the_judge_not_asked_again() {
    let mut tx = open_tx();
    tx.work.expect_bury().times(1).return_const(Ok(Hold::Held));

    let evaluated = evaluate(Desk::bare(MockJudge::new(), tx), 24);

    assert_eq!(evaluated, Ok(Evaluated::Buried(NEVER_KEPT)));
}

#[test]
fn after_three_retries_a_session_is_laid_aside_with_its_reason() {
    let mut tx = open_tx();
    tx.work.expect_bury().times(1).return_const(Ok(Hold::Held));

    let evaluated = evaluate(Desk::holding(record(), failing(JudgeFailure::Cut), tx), 4);

    assert_eq!(evaluated, Ok(Evaluated::Buried(JudgeFailure::Cut)));
}

#[test]
fn a_session_that_changed_while_it_was_judged_keeps_nothing() {
    let mut tx = completing(open_tx());
    tx.runs.expect_conclude().return_const(Ok(Fenced::Stale));
    tx.results.expect_keep().never();
    tx.verdicts.expect_replace_learning_verdicts().never();

    assert_eq!(evaluate(Desk::holding(record(), grading(success()), tx), 1), Ok(Evaluated::Stale));
}

#[test]
fn the_fence_is_taken_before_the_session_is_read() {
    let mut order = mockall::Sequence::new();
    let mut tx = MockJudgingTx::default();
    tx.verdicts.expect_begin_run().times(1).in_sequence(&mut order).return_const(Ok(fence()));
    let mut desk = Desk::bare(MockJudge::new(), completing(tx));
    desk.sessions.expect_facts().return_const(Ok(Some(crate::judging::SessionFacts {
        purpose: crate::judging::SessionPurpose::Learning,
    })));
    desk.sessions.expect_session().times(1).in_sequence(&mut order).return_const(Ok(None));

    assert_eq!(evaluate(desk, 1), Ok(Evaluated::Gone));
}

#[test]
fn a_worker_that_lost_its_lease_keeps_nothing() {
    let mut tx = concluding(open_tx());
    tx.results.expect_keep().return_const(Ok(()));
    tx.work.expect_complete().times(1).return_const(Ok(Hold::Lost));

    // The transaction ends with an error inside, which rolls it back.
    assert_eq!(evaluate(Desk::holding(record(), grading(success()), tx), 1), Ok(Evaluated::LeaseLost));
}

#[test]
fn a_user_who_is_being_erased_is_not_judged() {
    let mut tx = MockJudgingTx::default();
    tx.verdicts.expect_begin_run().return_const(Err(StoreError::Barred(Barrier::Erasing)));

    let evaluated = evaluate(Desk::holding(record(), MockJudge::new(), completing(tx)), 1);

    assert_eq!(evaluated, Ok(Evaluated::Dropped));
}

#[test]
fn a_judge_that_finishes_after_an_erasure_began_writes_nothing() {
    let mut tx = MockJudgingTx::default();
    tx.verdicts.expect_begin_run().return_const(Ok(fence()));
    tx.results.expect_admit().return_const(Err(StoreError::Barred(Barrier::Erased)));
    tx.results.expect_keep().never();

    let evaluated = evaluate(Desk::holding(record(), grading(success()), completing(tx)), 1);

    assert_eq!(evaluated, Ok(Evaluated::Dropped));
}

#[test]
fn learnings_that_could_not_be_judged_are_tried_again_and_the_grade_is_kept() {
    let mut judge = grading(success());
    judge.expect_relevance().return_const(Err(JudgeFailure::TimedOut));
    judge.expect_impact().return_const(Err(JudgeFailure::TimedOut));
    let mut tx = open_tx();
    tx.runs.expect_conclude().return_const(Ok(Fenced::Kept));
    tx.results.expect_keep().times(1).return_const(Ok(()));
    tx.work.expect_retry().times(1).return_const(Ok(Hold::Held));
    let attachments = vec![attached(2, LearningKind::Profile, "p")];
    let mut desk = Desk::holding(SessionRecord { attachments, ..record() }, judge, tx);
    desk.learnings.expect_learnings().returning(|_, asked| {
        Ok(vec![crate::judging::StoredLearning {
            kind: asked[0].0,
            learning_id: asked[0].1.clone(),
            owner: None,
            text: crate::judging::LearningText::Profile { content: String::new() },
        }])
    });

    assert_eq!(evaluate(desk, 1), Ok(Evaluated::Retrying(JudgeFailure::TimedOut)));
}

#[test]
fn a_store_that_is_away_is_an_error_and_the_work_stays_claimed() {
    let down = StoreError::Unavailable("down".to_owned());
    let mut desk = Desk::bare(MockJudge::new(), MockJudgingTx::default());
    desk.sessions.expect_facts().return_const(Err(down.clone()));

    assert_eq!(evaluate(desk, 1), Err(EvaluationError::Store(down)));
}
