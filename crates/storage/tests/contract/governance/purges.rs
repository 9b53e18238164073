//! Purges and their leases: every change is a compare-and-set.

use governance::{
    ActorKind, ErrorCode, Fence, Hold, Holder, LEASE_SECONDS, Lease, Purge, PurgeState, PurgeStatus,
};
use kernel::{ActorRef, StoreError};
use storage::on_both;
use storage::testing::TestDatabase;

use super::{
    claim, complete, fail, open, opened, pass_time, purge_id, refs, store, stored, take, user, within,
};
use crate::{at, found, org};

fn heartbeat(database: &storage::Database, lease: &Lease) -> Result<bool, StoreError> {
    within(database, |tx| tx.purges().heartbeat(lease, LEASE_SECONDS))
}

fn work_rows(db: &TestDatabase) -> i64 {
    db.number("SELECT count(*) AS n FROM purge_work")
}

on_both! {
    fn a_new_purge_is_found_as_it_was_by_its_organization_alone(db) {
        found(db, &["acme", "umbrella"]);
        let mut purge = opened("ada", "ticket-1");
        purge.actor.kind = ActorKind::Session;
        purge.actor.reference = ActorRef::credential("cred_7");

        within(&db.database, |tx| tx.purges().insert(&purge, &user("ada"))).unwrap();

        assert_eq!(stored(&db.database, &purge), purge);
        let foreign = store(&db.database).transact(&org("umbrella"), |tx| tx.purges().find(&purge.id));
        assert_eq!(foreign, Ok::<_, StoreError>(None));
    }

    fn a_purge_is_opened_once(db) {
        found(db, &["acme"]);
        open(&db.database, "ada", "ticket-1");

        let again = within(&db.database, |tx| tx.purges().insert(&opened("ada", "ticket-1"), &user("ada")));

        assert_eq!(again, Err(StoreError::Contended));
        assert_eq!(work_rows(db), 1);
    }

    fn a_claimed_purge_is_held_by_the_databases_clock_whatever_the_servers_says(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");

        take(&db.database, &purge);

        let now = stored(&db.database, &purge);
        assert_eq!((now.state, now.fence, now.hold), (PurgeState::Running, Fence(1), Hold::Held));
        assert_eq!(now.updated_at, at(20));
        pass_time(db, LEASE_SECONDS);
        assert_eq!(stored(&db.database, &purge).hold, Hold::Free);
    }

    fn a_claim_of_what_has_changed_since_changes_nothing(db) {
        found(db, &["acme"]);
        let pending = open(&db.database, "ada", "ticket-1");
        take(&db.database, &pending);

        assert_eq!(claim(&db.database, &pending), Ok(false));
        let running = stored(&db.database, &pending);
        assert_eq!(claim(&db.database, &Purge { fence: Fence(0), ..running.clone() }), Ok(false));
        assert_eq!(stored(&db.database, &pending), running);
    }

    fn a_running_purge_is_claimed_only_when_its_lease_has_run_out(db) {
        found(db, &["acme"]);
        let pending = open(&db.database, "ada", "ticket-1");
        take(&db.database, &pending);
        let running = stored(&db.database, &pending);

        assert_eq!(claim(&db.database, &running), Ok(false));
        pass_time(db, LEASE_SECONDS);
        assert_eq!(claim(&db.database, &running), Ok(true));
        assert_eq!(stored(&db.database, &pending).fence, Fence(2));
    }

    fn of_many_executors_that_found_the_same_purge_one_gets_it(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let servers = [db.database.clone(), db.another_server()];

        let taken: usize = std::thread::scope(|scope| {
            let claims: Vec<_> = (0..24)
                .map(|n| {
                    let (server, purge) = (&servers[n % 2], &purge);
                    scope.spawn(move || usize::from(claim(server, purge).unwrap()))
                })
                .collect();
            claims.into_iter().map(|one| one.join().unwrap()).sum()
        });

        assert_eq!(taken, 1);
        assert_eq!(stored(&db.database, &purge).fence, Fence(1));
    }

    fn a_claim_forgets_the_failure_before_it(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);
        fail(&db.database, &lease, 60).unwrap();
        let failed = stored(&db.database, &purge);
        assert!(matches!(&failed.state, PurgeState::Failed(why) if why.code == ErrorCode::Internal));

        assert_eq!(claim(&db.database, &failed), Ok(true));

        let left = "SELECT count(*) AS n FROM purge_operations WHERE error_code IS NOT NULL OR error_detail IS NOT NULL";
        assert_eq!(db.number(left), 0);
    }

    fn a_heartbeat_prolongs_the_lease(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);
        pass_time(db, LEASE_SECONDS);

        assert_eq!(heartbeat(&db.database, &lease), Ok(true));

        assert_eq!(stored(&db.database, &purge).hold, Hold::Held);
    }

    fn an_executor_that_was_replaced_can_do_nothing_any_more(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let old = take(&db.database, &purge);
        pass_time(db, LEASE_SECONDS);
        take(&db.database, &stored(&db.database, &purge));
        let before = stored(&db.database, &purge);

        assert_eq!(heartbeat(&db.database, &old), Ok(false));
        assert_eq!(within(&db.database, |tx| tx.purges().release(&old)), Ok(false));
        assert_eq!(fail(&db.database, &old, 60), Ok(false));
        assert_eq!(complete(&db.database, &old), Ok(false));

        assert_eq!(stored(&db.database, &purge), before);
        assert_eq!(work_rows(db), 1);
    }

    fn nothing_but_a_claim_moves_a_purge_that_is_not_running(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);
        fail(&db.database, &lease, 60).unwrap();
        let running = Purge { state: PurgeState::Running, ..stored(&db.database, &purge) };

        let done = running.completed(at(50)).unwrap();
        assert_eq!(heartbeat(&db.database, &lease), Ok(false));
        assert_eq!(within(&db.database, |tx| tx.purges().release(&lease)), Ok(false));
        assert_eq!(within(&db.database, |tx| tx.purges().complete(&lease, &done)), Ok(false));

        assert_eq!(stored(&db.database, &purge).state.status(), PurgeStatus::Failed);
    }

    fn a_lease_that_is_given_back_can_be_taken_at_once(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);

        assert_eq!(within(&db.database, |tx| tx.purges().release(&lease)), Ok(true));

        let free = stored(&db.database, &purge);
        assert_eq!((free.state.status(), free.hold), (PurgeStatus::Running, Hold::Free));
        assert_eq!(claim(&db.database, &free), Ok(true));
    }

    fn a_failure_is_kept_with_its_code_and_the_work_can_go_on(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);

        assert_eq!(fail(&db.database, &lease, 60), Ok(true));

        let failed = stored(&db.database, &purge);
        let PurgeState::Failed(failure) = failed.state else { panic!("{failed:?}") };
        assert_eq!((failure.code, failure.detail.as_str()), (ErrorCode::Internal, "a detail"));
        assert_eq!((failed.hold, failed.updated_at), (Hold::Free, at(30)));
        assert_eq!(work_rows(db), 1);
    }

    fn a_complete_purge_has_no_lease_and_no_raw_user_id(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);

        assert_eq!(complete(&db.database, &lease), Ok(true));

        let done = stored(&db.database, &purge);
        assert_eq!((done.state, done.hold), (PurgeState::Complete { at: at(40) }, Hold::Free));
        assert_eq!(work_rows(db), 0);
        assert_eq!(db.number("SELECT count(*) AS n FROM purge_operations WHERE lease_holder IS NOT NULL"), 0);
    }

    fn the_waiting_are_the_pending_of_the_subject_under_any_reference_oldest_first(db) {
        found(db, &["acme"]);
        for (name, request, when) in
            [("ada", "ticket-2", 12), ("ada", "ticket-1", 10), ("old-ada", "ticket-3", 11), ("bob", "ticket-4", 9)]
        {
            let purge = Purge { created_at: at(when), ..opened(name, request) };
            within(&db.database, |tx| tx.purges().insert(&purge, &user(name))).unwrap();
        }
        take(&db.database, &open(&db.database, "ada", "ticket-5"));

        let subject = [refs("ada", "any").subject, refs("old-ada", "any").subject];
        let waiting = within(&db.database, |tx| tx.purges().waiting(&subject)).unwrap();

        let ids: Vec<_> = waiting.into_iter().map(|purge| purge.id).collect();
        assert_eq!(ids, [purge_id("ada", "ticket-1"), purge_id("old-ada", "ticket-3"), purge_id("ada", "ticket-2")]);
    }
}

