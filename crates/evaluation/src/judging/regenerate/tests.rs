//! The rules of starting, stopping and ending a replay.

use kernel::RunsOnce;

use super::*;
use crate::judging::job::{FailureReason, JobFailure};
use crate::judging::ports::{
    MockCandidateReader, MockJobIds, MockJobReader, MockJudgingSettings, MockJudgingTx,
};
use crate::judging::testing::{job, setup};
use crate::samples::{at, clock_at, org, session};

fn window() -> ReplayWindow {
    ReplayWindow::new(at(0), at(100)).unwrap()
}

fn start(tx: MockJudgingTx, candidates: i64, per_stratum: usize) -> Result<StartedJob, EvaluationError> {
    let mut reader = MockCandidateReader::new();
    reader.expect_candidates().withf(|_, asked, _| *asked == window().window()).returning(
        move |_, _, receiver| {
            (0..candidates).for_each(|number| {
                receiver.receive(Candidate {
                    session: session("ada", &format!("s{number}")),
                    began_at: at(number),
                    source: kernel::Source::unstated(),
                });
            });
            Ok(())
        },
    );
    let mut settings = MockJudgingSettings::new();
    settings.expect_judging().return_const(Ok(crate::judging::JudgingSetup { per_stratum, ..setup() }));
    let mut ids = MockJobIds::new();
    ids.expect_job_id().returning(|| JobId::new("job-1").unwrap());
    StartRegeneration::new(
        Arc::new(RunsOnce::on(tx)),
        Arc::new(reader),
        Arc::new(settings),
        Arc::new(ids),
        clock_at(50),
    )
    .start(&org(), window(), &EvaluationName::agent_success())
}

/// A transaction without a live job that admits everybody.
fn idle_tx() -> MockJudgingTx {
    let mut tx = MockJudgingTx::default();
    tx.jobs.expect_live().return_const(Ok(None));
    tx.jobs.expect_admitted().returning(|sessions| Ok(sessions.to_vec()));
    tx
}

fn record_of(job: Job) -> JobRecord {
    let failure = JobFailure { session: None, reason: FailureReason::session_gone() };
    JobRecord { number: 1, job, failures: vec![failure] }
}

fn reading(job: Option<Job>) -> Arc<MockJobReader> {
    let mut reader = MockJobReader::new();
    reader.expect_find().return_const(Ok(job.map(record_of)));
    Arc::new(reader)
}

#[test]
fn a_job_queues_a_sample_of_the_candidates_and_says_how_many() {
    let mut tx = idle_tx();
    tx.jobs
        .expect_insert()
        .withf(|job, sessions| {
            (job.status, job.total, job.total_candidates) == (JobStatus::Queued, 4, 30)
                && (sessions.len(), job.concurrency_limit, job.started_at) == (4, 10, at(50))
        })
        .times(1)
        .return_const(Ok(()));

    let started = start(tx, 30, 4);

    assert_eq!(started, Ok(StartedJob { id: JobId::new("job-1").unwrap(), total: 4 }));
}

#[test]
fn one_job_is_live_at_a_time() {
    let mut tx = MockJudgingTx::default();
    tx.jobs.expect_live().return_const(Ok(Some(job(3))));
    tx.jobs.expect_insert().never();

    assert_eq!(start(tx, 3, 200), Err(EvaluationError::RegenerationRunning { job: job(3).id }));
}

#[test]
fn a_job_without_candidates_is_complete_at_once() {
    let mut tx = idle_tx();
    tx.jobs
        .expect_insert()
        .withf(|job, _| job.status == JobStatus::Completed && job.finished_at == Some(at(50)))
        .times(1)
        .return_const(Ok(()));

    assert_eq!(start(tx, 0, 200).map(|started| started.total), Ok(0));
}

#[test]
fn users_who_are_being_erased_are_left_out_of_the_total() {
    let mut tx = MockJudgingTx::default();
    tx.jobs.expect_live().return_const(Ok(None));
    tx.jobs.expect_admitted().returning(|sessions| Ok(sessions[1..].to_vec()));
    tx.jobs
        .expect_insert()
        .withf(|job, sessions| (job.total, sessions.len()) == (2, 2))
        .times(1)
        .return_const(Ok(()));

    assert_eq!(start(tx, 3, 200).map(|started| started.total), Ok(2));
}

