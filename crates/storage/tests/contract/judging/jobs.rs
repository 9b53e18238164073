//! Replays: one live job, counted in place, and nothing of users who are being erased.

use evaluation::judging::{
    FailureReason, Job, JobFailure, JobId, JobReader, JobStatus, MOST_FAILURES, ReplayWindow, SessionOutcome,
    WorkSubject,
};
use evaluation::{Cursor, SessionKey};
use governance::SubjectRef;
use kernel::{EvaluationName, StoreError};
use storage::on_both;
use storage::testing::{TestDatabase, asked_by, listen, test_ring};

use super::{claim, session, transact, user};
use crate::{at, found, org};

fn job_id(id: &str) -> JobId {
    JobId::new(id).unwrap()
}

fn job(id: &str, total: u64) -> Job {
    Job {
        id: job_id(id),
        evaluation_name: EvaluationName::new("agent_success").unwrap(),
        window: ReplayWindow::new(at(0), at(100)).unwrap(),
        status: JobStatus::Queued,
        total,
        completed: 0,
        failed: 0,
        total_candidates: total,
        concurrency_limit: 10,
        started_at: at(50),
        finished_at: None,
    }
}

fn start(db: &TestDatabase, job: &Job, sessions: &[SessionKey]) -> Result<(), StoreError> {
    transact(&db.database, |tx| {
        let admitted = tx.jobs().admitted(sessions)?;
        tx.jobs().insert(job, &admitted)
    })
}

fn failure(session_id: &str) -> JobFailure {
    JobFailure { session: Some(session("ada", session_id)), reason: FailureReason::session_gone() }
}

fn bar(db: &TestDatabase, id: &str) {
    let subject: SubjectRef = test_ring().subject_ref(&org("acme"), &user(id));
    db.execute(&format!(
        "INSERT INTO subject_barriers (org_id, subject_ref, purge_id, state, raised_at) \
         VALUES ('acme', '{}', 'p', 'erasing', 1)",
        subject.as_str()
    ));
}