/// Only where writers overlap can a take-over come between an executor's look and its heartbeat.
#[test]
fn a_heartbeat_and_a_take_over_never_both_commit() {
    let Some(db) = TestDatabase::postgres() else { return };
    found(&db, &["acme"]);
    let purge = open(&db.database, "ada", "ticket-1");
    let lease = take(&db.database, &purge);
    pass_time(&db, LEASE_SECONDS);
    let mut runs = 0;

    let beats = within(&db.database, |tx| {
        runs += 1;
        let seen = tx.purges().find(&purge.id)?.unwrap();
        if runs == 1 {
            let thief = Holder("thief".to_owned());
            let claimed = seen.claimed(at(25)).unwrap();
            let stolen = within(&db.database, |tx| tx.purges().claim(&seen, &claimed, &thief, LEASE_SECONDS));
            assert_eq!(stolen, Ok(true));
        }
        tx.purges().heartbeat(&lease, LEASE_SECONDS)
    });

    assert_eq!((beats, runs), (Ok(false), 2));
}

/// A ticket that opens while another ends either is seen by the end or sees the barrier that the end leaves.
#[test]
fn a_ticket_that_opens_while_another_ends_is_not_forgotten() {
    let Some(db) = TestDatabase::postgres() else { return };
    found(&db, &["acme"]);
    let first = open(&db.database, "ada", "ticket-1");
    let subject = [refs("ada", "any").subject];
    within(&db.database, |tx| tx.barriers().raise(&subject[0], &first.id, at(11))).unwrap();
    let mut seen = Vec::new();

    let ended = within(&db.database, |tx| {
        let barrier = tx.barriers().find(&subject)?.unwrap();
        seen.push(tx.purges().waiting(&subject)?.len());
        if seen.len() == 1 {
            let second = opened("ada", "ticket-2");
            let opening = within(&db.database, |tx| {
                assert!(tx.barriers().find(&subject)?.is_some());
                tx.purges().insert(&second, &user("ada"))
            });
            assert_eq!(opening, Ok(()));
        }
        tx.barriers().mark_erased(&barrier, at(12))
    });

    // The first ticket itself is pending too.
    assert_eq!((ended, seen), (Ok(true), vec![1, 2]));
}
