//! What every rule may rely on: all or nothing, alone, and never acknowledged before it is kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::{StoreError, UnitOfWork};
use organization::{OrganizationReader, OrganizationTx, Profile};
use storage::{Database, on_both};

use crate::{at, org};

fn store(database: &Database) -> &dyn UnitOfWork<dyn OrganizationTx> {
    database
}

fn exists(database: &Database, id: &str) -> bool {
    OrganizationReader::configuration(database, &org(id)).unwrap().is_some()
}

on_both! {
    fn work_that_fails_leaves_nothing_behind(db) {
        let failed: Result<(), StoreError> = store(&db.database).transact(&org("acme"), |tx| {
            tx.found(Profile::Standard, at(0))?;
            Err(StoreError::Unsupported("this"))
        });

        assert_eq!(failed, Err(StoreError::Unsupported("this")));
        assert!(!exists(&db.database, "acme"));
    }

    fn one_writers_failure_does_not_undo_its_neighbours(db) {
        std::thread::scope(|scope| {
            for n in 0..32 {
                let database = &db.database;
                scope.spawn(move || {
                    let _: Result<(), StoreError> = store(database).transact(&org(&format!("org-{n}")), |tx| {
                        tx.found(Profile::Standard, at(0))?;
                        if n % 2 == 0 { Ok(()) } else { Err(StoreError::Unsupported("this")) }
                    });
                });
            }
        });

        for n in 0..32 {
            assert_eq!(exists(&db.database, &format!("org-{n}")), n % 2 == 0, "org-{n}");
        }
    }

    fn work_that_panics_leaves_nothing_behind_and_does_not_stop_the_others(db) {
        let panicked = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    let _: Result<(), StoreError> = store(&db.database).transact(&org("acme"), |tx| {
                        tx.found(Profile::Standard, at(0))?;
                        panic!("on purpose");
                    });
                })
                .join()
        });

        assert!(panicked.is_err());
        assert!(!exists(&db.database, "acme"));
        let after: Result<bool, StoreError> =
            store(&db.database).transact(&org("acme"), |tx| tx.found(Profile::Standard, at(0)));
        assert_eq!(after, Ok(true));
    }

    fn a_lost_race_runs_the_rule_again_until_it_sees_the_winner(db) {
        let runs = AtomicUsize::new(0);

        let made: usize = std::thread::scope(|scope| {
            let founders: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| {
                        let made: Result<bool, StoreError> = store(&db.database).transact(&org("acme"), |tx| {
                            runs.fetch_add(1, Ordering::Relaxed);
                            let is_new = tx.configuration()?.is_none();
                            if is_new {
                                tx.found(Profile::Standard, at(0))?;
                            }
                            Ok(is_new)
                        });
                        usize::from(made.unwrap())
                    })
                })
                .collect();
            founders.into_iter().map(|founder| founder.join().unwrap()).sum()
        });

        assert_eq!(made, 1);
        assert!(runs.load(Ordering::Relaxed) >= 16);
    }
}
