//! What was acknowledged survives, however the server dies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use storage::on_both;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, TestOrganization};
use touchstone_cli::SystemClock;

const PATH: &str = "/api/retrieval_experiments";
const CALLERS: usize = 8;

/// What one caller was told had happened.
#[derive(Debug, Default)]
struct Acknowledged {
    started: Vec<String>,
    stopped: Vec<String>,
}

fn tokens(database: &TestDatabase) -> Vec<String> {
    let clock = Arc::new(SystemClock);
    let org = |n| TestOrganization::found(&database.database, clock.clone(), &format!("org-{n}"));
    (0..CALLERS).map(|n| org(n).production()).collect()
}

/// Starts and stops experiments, one after the other, until the server no longer answers.
fn run_until_it_dies(caller: &Client, told: &AtomicUsize) -> Acknowledged {
    let mut acknowledged = Acknowledged::default();
    for n in 0.. {
        let id = format!("exp-{n}");
        let body = json!({ "experiment_id": id, "holdout_percentage": 10 });
        let Ok(answer) = caller.try_send("POST", PATH, Some(&body)) else { break };
        assert_eq!(answer.told(), "200");
        acknowledged.started.push(id.clone());
        told.fetch_add(1, Ordering::SeqCst);
        let stop = json!({ "experiment_id": id });
        let Ok(answer) = caller.try_send("POST", &format!("{PATH}/stop"), Some(&stop)) else { break };
        assert_eq!(answer.told(), "200");
        acknowledged.stopped.push(id);
        told.fetch_add(1, Ordering::SeqCst);
    }
    acknowledged
}

/// Puts every caller to work on a server, lets `end` end it, and hands back what the callers were told.
fn load(
    server: &mut ServerProcess,
    tokens: &[String],
    end: impl FnOnce(&mut ServerProcess, &AtomicUsize),
) -> Vec<Acknowledged> {
    let told = AtomicUsize::new(0);
    let callers: Vec<_> = tokens.iter().map(|token| server.anonymous().bearing(token)).collect();
    std::thread::scope(|scope| {
        let told = &told;
        let running: Vec<_> =
            callers.iter().map(|caller| scope.spawn(move || run_until_it_dies(caller, told))).collect();
        end(server, told);
        running.into_iter().map(|caller| caller.join().unwrap()).collect()
    })
}

/// A new server on the same database knows everything that was acknowledged.
fn assert_nothing_is_lost(url: &str, tokens: &[String], acknowledged: &[Acknowledged]) {
    let server = ServerProcess::on(url);
    for (token, told) in tokens.iter().zip(acknowledged) {
        let list = server.anonymous().bearing(token).get(PATH).json();
        let kept = list["experiments"].as_array().unwrap();
        let find = |id: &String| kept.iter().find(|one| one["experiment_id"] == *id);
        for id in &told.started {
            assert!(find(id).is_some(), "the start of {id} is lost");
        }
        for id in &told.stopped {
            assert_ne!(find(id).unwrap()["ended_at"], Value::Null, "the stop of {id} is lost");
        }
        // At most the one call that was never answered may have happened besides.
        assert!(kept.len() <= told.started.len() + 1, "{} kept, {} told", kept.len(), told.started.len());
    }
}

fn assert_survives_an_abort(database: &TestDatabase, fault: &str) {
    let tokens = tokens(database);
    let mut server = ServerProcess::with(&database.url, &[("TOUCHSTONE_FAULT", fault)]);

    let acknowledged = load(&mut server, &tokens, |server, _| assert!(!server.wait().success()));

    assert!(acknowledged.iter().any(|told| !told.stopped.is_empty()), "it died before it did anything");
    assert_nothing_is_lost(&database.url, &tokens, &acknowledged);
}

on_both! {
    fn a_kill_during_load_loses_no_acknowledged_start_or_stop(db) {
        let tokens = tokens(db);
        let mut server = ServerProcess::on(&db.url);

        let acknowledged = load(&mut server, &tokens, |server, told| {
            while told.load(Ordering::SeqCst) < 200 {
                std::thread::yield_now();
            }
            server.kill();
        });

        assert_nothing_is_lost(&db.url, &tokens, &acknowledged);
    }

    fn an_abort_before_a_commit_loses_nothing_that_was_acknowledged(db) {
        assert_survives_an_abort(db, "before-commit:60");
    }

    fn an_abort_after_a_commit_loses_nothing_that_was_acknowledged(db) {
        assert_survives_an_abort(db, "after-commit:60");
    }
}