#[test]
fn a_live_job_is_cancelled_and_its_work_dropped() {
    let mut tx = MockJudgingTx::default();
    tx.jobs.expect_find().return_const(Ok(Some(job(3))));
    tx.jobs
        .expect_advance()
        .withf(|job, from| {
            (job.status, *from, job.finished_at) == (JobStatus::Cancelled, JobStatus::Queued, Some(at(60)))
        })
        .times(1)
        .return_const(Ok(true));
    tx.jobs.expect_drop_work().times(1).return_const(Ok(()));
    let cancelled = Job { status: JobStatus::Cancelled, ..job(3) };

    let cancel =
        CancelRegeneration::new(Arc::new(RunsOnce::on(tx)), reading(Some(cancelled.clone())), clock_at(60));

    assert_eq!(cancel.cancel(&org(), &job(3).id), Ok(record_of(cancelled)));
}

#[test]
fn cancelling_a_job_that_has_ended_changes_nothing() {
    let ended = Job { status: JobStatus::Completed, ..job(3) };
    let mut tx = MockJudgingTx::default();
    tx.jobs.expect_find().return_const(Ok(Some(ended.clone())));

    let cancel =
        CancelRegeneration::new(Arc::new(RunsOnce::on(tx)), reading(Some(ended.clone())), clock_at(60));

    assert_eq!(cancel.cancel(&org(), &ended.id), Ok(record_of(ended)));
}

#[test]
fn a_page_of_jobs_goes_on_behind_its_last_one() {
    let mut reader = MockJobReader::new();
    let listed = (5..8).rev().map(|number| JobRecord { number, ..record_of(job(3)) }).collect();
    reader
        .expect_list()
        .withf(|_, after, rows| (*after, *rows) == (None, 3))
        .return_once(|_, _, _| Ok(listed));

    let page =
        ListRegenerations::new(Arc::new(reader)).list(&org(), None, PageLimit::new(2).unwrap()).unwrap();

    assert_eq!(page.items.iter().map(|record| record.number).collect::<Vec<_>>(), [7, 6]);
    assert_eq!(page.next, Some(Cursor { at: job(3).started_at, id: 6 }));
}

#[test]
fn a_job_nobody_knows_is_not_found() {
    let mut tx = MockJudgingTx::default();
    tx.jobs.expect_find().return_const(Ok(None));
    let cancel = CancelRegeneration::new(Arc::new(RunsOnce::on(tx)), reading(None), clock_at(60));

    assert_eq!(cancel.cancel(&org(), &job(3).id), Err(EvaluationError::JobNotFound));
    assert_eq!(
        ReadRegeneration::new(reading(None)).read(&org(), &job(3).id),
        Err(EvaluationError::JobNotFound)
    );
}

fn settled(work_left: bool) -> (u64, bool) {
    let mut tx = MockJudgingTx::default();
    let running = Job { status: JobStatus::Running, completed: 2, ..job(3) };
    tx.jobs.expect_has_work().return_const(Ok(work_left));
    tx.jobs.expect_find().return_const(Ok(Some(running)));
    let advanced = Arc::new(std::sync::Mutex::new(false));
    let seen = Arc::clone(&advanced);
    tx.jobs.expect_advance().returning(move |job, from| {
        assert_eq!((job.status, job.failed, from), (JobStatus::Completed, 1, JobStatus::Running));
        *seen.lock().unwrap() = true;
        Ok(true)
    });
    let mut reader = MockJobReader::new();
    reader.expect_idle().return_const(Ok(vec![(org(), job(3).id)]));
    let settle = SettleRegenerations::new(Arc::new(RunsOnce::on(tx)), Arc::new(reader), clock_at(60));
    let count = settle.settle().unwrap();
    let advanced = *advanced.lock().unwrap();
    (count, advanced)
}

#[test]
fn a_job_whose_last_sessions_were_erased_ends_all_the_same() {
    assert_eq!(settled(false), (1, true));
}

#[test]
fn a_job_that_got_work_back_meanwhile_goes_on() {
    assert_eq!(settled(true), (0, false));
}
