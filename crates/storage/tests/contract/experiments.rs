//! What the rules of experiments may rely on.

use std::sync::Arc;

use experiments::{
    Experiment, ExperimentError, ExperimentReader, ExperimentTx, HoldoutPercentage, StartExperiment,
};
use kernel::{Clock, ExperimentId, StoreError, Timestamp, UnitOfWork};
use storage::Database;
use storage::on_both;

use crate::{at, found, org};

fn id(text: &str) -> ExperimentId {
    ExperimentId::new(text).unwrap()
}

fn experiment(text: &str, started_at: i64) -> Experiment {
    Experiment::started(id(text), HoldoutPercentage::new(12.5).unwrap(), at(started_at))
}

fn store(database: &Database) -> &dyn UnitOfWork<dyn ExperimentTx> {
    database
}

fn insert(database: &Database, in_org: &str, new: &Experiment) -> Result<(), StoreError> {
    store(database).transact(&org(in_org), |tx| tx.insert(new))
}

fn end(database: &Database, in_org: &str, text: &str, when: i64) -> Result<bool, StoreError> {
    store(database).transact(&org(in_org), |tx| tx.end(&id(text), at(when)))
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        at(43_200)
    }
}

on_both! {
    fn what_is_inserted_is_found_as_it_was(db) {
        found(db, &["acme"]);
        let new = experiment("Grüße 1", 100);

        insert(&db.database, "acme", &new).unwrap();

        let (active, by_id) = store(&db.database)
            .transact(&org("acme"), |tx| Ok::<_, StoreError>((tx.active()?, tx.find(&id("Grüße 1"))?)))
            .unwrap();
        assert_eq!((active, by_id), (Some(new.clone()), Some(new)));
    }

    fn the_database_itself_refuses_a_second_active_experiment(db) {
        found(db, &["acme"]);
        insert(&db.database, "acme", &experiment("one", 1)).unwrap();

        let refused = insert(&db.database, "acme", &experiment("two", 2));

        assert_eq!(refused, Err(StoreError::Contended));
        assert_eq!(db.number("SELECT count(*) AS n FROM experiments"), 1);
    }

    fn the_database_itself_refuses_a_used_id(db) {
        found(db, &["acme"]);
        insert(&db.database, "acme", &experiment("one", 1)).unwrap();
        end(&db.database, "acme", "one", 5).unwrap();

        assert_eq!(insert(&db.database, "acme", &experiment("one", 9)), Err(StoreError::Contended));
    }

    fn only_an_active_experiment_can_be_ended(db) {
        found(db, &["acme"]);
        insert(&db.database, "acme", &experiment("one", 1)).unwrap();

        assert_eq!(end(&db.database, "acme", "none", 5), Ok(false));
        assert_eq!(end(&db.database, "acme", "one", 5), Ok(true));
        assert_eq!(end(&db.database, "acme", "one", 9), Ok(false));
        let kept = db.database.list(&org("acme")).unwrap();
        assert_eq!(kept.first().unwrap().ended_at, Some(at(5)));
    }

    fn experiments_are_listed_by_start_then_by_insertion_both_descending(db) {
        found(db, &["acme"]);
        for (name, start) in [("b", 10), ("a", 30), ("d", 10), ("c", 20)] {
            insert(&db.database, "acme", &experiment(name, start)).unwrap();
            end(&db.database, "acme", name, 40).unwrap();
        }

        let listed = db.database.list(&org("acme")).unwrap();

        let names: Vec<_> = listed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(names, ["a", "c", "d", "b"]);
    }

    fn an_organization_never_sees_anothers_experiments(db) {
        found(db, &["acme", "umbrella"]);
        insert(&db.database, "acme", &experiment("one", 1)).unwrap();

        let foreign = org("umbrella");
        let seen = store(&db.database)
            .transact(&foreign, |tx| Ok::<_, StoreError>((tx.active()?, tx.find(&id("one"))?, tx.list()?)))
            .unwrap();

        assert_eq!(seen, (None, None, vec![]));
        assert_eq!(db.database.list(&foreign), Ok(vec![]));
        assert_eq!(end(&db.database, "umbrella", "one", 5), Ok(false));
        assert!(insert(&db.database, "umbrella", &experiment("one", 1)).is_ok());
    }

    fn of_many_concurrent_starts_on_two_servers_exactly_one_wins(db) {
        found(db, &["acme"]);
        let servers = [db.database.clone(), db.another_server()];

        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..40)
                .map(|n| {
                    let server = Arc::new(servers[n % 2].clone());
                    scope.spawn(move || {
                        let start = StartExperiment::new(server, Arc::new(Noon));
                        start.start(&org("acme"), &id(&format!("exp-{n}")), HoldoutPercentage::new(10.0).unwrap())
                    })
                })
                .collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });

        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let refused =
            outcomes.iter().filter(|outcome| matches!(outcome, Err(ExperimentError::AlreadyActive { .. }))).count();
        assert_eq!((won, refused), (1, 39), "{outcomes:?}");
    }
}
