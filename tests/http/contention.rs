//! Many callers at once, on servers in processes of their own.

use std::collections::BTreeMap;
use std::sync::{Arc, Barrier};

use serde_json::json;
use support::{Client, ServerProcess, StubClock, TestDatabase, TestOrganization};

const CALLERS: usize = 100;

/// How often each outcome was told to callers who all start an experiment at the same moment.
fn outcomes(servers: &[Client]) -> BTreeMap<String, usize> {
    let together = Barrier::new(CALLERS);
    let mut outcomes = BTreeMap::new();
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|n| {
                let (server, together) = (&servers[n % servers.len()], &together);
                scope.spawn(move || {
                    let body = json!({ "experiment_id": format!("exp-{n}"), "holdout_percentage": 10 });
                    together.wait();
                    server.post("/api/retrieval_experiments", &body).told()
                })
            })
            .collect();
        for caller in callers {
            *outcomes.entry(caller.join().unwrap()).or_default() += 1;
        }
    });
    outcomes
}

fn assert_one_wins(database: &TestDatabase, processes: usize) {
    let acme = TestOrganization::found(&database.database, Arc::new(StubClock::at(0)), "acme");
    let token = acme.production();
    let servers: Vec<_> = (0..processes).map(|_| ServerProcess::on(&database.url)).collect();
    let callers: Vec<_> = servers.iter().map(|server| server.anonymous().bearing(&token)).collect();

    let outcomes = outcomes(&callers);

    let expected = [("200".to_owned(), 1), ("409 experiment_already_active".to_owned(), CALLERS - 1)];
    assert_eq!(outcomes, BTreeMap::from(expected));
    assert_eq!(database.number("SELECT count(*) AS n FROM experiments"), 1);
}

#[test]
fn of_a_hundred_concurrent_starts_one_wins_on_one_server_over_sqlite() {
    assert_one_wins(&TestDatabase::sqlite(), 1);
}

#[test]
fn of_a_hundred_concurrent_starts_one_wins_on_two_servers_over_postgres() {
    if let Some(database) = TestDatabase::postgres() {
        assert_one_wins(&database, 2);
    }
}
