//! Servers killed in the middle of hundreds of sessions: each is judged, and only what was in flight is asked twice.

use std::collections::BTreeSet;

use serde_json::json;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, StubJudge, eventually};

use super::{configure, let_leases_run_out, publish_many, results, token};

const REPLAYS: &str = "/api/evaluations/regenerate";

/// The queue is worked on by two servers, one of which is killed for good, or by one that is started again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Crew {
    Two,
    OneRestarted,
}

/// What was seen when all was over.
struct Seen {
    judge: StubJudge,
    /// What the dead server had in hand.
    in_flight: BTreeSet<String>,
}

fn in_hand(db: &TestDatabase, of: &ServerProcess) -> BTreeSet<String> {
    let held =
        format!("SELECT session_id AS t FROM work_items WHERE lease_holder LIKE '{}%'", of.lease_prefix());
    db.texts(&held).into_iter().collect()
}

/// Lets `due` make sessions due, kills a server when half of them are judged, and waits for the rest.
fn kill_in_the_middle(db: &TestDatabase, crew: Crew, sessions: usize, due: impl FnOnce(&Client)) -> Seen {
    let (token, judge) = (token(db), StubJudge::begin());
    judge.answer_only(sessions / 2);
    let mut killed = ServerProcess::on(&db.url);
    let other = (crew == Crew::Two).then(|| ServerProcess::on(&db.url));
    let serving = other.as_ref().unwrap_or(&killed);
    let caller = serving.anonymous().bearing(&token);
    configure(&caller, Some(&judge));
    due(&caller);
    // Ten of each server wait at the judge's desk.
    judge.wait_for_calls(sessions / 2 + 5);

    killed.kill();
    let in_flight = in_hand(db, &killed);
    judge.answer_all();
    let_leases_run_out(db, &killed);
    let _heir = (crew == Crew::OneRestarted).then(|| ServerProcess::on(&db.url));

    eventually(|| (db.number("SELECT count(*) AS n FROM work_items") == 0).then_some(()));
    Seen { judge, in_flight }
}

fn assert_judged_once(db: &TestDatabase, sessions: usize, seen: &Seen) {
    assert_eq!(results(db), i64::try_from(sessions).unwrap());
    let calls = seen.judge.calls_by_case();
    assert_eq!(calls.len(), sessions, "a session was never asked about");
    let twice: Vec<_> = calls.iter().filter(|(_, calls)| **calls > 1).collect();
    assert!(twice.iter().all(|(_, calls)| **calls == 2), "{twice:?}");
    for (case, _) in &twice {
        let session = case.trim_start_matches("case-");
        assert!(seen.in_flight.contains(session), "{session} was not in flight and was asked about twice");
    }
    assert!(seen.in_flight.len() <= 10, "{:?}", seen.in_flight);
    println!(
        "{sessions} sessions, {} in flight at the kill, {} asked twice",
        seen.in_flight.len(),
        twice.len()
    );
}

fn five_hundred_due_sessions(db: &TestDatabase, crew: Crew) {
    let seen = kill_in_the_middle(db, crew, 500, |caller| publish_many(caller, 500));

    assert_judged_once(db, 500, &seen);
}

/// A replay of sessions that nobody would judge otherwise.
fn a_replay_of_three_hundred(db: &TestDatabase, crew: Crew) {
    let mut job = None;
    let seen = kill_in_the_middle(db, crew, 300, |caller| {
        let all_for_replays = json!({ "sampling_rate": 0.0, "eval_sample_n_per_stratum": 1000 });
        assert_eq!(caller.post("/api/update_config", &all_for_replays).told(), "200");
        publish_many(caller, 300);
        eventually(|| (super::waiting(caller) == 0).then_some(()));
        let started = caller.post(REPLAYS, &json!({ "from_ts": 1, "to_ts": 9_000_000_000_i64 }));
        assert_eq!(started.json()["total"], 300, "{}", started.text());
        job = started.json()["job_id"].as_str().map(str::to_owned);
    });

    assert_judged_once(db, 300, &seen);
    let ended = format!(
        "SELECT count(*) AS n FROM regeneration_jobs WHERE job_id = '{}' AND status = 'completed'
             AND completed = 300 AND failed = 0",
        job.unwrap()
    );
    eventually(|| (db.number(&ended) == 1).then_some(()));
}

#[test]
fn of_five_hundred_due_sessions_none_is_lost_when_one_of_two_servers_is_killed_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        five_hundred_due_sessions(&db, Crew::Two);
    }
}

#[test]
fn of_five_hundred_due_sessions_none_is_lost_when_the_server_is_killed_and_restarted_on_sqlite() {
    five_hundred_due_sessions(&TestDatabase::sqlite(), Crew::OneRestarted);
}

#[test]
fn a_replay_of_three_hundred_goes_on_when_one_of_two_servers_is_killed_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        a_replay_of_three_hundred(&db, Crew::Two);
    }
}

#[test]
fn a_replay_of_three_hundred_goes_on_when_the_server_is_killed_and_restarted_on_sqlite() {
    a_replay_of_three_hundred(&TestDatabase::sqlite(), Crew::OneRestarted);
}
