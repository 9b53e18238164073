//! What the gate before searches, and the plan of an experiment, may rely on.

use experiments::{
    ActiveExperiment, Arm, ClusterSums, Experiment, ExperimentTx, Exposure, ExposureLedger, HistoryReader,
    HoldoutPercentage,
};
use governance::KeyRing;
use kernel::{ExperimentId, SessionId, StoreError, UnitOfWork, UserId};
use storage::Database;
use storage::on_both;
use storage::testing::{SECRET, TestDatabase};

use crate::{at, found, org};

fn experiment(id: &str) -> Experiment {
    let id = ExperimentId::new(id).unwrap();
    Experiment::started(id, HoldoutPercentage::new(50.0).unwrap(), at(10))
}

fn start(database: &Database, id: &str) {
    let store: &dyn UnitOfWork<dyn ExperimentTx> = database;
    store.transact(&org("acme"), |tx| tx.insert(&experiment(id))).unwrap();
}

fn stop(database: &Database, id: &str) {
    let store: &dyn UnitOfWork<dyn ExperimentTx> = database;
    store
        .transact(&org("acme"), |tx| tx.end(&ExperimentId::new(id).unwrap(), at(20)))
        .map(|ended| assert!(ended))
        .unwrap();
}

fn exposure(user: &str, session: Option<&str>, seconds: i64) -> Exposure {
    Exposure {
        experiment: ExperimentId::new("exp").unwrap(),
        user: UserId::new(user).unwrap(),
        session: session.map(|id| SessionId::new(id).unwrap()),
        arm: Arm::Holdout,
        at: at(seconds),
    }
}

fn kept(db: &TestDatabase) -> i64 {
    db.number("SELECT count(*) AS n FROM search_exposures")
}

fn outcome(db: &TestDatabase, of_org: &str, user: &str, session: &str, seconds: i64, is_success: &str) {
    db.execute(&format!(
        "INSERT INTO session_outcomes (org_id, user_id, session_id, result_id, created_at, source, is_success, \
         corrections, turns, is_escalated, is_system_error, is_agent_success, judged_at) \
         VALUES ('{of_org}', '{user}', '{session}', 1, {seconds}, '', {is_success}, 0, NULL, false, false, true, 1)"
    ));
}

on_both! {
    fn only_the_first_exposure_of_a_session_is_kept(db) {
        found(db, &["acme"]);

        for seconds in [5, 6, 4] {
            db.database.record(&org("acme"), &exposure("ada", Some("s"), seconds));
        }

        assert_eq!(kept(db), 1);
        assert_eq!(db.number("SELECT exposed_at AS n FROM search_exposures"), 5);
        assert_eq!(db.number("SELECT count(*) AS n FROM search_exposures WHERE arm = 'holdout'"), 1);
    }

    fn sessions_users_and_organizations_are_exposed_each_for_themselves(db) {
        found(db, &["acme", "umbrella"]);

        db.database.record(&org("acme"), &exposure("ada", Some("s"), 5));
        db.database.record(&org("acme"), &exposure("ada", Some("t"), 5));
        db.database.record(&org("acme"), &exposure("bob", Some("s"), 5));
        db.database.record(&org("umbrella"), &exposure("ada", Some("s"), 5));

        assert_eq!(kept(db), 4);
    }

    fn a_search_without_a_session_makes_one_exposure_per_user(db) {
        found(db, &["acme"]);

        for user in ["ada", "ada", "bob"] {
            db.database.record(&org("acme"), &exposure(user, None, 5));
        }

        assert_eq!(kept(db), 2);
    }

    fn of_concurrent_first_exposures_on_two_servers_one_is_kept(db) {
        found(db, &["acme"]);
        let servers = [db.database.clone(), db.another_server()];

        std::thread::scope(|scope| {
            for n in 0..16 {
                let server = &servers[n % 2];
                scope.spawn(move || server.record(&org("acme"), &exposure("ada", Some("s"), 5)));
            }
        });

        assert_eq!(kept(db), 1);
    }

    fn nothing_is_kept_of_somebody_whose_erasure_has_begun(db) {
        found(db, &["acme"]);
        let ring = KeyRing::new(&[SECRET]).unwrap();
        for (user, state, erased_at) in [("ada", "erasing", "NULL"), ("bob", "erased", "9")] {
            let subject = ring.subject_ref(&org("acme"), &UserId::new(user).unwrap());
            db.execute(&format!(
                "INSERT INTO subject_barriers (org_id, subject_ref, purge_id, state, raised_at, erased_at) \
                 VALUES ('acme', '{}', 'purge_1', '{state}', 1, {erased_at})",
                subject.as_str()
            ));
        }

        for user in ["ada", "bob", "eve"] {
            db.database.record(&org("acme"), &exposure(user, Some("s"), 5));
        }

        assert_eq!(kept(db), 1);
        assert_eq!(db.number("SELECT count(*) AS n FROM search_exposures WHERE user_id = 'eve'"), 1);
    }

    fn an_exposure_that_cannot_be_kept_fails_nobody(db) {
        // The organization does not exist, so the database refuses the row.
        db.database.record(&org("nowhere"), &exposure("ada", Some("s"), 5));

        assert_eq!(kept(db), 0);
    }

    fn a_start_and_a_stop_on_another_server_are_seen_at_once(db) {
        found(db, &["acme", "umbrella"]);
        let other = db.another_server();
        assert_eq!(db.database.active(&org("acme")), Ok(None));

        start(&other, "exp");
        assert_eq!(db.database.active(&org("acme")), Ok(Some(experiment("exp"))));
        assert_eq!(db.database.active(&org("umbrella")), Ok(None));

        stop(&other, "exp");
        assert_eq!(db.database.active(&org("acme")), Ok(None));
    }

    fn history_sums_the_sessions_of_each_user_in_a_closed_window(db) {
        found(db, &["acme", "umbrella"]);
        for (user, session, seconds, is_success) in [
            ("ada", "1", 99, "true"),
            ("ada", "2", 100, "true"),
            ("ada", "3", 150, "false"),
            ("bob", "3", 200, "true"),
            ("bob", "4", 201, "true"),
        ] {
            outcome(db, "acme", user, session, seconds, is_success);
        }
        outcome(db, "umbrella", "ada", "2", 150, "true");

        let found = db.database.outcomes(&org("acme"), at(100), at(200)).unwrap();

        assert_eq!(found, ClusterSums::from_iter([(2, 1), (1, 1)]));
    }

    fn history_of_nothing_is_nothing(db) {
        found(db, &["acme"]);

        assert_eq!(db.database.outcomes(&org("acme"), at(0), at(100)), Ok::<_, StoreError>(ClusterSums::none()));
    }
}
