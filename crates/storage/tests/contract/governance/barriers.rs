//! Barriers are raised once and never lowered.

use governance::RaisedBarrier;
use kernel::{Barrier, StoreError};
use storage::on_both;

use super::{open, purge_id, refs, store, within};
use crate::{at, found, org};

fn raise(database: &storage::Database, name: &str, request: &str) -> Result<(), StoreError> {
    within(database, |tx| tx.barriers().raise(&refs(name, request).subject, &purge_id(name, request), at(11)))
}

fn raised(state: Barrier) -> RaisedBarrier {
    RaisedBarrier { subject: refs("ada", "ticket-1").subject, state, owner: purge_id("ada", "ticket-1") }
}

on_both! {
    fn a_barrier_is_found_under_any_reference_of_its_subject_in_its_organization_alone(db) {
        found(db, &["acme", "umbrella"]);
        open(&db.database, "ada", "ticket-1");

        raise(&db.database, "ada", "ticket-1").unwrap();

        let subject = [refs("rotated", "any").subject, refs("ada", "any").subject];
        assert_eq!(within(&db.database, |tx| tx.barriers().find(&subject)), Ok(Some(raised(Barrier::Erasing))));
        assert_eq!(within(&db.database, |tx| tx.barriers().find(&[refs("bob", "any").subject])), Ok(None));
        let foreign = store(&db.database).transact(&org("umbrella"), |tx| tx.barriers().find(&subject));
        assert_eq!(foreign, Ok::<_, StoreError>(None));
    }

    fn a_barrier_is_raised_once(db) {
        found(db, &["acme"]);
        open(&db.database, "ada", "ticket-1");
        open(&db.database, "ada", "ticket-2");
        raise(&db.database, "ada", "ticket-1").unwrap();

        assert_eq!(raise(&db.database, "ada", "ticket-2"), Err(StoreError::Contended));

        let found = within(&db.database, |tx| tx.barriers().find(&[refs("ada", "any").subject]));
        assert_eq!(found, Ok(Some(raised(Barrier::Erasing))));
    }

    fn only_its_owner_marks_a_barrier_erased_and_only_once(db) {
        found(db, &["acme"]);
        open(&db.database, "ada", "ticket-1");
        raise(&db.database, "ada", "ticket-1").unwrap();
        let strange = RaisedBarrier { owner: purge_id("ada", "ticket-2"), ..raised(Barrier::Erasing) };
        let mark = |barrier: &RaisedBarrier| within(&db.database, |tx| tx.barriers().mark_erased(barrier, at(12)));

        assert_eq!(mark(&strange), Ok(false));
        assert_eq!(mark(&raised(Barrier::Erasing)), Ok(true));
        assert_eq!(mark(&raised(Barrier::Erasing)), Ok(false));

        let found = within(&db.database, |tx| tx.barriers().find(&[refs("ada", "any").subject]));
        assert_eq!(found, Ok(Some(raised(Barrier::Erased))));
    }
}
