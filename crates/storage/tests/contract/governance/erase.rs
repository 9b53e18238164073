//! Whole erasures by rule, on a real store: what goes, what stays, and who may finish what another began.

use std::ops::ControlFlow;
use std::sync::Arc;

use governance::{
    Actor, AgentPlaybookId, EraseAnswer, EraseReport, EraseUser, ErrorCode, GovernanceError, KeyRing,
    LEASE_SECONDS, Onlooker, PurgeStatus, ResumePurges, ShowPurge, TABLES, Target, Ticket,
};
use kernel::{Clock, RequestId, Timestamp};
use storage::testing::{SECRET, TestDatabase};
use storage::{Database, on_both};

use super::fill::{fill, fill_table, rows_of};
use super::{holder, pass_time, purge_id, ring, user};
use crate::{at, found, org};

pub(super) struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        at(43_200)
    }
}

/// Does something whenever the executor looks up, and says whether to go on.
struct Watching<F: Fn() -> ControlFlow<()>>(F);

impl<F: Fn() -> ControlFlow<()>> Onlooker for Watching<F> {
    fn advanced(&self, _rows: u64) {}

    fn goes_on(&self) -> ControlFlow<()> {
        (self.0)()
    }
}

/// Does something after every chunk.
struct After<F: Fn()>(F);

impl<F: Fn()> Onlooker for After<F> {
    fn advanced(&self, _rows: u64) {
        (self.0)();
    }

    fn goes_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

const PATIENT: Watching<fn() -> ControlFlow<()>> = Watching(|| ControlFlow::Continue(()));

pub(super) fn eraser(database: &Database, ring: KeyRing) -> EraseUser {
    let store = Arc::new(database.clone());
    EraseUser::new(store.clone(), store, Arc::new(ring), Arc::new(Noon), holder())
}

pub(super) fn ticket(name: &str, request: &str) -> Ticket {
    Ticket { user: user(name), request: RequestId::new(request).unwrap(), actor: Actor::operator() }
}

fn erase_watched(
    database: &Database,
    name: &str,
    request: &str,
    onlooker: &dyn Onlooker,
) -> Result<EraseAnswer, GovernanceError> {
    eraser(database, ring()).erase(&org("acme"), &ticket(name, request), onlooker)
}

pub(super) fn erase(database: &Database, name: &str, request: &str) -> Result<EraseAnswer, GovernanceError> {
    erase_watched(database, name, request, &PATIENT)
}

fn report(answer: Result<EraseAnswer, GovernanceError>) -> EraseReport {
    let Ok(EraseAnswer::Complete(report)) = answer else { panic!("{answer:?}") };
    report
}

fn status(database: &Database, name: &str, request: &str) -> PurgeStatus {
    let show = ShowPurge::new(Arc::new(database.clone()));
    show.show(&org("acme"), purge_id(name, request).as_str()).unwrap().status
}

fn resume(database: &Database) -> governance::Resumed {
    let store = Arc::new(database.clone());
    let resume = ResumePurges::new(store.clone(), store, Arc::new(ring()), Arc::new(Noon), holder());
    resume.resume(&PATIENT).unwrap()
}

fn audits(db: &TestDatabase, outcome: &str) -> i64 {
    db.number(&format!(
        "SELECT count(*) AS n FROM audit_events WHERE operation = 'ERASE' AND outcome = '{outcome}'"
    ))
}

fn is_gone(db: &TestDatabase, name: &str) -> bool {
    rows_of(db, name).iter().all(|(_, rows)| *rows == 0)
}

fn barrier(db: &TestDatabase) -> Vec<String> {
    db.texts("SELECT state AS t FROM subject_barriers ORDER BY state")
}

/// Makes every delete of a profile fail, and gives back what mends it.
fn break_profiles(db: &TestDatabase) -> &'static str {
    if db.database.engine() == "sqlite" {
        db.execute("CREATE TRIGGER stuck BEFORE DELETE ON profiles BEGIN SELECT RAISE(ABORT, 'stuck'); END");
        "DROP TRIGGER stuck"
    } else {
        db.execute(
            "CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''stuck''; END'; \
             CREATE TRIGGER stuck BEFORE DELETE ON profiles FOR EACH ROW EXECUTE FUNCTION stuck()",
        );
        "DROP TRIGGER stuck ON profiles; DROP FUNCTION stuck()"
    }
}

