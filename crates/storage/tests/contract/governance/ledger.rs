//! Ledgers add up, and say nothing of what was not reached.

use std::cell::Cell;
use std::collections::BTreeSet;

use governance::{AgentPlaybookId, Ledger, Target};
use kernel::StoreError;
use storage::on_both;
use storage::testing::TestDatabase;

use super::{open, store, within};
use crate::{found, org};

on_both! {
    fn counts_add_up_and_a_target_that_was_reached_in_vain_is_there_with_zero(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1").id;
        let other = open(&db.database, "bob", "ticket-1").id;

        for (target, rows) in [(Target::Requests, 500), (Target::Requests, 7), (Target::Profiles, 0)] {
            within(&db.database, |tx| tx.ledgers().add(&purge, target, rows)).unwrap();
        }
        within(&db.database, |tx| tx.ledgers().add(&other, Target::Requests, 3)).unwrap();

        let ledger = within(&db.database, |tx| tx.ledgers().read(&purge)).unwrap();
        assert_eq!(ledger.recorded, [(Target::Profiles, 0), (Target::Requests, 507)].into());
    }

    fn a_playbook_that_lost_several_links_is_named_once(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1").id;
        let unlink = |ids: &[i64]| {
            let playbooks: Vec<_> = ids.iter().copied().map(AgentPlaybookId).collect();
            within(&db.database, |tx| tx.ledgers().add_unlinked(&purge, &playbooks)).unwrap();
        };

        unlink(&[]);
        unlink(&[9, 2, 9]);
        unlink(&[2, 5]);

        let ledger = within(&db.database, |tx| tx.ledgers().read(&purge)).unwrap();
        assert_eq!(ledger.unlinked, BTreeSet::from([2, 5, 9].map(AgentPlaybookId)));
    }

    fn a_purge_that_deleted_nothing_has_an_empty_ledger_and_nobody_reads_anothers(db) {
        found(db, &["acme", "umbrella"]);
        let purge = open(&db.database, "ada", "ticket-1").id;
        assert_eq!(within(&db.database, |tx| tx.ledgers().read(&purge)), Ok(Ledger::default()));
        within(&db.database, |tx| tx.ledgers().add(&purge, Target::Requests, 1)).unwrap();

        let foreign = store(&db.database).transact(&org("umbrella"), |tx| tx.ledgers().read(&purge));

        assert_eq!(foreign, Ok::<_, StoreError>(Ledger::default()));
    }

    fn an_entry_goes_with_its_transaction(db) {
        found(db, &["acme"]);
        let purge = open(&db.database, "ada", "ticket-1").id;

        let undone: Result<(), StoreError> = within(&db.database, |tx| {
            tx.ledgers().add(&purge, Target::Requests, 5)?;
            Err(StoreError::Unsupported("this"))
        });

        assert!(undone.is_err());
        assert_eq!(within(&db.database, |tx| tx.ledgers().read(&purge)), Ok(Ledger::default()));
    }
}

/// Each of the two reads what the other writes. On SQLite, with one writer at a time, they cannot overlap.
#[test]
fn who_takes_rows_away_makes_nobody_run_again_on_postgres() {
    let Some(db) = TestDatabase::postgres() else { return };
    found(&db, &["acme"]);
    let (ada, bob) = (open(&db.database, "ada", "ticket-1").id, open(&db.database, "bob", "ticket-1").id);
    let (runs, neighbours_runs) = (Cell::new(0), Cell::new(0));

    let taken = within(&db.database, |tx| {
        runs.set(runs.get() + 1);
        tx.take_away()?;
        tx.ledgers().read(&ada)?;
        within(&db.database, |neighbour| {
            neighbours_runs.set(neighbours_runs.get() + 1);
            neighbour.ledgers().read(&bob)?;
            neighbour.ledgers().add(&ada, Target::Requests, 1)
        })?;
        tx.ledgers().add(&bob, Target::Requests, 1)
    });

    assert_eq!(taken, Ok(()));
    assert_eq!((runs.get(), neighbours_runs.get()), (1, 1), "somebody ran again");
}
