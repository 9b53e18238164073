//! The rules of judging one session of a replay.

use kernel::Barrier;

use super::*;
use crate::judging::job::JobStatus;
use crate::judging::judge::MockJudge;
use crate::judging::ports::{Hold, MockJudgingTx};
use crate::judging::testing::{
    Desk, claimed, completing, concluding, fence, grading, job, open_tx, record, success,
};

fn step(desk: Desk, attempts: u32) -> Result<Replayed, EvaluationError> {
    RunRegeneration::new(desk.build(), RetryPolicy::default())
        .step(&claimed(WorkSubject::Replay(job(3).id), attempts))
}

fn running(completed: u64, failed: u64) -> Job {
    Job { status: JobStatus::Running, completed, failed, ..job(3) }
}

/// A transaction whose job runs already.
fn live(mut tx: MockJudgingTx) -> MockJudgingTx {
    tx.jobs.expect_find().return_const(Ok(Some(running(0, 0))));
    tx
}

fn counting(mut tx: MockJudgingTx, outcome: SessionOutcome, after: Job) -> MockJudgingTx {
    tx.jobs
        .expect_count()
        .withf(move |_, counted| *counted == outcome)
        .times(1)
        .return_const(Ok(Some(after)));
    tx
}

fn failing() -> MockJudge {
    let mut judge = MockJudge::new();
    judge.expect_grade_session().return_const(Err(JudgeFailure::Refused));
    judge
}

#[test]
fn a_session_is_judged_counted_and_ended_together() {
    let mut tx = counting(completing(concluding(live(open_tx()))), SessionOutcome::Judged, running(1, 0));
    tx.results.expect_keep().times(1).return_const(Ok(()));
    tx.jobs.expect_advance().never();

    assert_eq!(step(Desk::holding(record(), grading(success()), tx), 1), Ok(Replayed::Judged));
}

#[test]
fn the_first_session_makes_the_job_run_and_the_last_one_ends_it() {
    let mut tx = counting(completing(concluding(open_tx())), SessionOutcome::Judged, running(3, 0));
    tx.jobs.expect_find().return_const(Ok(Some(job(3))));
    tx.results.expect_keep().return_const(Ok(()));
    let mut order = mockall::Sequence::new();
    for (from, to) in [(JobStatus::Queued, JobStatus::Running), (JobStatus::Running, JobStatus::Completed)] {
        tx.jobs
            .expect_advance()
            .withf(move |job, left| (*left, job.status) == (from, to))
            .times(1)
            .in_sequence(&mut order)
            .return_const(Ok(true));
    }

    assert_eq!(step(Desk::holding(record(), grading(success()), tx), 1), Ok(Replayed::Judged));
}

#[test]
fn work_for_a_job_that_has_ended_is_thrown_away_unjudged() {
    for ended in [None, Some(Job { status: JobStatus::Cancelled, ..job(3) })] {
        let mut tx = completing(MockJudgingTx::default());
        tx.jobs.expect_find().return_const(Ok(ended));

        assert_eq!(step(Desk::bare(MockJudge::new(), tx), 1), Ok(Replayed::NotWanted));
    }
}

#[test]
fn a_judge_that_answers_after_the_job_was_cancelled_keeps_nothing() {
    let mut tx = concluding(live(open_tx()));
    tx.results.expect_keep().return_const(Ok(()));
    // Cancelling removed the work: the transaction ends with an error inside, which rolls it back.
    tx.work.expect_complete().times(1).return_const(Ok(Hold::Lost));
    tx.jobs.expect_count().never();

    assert_eq!(step(Desk::holding(record(), grading(success()), tx), 1), Ok(Replayed::LeaseLost));
}

#[test]
fn a_failed_judge_is_asked_again_before_it_counts() {
    let mut tx = live(open_tx());
    tx.work.expect_retry().times(1).return_const(Ok(Hold::Held));
    tx.jobs.expect_count().never();

    assert_eq!(step(Desk::holding(record(), failing(), tx), 3), Ok(Replayed::Retrying));
}

