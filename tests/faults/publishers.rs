//! Many publishers at once: no acknowledged request is lost, and none is half there.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

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

/// `TOUCHSTONE_PUBLISH_SECONDS` asks for more.
fn duration() -> Duration {
    let asked = std::env::var("TOUCHSTONE_PUBLISH_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(asked.unwrap_or(3))
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

/// The requests that each publisher was told are kept, by the number it gave them.
struct Diary {
    kept: Vec<usize>,
    unanswered: usize,
}

/// Where publishers turn to: how many servers there have been, and a caller of the latest.
struct Place {
    latest: Mutex<(usize, Client)>,
    moved: Condvar,
}

impl Place {
    fn move_to(&self, caller: Client) {
        let mut latest = self.latest.lock().unwrap();
        *latest = (latest.0 + 1, caller);
        self.moved.notify_all();
    }

    /// Waits for a server after this one, until the time is over.
    fn wait_for_heir(&self, gone: usize, end: Instant) {
        let latest = self.latest.lock().unwrap();
        let left = end.saturating_duration_since(Instant::now());
        drop(self.moved.wait_timeout_while(latest, left, |(number, _)| *number == gone).unwrap());
    }
}

/// Publishes until the time is over, with a new number for each; a server that is gone is waited for.
fn publish_through(place: &Place, publisher: usize, end: Instant) -> Diary {
    let mut diary = Diary { kept: Vec::new(), unanswered: 0 };
    for n in 0.. {
        if Instant::now() > end {
            break;
        }
        let (server, caller) = place.latest.lock().unwrap().clone();
        if let Ok(answer) = caller.try_send("POST", "/api/publish_interaction", Some(&request(publisher, n)))
        {
            assert_eq!(answer.told(), "200");
            diary.kept.push(n);
        } else {
            diary.unanswered += 1;
            place.wait_for_heir(server, end);
        }
    }
    diary
}

on_both! {
    fn for_as_long_as_one_asks_a_kill_in_the_middle_costs_nothing_that_was_acknowledged(db) {
        let token = token(db);
        let mut server = ServerProcess::on(&db.url);
        let (begun, half) = (Instant::now(), duration() / 2);
        let place = Place { latest: Mutex::new((0, server.anonymous().bearing(&token))), moved: Condvar::new() };

        let (diaries, _heir) = std::thread::scope(|scope| {
            let place = &place;
            let running: Vec<_> = (0..PUBLISHERS)
                .map(|one| scope.spawn(move || publish_through(place, one, begun + half * 2)))
                .collect();
            std::thread::sleep(half);
            server.kill();
            let heir = ServerProcess::on(&db.url);
            place.move_to(heir.anonymous().bearing(&token));
            (running.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>(), heir)
        });

        let (mut told, mut unanswered) = (0, 0);
        for (publisher, diary) in diaries.iter().enumerate() {
            let kept = db.texts(&format!("SELECT request_id AS t FROM requests WHERE user_id = 'user-{publisher}'"));
            let kept: BTreeSet<_> = kept.into_iter().collect();
            let lost: Vec<_> = diary.kept.iter().filter(|n| !kept.contains(&format!("{publisher}-{n}"))).collect();
            assert!(lost.is_empty(), "{publisher}: {lost:?}");
            assert!(kept.len() <= diary.kept.len() + diary.unanswered, "{publisher}");
            told += diary.kept.len();
            unanswered += diary.unanswered;
        }
        assert_eq!(half_requests(db), 0);
        println!("{PUBLISHERS} publishers, {:?}: {told} acknowledged and there, {unanswered} unanswered at the kill", half * 2);
    }
}
