//! The queue: one claimer for an item, and nothing is finished without its fence.

use evaluation::judging::{FailureReason, Hold, Holder, QueueReader, WorkKind, WorkQueue};
use storage::on_both;
use storage::testing::TestDatabase;

use super::{claim, due, sessions_of, transact};
use crate::{at, org};

fn reason() -> FailureReason {
    FailureReason::bounded("the judge did not answer in time")
}

fn run_out(db: &TestDatabase) {
    db.execute("UPDATE work_items SET lease_expires_at = 1");
}

fn items(db: &TestDatabase) -> i64 {
    db.number("SELECT count(*) AS n FROM work_items")
}

on_both! {
    fn the_longest_due_is_claimed_first_and_what_is_not_due_stays(db) {
        due(db, "acme", "later", 20);
        due(db, "acme", "first", 10);
        due(db, "acme", "future", 9_000_000_000);

        let claimed = claim(&db.database, 10);

        assert_eq!(sessions_of(&claimed), ["first", "later"]);
        assert_eq!((claimed[0].item.attempts, claimed[0].lease.fence), (1, 1));
    }

    fn an_item_has_one_claimer_until_its_lease_runs_out(db) {
        due(db, "acme", "s", 1);
        let first = claim(&db.database, 10);

        assert!(claim(&db.another_server(), 10).is_empty());
        run_out(db);
        let second = claim(&db.another_server(), 10);

        assert_eq!(second[0].item.attempts, 2);
        assert_eq!(second[0].lease.fence, first[0].lease.fence + 1);
        let late = transact(&db.database, |tx| tx.work().complete(&first[0].lease));
        assert_eq!((late, items(db)), (Ok(Hold::Lost), 1));
    }

    fn many_claimers_at_once_share_the_items_out(db) {
        for n in 0..40 {
            due(db, "acme", &format!("s{n}"), 1);
        }

        let claimed: Vec<String> = std::thread::scope(|scope| {
            let claimers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let server = db.another_server();
                        let claimed: Vec<_> = (0..40).flat_map(|_| claim(&server, 2)).collect();
                        sessions_of(&claimed).into_iter().map(str::to_owned).collect::<Vec<_>>()
                    })
                })
                .collect();
            claimers.into_iter().flat_map(|claimer| claimer.join().unwrap()).collect()
        });

        let mut distinct = claimed.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!((claimed.len(), distinct.len()), (40, 40));
    }

    fn nothing_is_claimed_of_a_busy_organization_or_of_another_kind(db) {
        due(db, "acme", "mine", 1);
        due(db, "globex", "theirs", 2);
        let holder = Holder("one".to_owned());

        let other_kind = db.database.claim(&[WorkKind::ShadowTurn], &[], &holder, 10, 60).unwrap();
        let beside = db.database.claim(WorkKind::ALL, &[org("acme")], &holder, 10, 60).unwrap();

        assert_eq!((other_kind.len(), sessions_of(&beside)), (0, vec!["theirs"]));
    }

    fn a_finished_item_leaves_the_queue(db) {
        due(db, "acme", "s", 1);
        let claimed = claim(&db.database, 1);

        let finished = transact(&db.database, |tx| tx.work().complete(&claimed[0].lease));

        assert_eq!((finished, items(db)), (Ok(Hold::Held), 0));
    }

    fn an_item_that_new_turns_made_due_meanwhile_stays(db) {
        due(db, "acme", "s", 1);
        let claimed = claim(&db.database, 1);
        db.execute("UPDATE work_items SET revision = revision + 1, attempts = 0");

        let finished = transact(&db.database, |tx| tx.work().complete(&claimed[0].lease));

        assert_eq!(finished, Ok(Hold::Held));
        assert_eq!(claim(&db.database, 1)[0].item.attempts, 1);
    }

    fn a_failed_item_waits_and_then_comes_again_with_its_attempts(db) {
        due(db, "acme", "s", 1);
        let claimed = claim(&db.database, 1);

        let put_back = transact(&db.database, |tx| tx.work().retry(&claimed[0].lease, 3_600, &reason()));

        assert_eq!(put_back, Ok(Hold::Held));
        assert!(claim(&db.database, 1).is_empty());
        assert_eq!(db.database.counts(&org("acme"), at(0)).unwrap().retrying, 1);
        db.execute("UPDATE work_items SET due_at = 1");
        assert_eq!(claim(&db.database, 1)[0].item.attempts, 2);
    }

    fn an_item_laid_aside_is_seen_and_not_claimed(db) {
        due(db, "acme", "s", 1);
        let claimed = claim(&db.database, 1);

        let buried = transact(&db.database, |tx| tx.work().bury(&claimed[0].lease, &reason()));

        let counts = db.database.counts(&org("acme"), at(0)).unwrap();
        assert_eq!((buried, counts.failed, counts.depth), (Ok(Hold::Held), 1, vec![]));
        let later = db.database.counts(&org("acme"), at(i64::MAX)).unwrap();
        assert_eq!(later.failed, 0, "it was laid aside before the time asked about");
        assert!(claim(&db.database, 1).is_empty());
    }

    fn an_item_given_back_is_claimable_at_once_and_its_attempt_does_not_count(db) {
        due(db, "acme", "s", 1);
        let claimed = claim(&db.database, 1);

        let released = db.database.release(&org("acme"), &claimed[0].lease);

        assert_eq!(released, Ok(Hold::Held));
        assert_eq!(claim(&db.another_server(), 1)[0].item.attempts, 1);
        let late = db.database.heartbeat(&org("acme"), &claimed[0].lease, 60);
        assert_eq!(late, Ok(Hold::Lost));
    }

    fn a_heartbeat_prolongs_a_lease(db) {
        due(db, "acme", "s", 1);
        let claimed = claim(&db.database, 1);
        run_out(db);

        let prolonged = db.database.heartbeat(&org("acme"), &claimed[0].lease, 60);

        assert_eq!(prolonged, Ok(Hold::Held));
        assert!(claim(&db.database, 1).is_empty());
    }

    fn the_queue_is_counted_for_its_organization(db) {
        due(db, "acme", "a", 5);
        due(db, "acme", "b", 3);
        due(db, "globex", "c", 1);
        claim(&db.database, 2);

        let counts = db.database.counts(&org("acme"), at(0)).unwrap();

        assert_eq!(counts.depth, [(WorkKind::SessionEvaluation, 2)]);
        assert_eq!((counts.oldest_due, counts.running), (Some(at(3)), 1));
    }
}