on_both! {
    fn a_job_queues_one_item_for_each_of_its_sessions(db) {
        start(db, &job("j", 2), &[session("ada", "a"), session("bob", "b")]).unwrap();

        let claimed = claim(&db.database, 10);

        assert_eq!(claimed.len(), 2);
        assert_eq!(claimed[0].item.subject, WorkSubject::Replay(job_id("j")));
        assert_eq!(db.database.find(&org("acme"), &job_id("j")).unwrap().unwrap().job, job("j", 2));
    }

    fn the_database_itself_allows_one_live_job(db) {
        start(db, &job("first", 0), &[]).unwrap();

        assert_eq!(start(db, &job("second", 0), &[]), Err(StoreError::Contended));
        let live = transact(&db.database, |tx| tx.jobs().live()).unwrap();
        assert_eq!(live.map(|job| job.id), Some(job_id("first")));
    }

    fn an_ended_job_makes_room_and_the_latest_is_listed_first(db) {
        let first = job("first", 0);
        start(db, &first, &[]).unwrap();
        let ended = first.finished(at(60)).unwrap();

        let advanced = transact(&db.database, |tx| tx.jobs().advance(&ended, JobStatus::Queued));
        let again = transact(&db.database, |tx| tx.jobs().advance(&first, JobStatus::Queued));
        start(db, &job("second", 0), &[]).unwrap();

        assert_eq!((advanced, again), (Ok(true), Ok(false)));
        let listed = db.database.list(&org("acme"), None, 10).unwrap();
        let ids: Vec<_> = listed.iter().map(|record| record.job.id.as_str()).collect();
        assert_eq!(ids, ["second", "first"]);
        assert_eq!(db.database.find(&org("globex"), &job_id("first")), Ok(None));
    }

    fn a_list_of_jobs_goes_on_behind_a_job_even_of_the_same_start(db) {
        for (id, started_at) in [("a", 50), ("b", 70), ("c", 70), ("d", 70), ("e", 60)] {
            let ended = Job { started_at: at(started_at), status: JobStatus::Completed, ..job(id, 0) };
            start(db, &ended, &[]).unwrap();
        }

        let mut ids: Vec<String> = Vec::new();
        let mut after = None;
        while let Some(record) = db.database.list(&org("acme"), after, 1).unwrap().pop() {
            after = Some(Cursor { at: record.job.started_at, id: record.number });
            ids.push(record.job.id.as_str().to_owned());
        }

        assert_eq!(ids, ["d", "c", "b", "e", "a"]);
    }

    fn sessions_are_counted_in_place_and_only_while_the_job_lives(db) {
        start(db, &job("j", 3), &[]).unwrap();

        let judged = transact(&db.database, |tx| tx.jobs().count(&job_id("j"), SessionOutcome::Judged));
        let failed = transact(&db.database, |tx| tx.jobs().count(&job_id("j"), SessionOutcome::Failed));
        db.execute("UPDATE regeneration_jobs SET status = 'cancelled'");
        let late = transact(&db.database, |tx| tx.jobs().count(&job_id("j"), SessionOutcome::Judged));

        assert_eq!(judged.unwrap().map(|job| (job.completed, job.failed)), Some((1, 0)));
        assert_eq!(failed.unwrap().map(|job| (job.completed, job.failed)), Some((1, 1)));
        assert_eq!(late, Ok(None));
    }

    fn failures_are_kept_in_their_order(db) {
        start(db, &job("j", 2), &[]).unwrap();

        for id in ["b", "a"] {
            transact(&db.database, |tx| tx.jobs().add_failure(&job_id("j"), &failure(id))).unwrap();
        }

        let record = db.database.find(&org("acme"), &job_id("j")).unwrap().unwrap();
        assert_eq!(record.failures, [failure("b"), failure("a")]);
    }

    fn a_cancelled_job_has_no_work_left_and_its_workers_lose_their_hold(db) {
        start(db, &job("j", 2), &[session("ada", "a"), session("ada", "b")]).unwrap();
        let claimed = claim(&db.database, 1);

        transact(&db.database, |tx| tx.jobs().drop_work(&job_id("j"))).unwrap();

        let late = transact(&db.database, |tx| tx.work().complete(&claimed[0].lease));
        assert_eq!(late, Ok(evaluation::judging::Hold::Lost));
        assert_eq!(transact(&db.database, |tx| tx.jobs().has_work(&job_id("j"))), Ok(false));
    }

    fn a_live_job_without_work_is_idle(db) {
        start(db, &job("j", 1), &[session("ada", "a")]).unwrap();
        assert_eq!(db.database.idle(), Ok(vec![]));

        db.execute("DELETE FROM work_items WHERE user_id = 'ada'");

        assert_eq!(db.database.idle(), Ok(vec![(org("acme"), job_id("j"))]));
    }

    fn jobs_are_listed_with_their_own_failures_in_two_questions(db) {
        listen();
        let heard = db.another_server();
        for (id, failed) in [("some", 3), ("none", 0), ("most", MOST_FAILURES)] {
            start(db, &job(id, failed), &[]).unwrap();
            for n in 0..failed {
                let failure = failure(&format!("{id}-{n}"));
                transact(&db.database, |tx| tx.jobs().add_failure(&job_id(id), &failure)).unwrap();
            }
            db.execute("UPDATE regeneration_jobs SET status = 'completed'");
        }

        let (asked, listed) = asked_by(|| heard.list(&org("acme"), None, 10).unwrap());

        assert_eq!(asked.len(), 2, "{asked:#?}");
        let told: Vec<_> = listed.iter().map(|record| (record.job.id.as_str(), record.failures.len())).collect();
        assert_eq!(told, [("most", 50), ("none", 0), ("some", 3)]);
        assert_eq!(listed[2].failures, [failure("some-0"), failure("some-1"), failure("some-2")]);
    }

    fn one_erased_user_costs_no_question_for_each_of_the_others(db) {
        listen();
        let heard = db.another_server();
        found(db, &["acme"]);
        let sessions: Vec<_> = (0..500).map(|n| session(&format!("user-{n}"), "s")).collect();
        let admitted = || transact(&heard, |tx| tx.jobs().admitted(&sessions)).unwrap().len();
        let (of_all, all) = asked_by(admitted);
        bar(db, "user-7");

        let (of_most, most) = asked_by(admitted);

        assert_eq!((all, most), (500, 499));
        assert_eq!(of_most.len(), of_all.len(), "{of_most:#?}");
    }

    fn users_who_are_being_erased_are_left_out(db) {
        found(db, &["acme"]);
        bar(db, "bob");
        let sessions = [session("ada", "a"), session("bob", "b"), session("cy", "c")];

        let admitted = transact(&db.database, |tx| tx.jobs().admitted(&sessions)).unwrap();

        assert_eq!(admitted, [session("ada", "a"), session("cy", "c")]);
    }
}