#[test]
fn a_judge_that_failed_for_good_is_counted_and_told() {
    let mut tx = counting(live(open_tx()), SessionOutcome::Failed, running(0, 1));
    tx.work.expect_bury().times(1).return_const(Ok(Hold::Held));
    tx.jobs
        .expect_add_failure()
        .withf(|_, failure| {
            failure.session.as_ref().unwrap().session_id.as_str() == "s1"
                && failure.reason == FailureReason::of(JudgeFailure::Refused)
        })
        .times(1)
        .return_const(Ok(()));

    assert_eq!(step(Desk::holding(record(), failing(), tx), 4), Ok(Replayed::Failed));
}

#[test]
fn a_session_whose_results_are_never_kept_fails_and_the_judge_is_not_asked_again() {
    let mut tx = counting(live(open_tx()), SessionOutcome::Failed, running(0, 1));
    tx.work.expect_bury().times(1).return_const(Ok(Hold::Held));
    tx.jobs.expect_add_failure().times(1).return_const(Ok(()));

    assert_eq!(step(Desk::holding(record(), MockJudge::new(), tx), 24), Ok(Replayed::Failed));
}

#[test]
fn only_the_first_50_failures_are_told() {
    for (failed, told) in [(50, 1), (51, 0)] {
        let after = Job { total: 100, ..running(0, failed) };
        let mut tx = counting(live(open_tx()), SessionOutcome::Failed, after);
        tx.work.expect_bury().return_const(Ok(Hold::Held));
        tx.jobs.expect_add_failure().times(told).return_const(Ok(()));

        assert_eq!(step(Desk::holding(record(), failing(), tx), 4), Ok(Replayed::Failed));
    }
}

#[test]
fn a_job_whose_every_session_failed_has_failed() {
    let mut tx = counting(live(open_tx()), SessionOutcome::Failed, running(0, 3));
    tx.work.expect_bury().return_const(Ok(Hold::Held));
    tx.jobs.expect_add_failure().return_const(Ok(()));
    tx.jobs.expect_advance().withf(|job, _| job.status == JobStatus::Failed).times(1).return_const(Ok(true));

    assert_eq!(step(Desk::holding(record(), failing(), tx), 4), Ok(Replayed::Failed));
}

#[test]
fn a_session_that_is_gone_has_failed_and_says_so() {
    let mut tx = counting(live(open_tx()), SessionOutcome::Failed, running(0, 1));
    tx.work.expect_bury().return_const(Ok(Hold::Held));
    tx.jobs
        .expect_add_failure()
        .withf(|_, failure| failure.reason == FailureReason::session_gone())
        .times(1)
        .return_const(Ok(()));
    let mut desk = Desk::bare(MockJudge::new(), tx);
    desk.sessions.expect_session().return_const(Ok(None));

    assert_eq!(step(desk, 1), Ok(Replayed::Failed));
}

#[test]
fn a_user_who_is_being_erased_is_counted_and_not_named() {
    let mut tx = completing(live(MockJudgingTx::default()));
    tx.verdicts.expect_begin_run().return_const(Err(StoreError::Barred(Barrier::Erasing)));
    tx.jobs.expect_add_failure().never();
    let tx = counting(tx, SessionOutcome::Failed, running(0, 1));

    assert_eq!(step(Desk::bare(MockJudge::new(), tx), 1), Ok(Replayed::Failed));
}

#[test]
fn a_session_that_changed_meanwhile_is_looked_at_once_more() {
    let mut tx = live(open_tx());
    tx.runs.expect_conclude().withf(|_, run| run.fence == fence()).return_const(Ok(Fenced::Stale));
    tx.results.expect_keep().never();
    tx.work.expect_retry().times(1).return_const(Ok(Hold::Held));

    assert_eq!(step(Desk::holding(record(), grading(success()), tx), 1), Ok(Replayed::Retrying));
}
