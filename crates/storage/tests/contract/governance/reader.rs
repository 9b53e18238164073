//! Purges outside a transaction: one of them with its ledger, and those that nobody works on.

use governance::{DuePurge, LEASE_SECONDS, Ledger, Purge, PurgeReader, Target};
use storage::on_both;

use super::{complete, fail, open, opened, pass_time, purge_id, refs, take, user, within};
use crate::{at, found, org};

fn due(db: &storage::testing::TestDatabase, limit: u64) -> Vec<governance::PurgeId> {
    db.database.due(limit).unwrap().into_iter().map(|due| due.purge).collect()
}

on_both! {
    fn a_purge_is_read_with_its_ledger_by_its_organization_alone(db) {
        found(db, &["acme", "umbrella"]);
        let purge = open(&db.database, "ada", "ticket-1");
        within(&db.database, |tx| tx.ledgers().add(&purge.id, Target::Profiles, 4)).unwrap();

        let record = PurgeReader::find(&db.database, &org("acme"), &purge.id).unwrap().unwrap();

        let ledger = Ledger { recorded: [(Target::Profiles, 4)].into(), ..Ledger::default() };
        assert_eq!((record.purge, record.ledger), (purge.clone(), ledger));
        assert_eq!(PurgeReader::find(&db.database, &org("umbrella"), &purge.id), Ok(None));
        assert_eq!(PurgeReader::find(&db.database, &org("acme"), &purge_id("bob", "ticket-1")), Ok(None));
    }

    fn a_running_purge_is_due_when_its_lease_has_run_out(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);
        assert_eq!(due(db, 9), []);

        pass_time(db, LEASE_SECONDS);

        let whose = DuePurge { org: org("acme"), purge: purge.id.clone(), user: user("ada") };
        assert_eq!(db.database.due(9), Ok(vec![whose]));
        complete(&db.database, &lease).unwrap();
        assert_eq!(due(db, 9), []);
    }

    fn a_failed_purge_is_due_when_its_time_to_retry_has_come(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1");
        let lease = take(&db.database, &purge);
        fail(&db.database, &lease, 60).unwrap();

        pass_time(db, 55);
        assert_eq!(due(db, 9), []);
        pass_time(db, 5);

        assert_eq!(due(db, 9), [purge.id]);
    }

    fn a_pending_purge_is_due_unless_it_waits_for_an_erasure_of_its_subject(db) {
        found(db, &["acme"]);
        let first = open(&db.database, "ada", "ticket-1");
        let second = open(&db.database, "ada", "ticket-2");
        take(&db.database, &first);
        let subject = refs("ada", "any").subject;
        within(&db.database, |tx| tx.barriers().raise(&subject, &first.id, at(11))).unwrap();
        assert_eq!(due(db, 9), []);

        let barrier = within(&db.database, |tx| tx.barriers().find(std::slice::from_ref(&subject))).unwrap().unwrap();
        within(&db.database, |tx| tx.barriers().mark_erased(&barrier, at(12))).unwrap();

        assert_eq!(due(db, 9), [second.id]);
    }

    fn the_longest_due_come_first_and_the_pending_last(db) {
        found(db, &["acme"]);
        let pending = open(&db.database, "pia", "ticket-1");
        let older = Purge { created_at: at(5), ..opened("pat", "ticket-1") };
        within(&db.database, |tx| tx.purges().insert(&older, &user("pat"))).unwrap();
        let late = open(&db.database, "liv", "ticket-1");
        take(&db.database, &late);
        pass_time(db, 100);
        let later = open(&db.database, "max", "ticket-1");
        let lease = take(&db.database, &later);
        fail(&db.database, &lease, 10).unwrap();
        pass_time(db, 10);

        assert_eq!(due(db, 9), [late.id.clone(), later.id.clone(), older.id.clone(), pending.id]);
        assert_eq!(due(db, 3), [late.id, later.id, older.id]);
    }
}