on_both! {
    fn an_erasure_removes_every_row_of_the_user_and_no_other(db) {
        found(db, &["acme"]);
        fill(db, "ada", 5, 100);
        fill(db, "bob", 2, 200);
        db.execute(
            "INSERT INTO agent_playbooks (agent_playbook_id, org_id, playbook_name, agent_version, content, trigger, \
             rationale, tags, playbook_status, metadata, created_at, status) \
             VALUES (1, 'acme', 'name', 'v1', 'content', '', '', '[]', 'approved', '', 1, 'current')",
        );
        let of_bob = rows_of(db, "bob");

        let report = report(erase(&db.database, "ada", "ticket-1"));

        assert!(of_bob.iter().all(|(_, rows)| *rows >= 2), "{of_bob:?}");
        assert!(Target::ALL.into_iter().all(|target| report.deleted.get(target) == 5), "{:?}", report.deleted);
        assert_eq!(report.unlinked, [0, 1, 2].map(AgentPlaybookId));
        assert!(is_gone(db, "ada"), "{:?}", rows_of(db, "ada"));
        assert_eq!(rows_of(db, "bob"), of_bob);
        assert_eq!(db.number("SELECT count(*) AS n FROM agent_playbooks WHERE playbook_status = 'approved'"), 1);
        assert_eq!((audits(db, "ok"), audits(db, "error"), barrier(db)), (1, 0, vec!["erased".to_owned()]));
        assert_eq!(db.number("SELECT count(*) AS n FROM purge_work"), 0);
    }

    fn totals_follow_what_was_erased(db) {
        found(db, &["acme"]);
        fill(db, "ada", 3, 100);
        fill(db, "bob", 1, 200);
        let sessions = "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS n FROM outcome_rollup WHERE grain = 3600";
        assert_eq!(db.number(sessions), 4);

        report(erase(&db.database, "ada", "ticket-1"));

        assert_eq!(db.number(sessions), 1);
        assert_eq!(db.number("SELECT count(*) AS n FROM outcome_rollup WHERE source LIKE '%ada%'"), 0);
    }

    fn a_repeat_gets_the_same_answer_and_leaves_no_second_audit_row(db) {
        found(db, &["acme"]);
        fill(db, "ada", 2, 100);

        let first = report(erase(&db.database, "ada", "ticket-1"));
        let again = report(erase(&db.another_server(), "ada", "ticket-1"));

        assert_eq!(first, again);
        assert_eq!(audits(db, "ok"), 1);
    }

    fn an_unknown_user_is_erased_with_nothing_and_barred(db) {
        found(db, &["acme"]);

        let report = report(erase(&db.database, "nobody", "ticket-1"));

        assert_eq!((report.deleted.total(), report.unlinked), (0, vec![]));
        assert_eq!((audits(db, "ok"), barrier(db)), (1, vec!["erased".to_owned()]));
    }

    fn a_second_ticket_for_an_erased_user_is_complete_at_once_with_an_audit_row_of_its_own(db) {
        found(db, &["acme"]);
        fill(db, "ada", 2, 100);
        let first = report(erase(&db.database, "ada", "ticket-1"));

        let second = report(erase(&db.database, "ada", "ticket-2"));

        assert_ne!(first.view.purge_id, second.view.purge_id);
        assert_eq!(second.deleted.total(), 0);
        assert_eq!(audits(db, "ok"), 2);
    }

    fn a_second_ticket_waits_while_the_first_runs_and_ends_with_it(db) {
        found(db, &["acme"]);
        fill(db, "ada", 2, 100);

        let first = erase_watched(&db.database, "ada", "ticket-1", &Watching(|| {
            let second = erase(&db.database, "ada", "ticket-2").unwrap();
            let EraseAnswer::Running(view) = second else { panic!("{second:?}") };
            assert_eq!((view.purge_id, view.status), (purge_id("ada", "ticket-2"), PurgeStatus::Pending));
            ControlFlow::Continue(())
        }));

        assert_eq!(report(first).deleted.get(Target::Interactions), 2);
        assert_eq!(status(&db.database, "ada", "ticket-2"), PurgeStatus::Complete);
        assert_eq!(report(erase(&db.database, "ada", "ticket-2")).deleted.total(), 0);
        assert_eq!(audits(db, "ok"), 2);
    }

    fn concurrent_repeats_are_one_purge_with_one_audit_row(db) {
        found(db, &["acme"]);
        fill(db, "ada", 40, 100);
        let servers = [db.database.clone(), db.another_server()];

        let answers: Vec<_> = std::thread::scope(|scope| {
            let repeats: Vec<_> = (0..100)
                .map(|n| {
                    let server = &servers[n % 2];
                    scope.spawn(move || erase(server, "ada", "ticket-1").unwrap())
                })
                .collect();
            repeats.into_iter().map(|repeat| repeat.join().unwrap()).collect()
        });

        let last = report(erase(&db.database, "ada", "ticket-1"));
        for answer in answers {
            match answer {
                EraseAnswer::Complete(report) => assert_eq!(report, last),
                EraseAnswer::Running(view) => assert_eq!(view.purge_id, last.view.purge_id),
            }
        }
        assert_eq!((audits(db, "ok"), audits(db, "error")), (1, 0));
        assert_eq!(db.number("SELECT count(*) AS n FROM purge_operations"), 1);
        assert_eq!(db.number("SELECT fence AS n FROM purge_operations"), 1);
        assert!(Target::ALL.into_iter().all(|target| last.deleted.get(target) == 40));
    }

    fn an_executor_that_stalled_past_its_lease_writes_nothing_more(db) {
        found(db, &["acme"]);
        fill(db, "ada", 100, 100);
        let other = db.another_server();
        let looked = std::cell::Cell::new(0);

        let stalled = erase_watched(&db.database, "ada", "ticket-1", &Watching(|| {
            looked.set(looked.get() + 1);
            if looked.get() == 2 {
                pass_time(db, LEASE_SECONDS);
                report(erase(&other, "ada", "ticket-1"));
            }
            ControlFlow::Continue(())
        }));

        assert_eq!(looked.get(), 2);
        let report = report(stalled);
        assert!(Target::ALL.into_iter().all(|target| report.deleted.get(target) == 100), "{:?}", report.deleted);
        assert_eq!((audits(db, "ok"), audits(db, "error")), (1, 0));
        assert_eq!(db.number("SELECT fence AS n FROM purge_operations"), 2);
    }

    fn work_that_was_broken_off_goes_on_in_the_background_with_the_same_counts(db) {
        found(db, &["acme"]);
        fill(db, "ada", 100, 100);
        let chunks = std::cell::Cell::new(0);
        let broken_off = erase_watched(&db.database, "ada", "ticket-1", &Watching(|| {
            chunks.set(chunks.get() + 1);
            if chunks.get() > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }));
        let Ok(EraseAnswer::Running(view)) = broken_off else { panic!("{broken_off:?}") };
        assert_eq!(view.status, PurgeStatus::Running);

        let resumed = resume(&db.another_server());

        assert_eq!((resumed.worked_on, resumed.failed), (1, vec![]));
        let report = report(erase(&db.database, "ada", "ticket-1"));
        assert!(Target::ALL.into_iter().all(|target| report.deleted.get(target) == 100), "{:?}", report.deleted);
        assert!(is_gone(db, "ada"));
        assert_eq!(audits(db, "ok"), 1);
        assert_eq!(resume(&db.database).worked_on, 0);
    }

    fn a_failed_erasure_keeps_its_barrier_and_its_counts_and_can_be_tried_again(db) {
        found(db, &["acme"]);
        fill(db, "ada", 3, 100);
        let mend = break_profiles(db);

        let failed = erase(&db.database, "ada", "ticket-1");

        let purge = purge_id("ada", "ticket-1");
        assert_eq!(failed, Err(GovernanceError::EraseFailed { purge, code: ErrorCode::Internal }));
        assert_eq!(status(&db.database, "ada", "ticket-1"), PurgeStatus::Failed);
        assert_eq!((audits(db, "error"), audits(db, "ok"), barrier(db)), (1, 0, vec!["erasing".to_owned()]));
        db.execute(mend);
        let report = report(erase(&db.database, "ada", "ticket-1"));
        assert!(Target::ALL.into_iter().all(|target| report.deleted.get(target) == 3), "{:?}", report.deleted);
        assert_eq!((audits(db, "ok"), barrier(db)), (1, vec!["erased".to_owned()]));
    }

    fn an_erasure_is_not_complete_while_a_row_survives(db) {
        found(db, &["acme"]);
        let requests = TABLES.iter().find(|table| table.name == "requests").unwrap();
        let number = std::cell::Cell::new(500);

        let failed = erase_watched(&db.database, "ada", "ticket-1", &After(|| {
            fill_table(db, requests, "ada", 1, number.get());
            number.set(number.get() + 1);
        }));

        let purge = purge_id("ada", "ticket-1");
        assert_eq!(failed, Err(GovernanceError::EraseFailed { purge, code: ErrorCode::SubjectNotEmpty }));
        assert_eq!((audits(db, "ok"), barrier(db)), (0, vec!["erasing".to_owned()]));
        let appeared = u64::from(number.get() - 500);
        assert!(appeared > 1, "the rows were worked through only once");
        let report = report(erase(&db.database, "ada", "ticket-1"));
        assert_eq!(report.deleted.get(Target::Requests), appeared, "some that appeared were not counted");
    }

    fn rotating_the_key_changes_no_answer_and_lets_nobody_in_again(db) {
        found(db, &["acme"]);
        fill(db, "ada", 2, 100);
        let first = report(erase(&db.database, "ada", "ticket-1"));
        let rotated = || KeyRing::new(&["a newer secret, also of more than 32 characters", SECRET]).unwrap();
        let erase = |request| {
            report(eraser(&db.database, rotated()).erase(&org("acme"), &ticket("ada", request), &PATIENT))
        };

        assert_eq!(erase("ticket-1"), first);
        let second = erase("ticket-2");

        assert_ne!(second.view.subject_ref, first.view.subject_ref);
        assert_eq!((second.deleted.total(), audits(db, "ok")), (0, 2));
        assert_eq!(barrier(db), ["erased"]);
    }

    fn no_record_of_an_erasure_holds_the_user_or_the_ticket(db) {
        found(db, &["acme"]);
        fill(db, "ada-of-the-records", 2, 100);
        report(erase(&db.database, "ada-of-the-records", "ticket-of-the-records"));

        let ops = "SELECT subject_ref || request_ref || actor_ref || purge_id || coalesce(error_detail, '') AS t \
                   FROM purge_operations";
        let audit = "SELECT subject_ref || request_ref || actor_ref || counts AS t FROM audit_events";
        let barriers = "SELECT subject_ref || purge_id AS t FROM subject_barriers";
        for record in [ops, audit, barriers].into_iter().flat_map(|sql| db.texts(sql)) {
            assert!(!record.contains("of-the-records"), "{record}");
        }
    }
}
