//! Many publishers at once: no acknowledged request is lost, and none is half there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use storage::on_both;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, TestOrganization};
use touchstone_cli::SystemClock;

const PUBLISHERS: usize = 32;
const TURNS: i64 = 4;

fn request(publisher: usize, n: usize) -> Value {
    let turns: Vec<_> =
        (0..TURNS).map(|turn| json!({ "role": "Agent", "content": format!("turn {turn}") })).collect();
    json!({
        "user_id": format!("user-{publisher}"), "session_id": "s", "request_id": format!("{publisher}-{n}"),
        "interaction_data_list": turns,
    })
}

/// Publishes one request after the other until `most` are acknowledged or the server is gone; answers how many were.
fn publish(caller: &Client, publisher: usize, most: usize, told: &AtomicUsize) -> usize {
    for n in 0..most {
        let Ok(answer) = caller.try_send("POST", "/api/publish_interaction", Some(&request(publisher, n)))
        else {
            return n;
        };
        assert_eq!(answer.told(), "200");
        told.fetch_add(1, Ordering::SeqCst);
    }
    most
}

/// How many requests each publisher was told are kept.
fn load(
    server: &mut ServerProcess,
    token: &str,
    most: usize,
    end: impl FnOnce(&mut ServerProcess, &AtomicUsize),
) -> Vec<usize> {
    let (told, caller) = (AtomicUsize::new(0), server.anonymous().bearing(token));
    std::thread::scope(|scope| {
        let (told, caller) = (&told, &caller);
        let running: Vec<_> =
            (0..PUBLISHERS).map(|one| scope.spawn(move || publish(caller, one, most, told))).collect();
        end(server, told);
        running.into_iter().map(|publisher| publisher.join().unwrap()).collect()
    })
}

fn token(database: &TestDatabase) -> String {
    TestOrganization::found(&database.database, Arc::new(SystemClock), "acme").production()
}

/// Requests that are not whole: in the feed, due for evaluation, and with all their turns.
fn half_requests(database: &TestDatabase) -> i64 {
    database.number(&format!(
        "SELECT count(*) AS n FROM requests r
         WHERE (SELECT count(*) FROM interactions i WHERE i.org_id = r.org_id AND i.request_id = r.request_id) <> {TURNS}
            OR NOT EXISTS (SELECT 1 FROM feed_entries f WHERE f.org_id = r.org_id AND f.request_id = r.request_id)
            OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.org_id = r.org_id AND s.user_id = r.user_id AND s.session_id = r.session_id)"
    ))
}

on_both! {
    fn of_many_publishers_none_is_refused_and_every_row_is_there(db) {
        let token = token(db);
        let mut server = ServerProcess::on(&db.url);

        let told = load(&mut server, &token, 15, |_, _| {});

        let requests = i64::try_from(told.iter().sum::<usize>()).unwrap();
        assert_eq!(requests, 32 * 15);
        assert_eq!(db.number("SELECT count(*) AS n FROM requests"), requests);
        assert_eq!(db.number("SELECT count(*) AS n FROM interactions"), requests * TURNS);
        assert_eq!(db.number("SELECT count(*) AS n FROM feed_entries"), requests);
        assert_eq!(half_requests(db), 0);
    }

    fn a_kill_in_the_middle_loses_no_acknowledged_request_and_leaves_no_half_one(db) {
        let token = token(db);
        let mut server = ServerProcess::on(&db.url);

        let told = load(&mut server, &token, usize::MAX, |server, told| {
            while told.load(Ordering::SeqCst) < 200 {
                std::thread::yield_now();
            }
            server.kill();
        });

        for (publisher, acknowledged) in told.iter().enumerate() {
            let kept = db.number(&format!("SELECT count(*) AS n FROM requests WHERE user_id = 'user-{publisher}'"));
            let acknowledged = i64::try_from(*acknowledged).unwrap();
            assert!((acknowledged..=acknowledged + 1).contains(&kept), "{publisher}: {kept} kept, {acknowledged} told");
        }
        assert_eq!(half_requests(db), 0);
    }
}
