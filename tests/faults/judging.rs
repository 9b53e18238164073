//! Servers that judge share the queue; one that is killed loses nothing.

mod kills;
mod setbacks;
mod shadow;

use std::sync::Arc;

use serde_json::json;
use storage::on_both;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, StubJudge, TestOrganization, eventually};
use touchstone_cli::SystemClock;

const SESSIONS: i64 = 60;

fn token(database: &TestDatabase) -> String {
    TestOrganization::found(&database.database, Arc::new(SystemClock), "acme").dashboard()
}

fn publish(caller: &Client, session: &str) {
    let body = json!({
        "user_id": "ada", "session_id": session, "agent_version": "v1",
        "interaction_data_list": [{"role": "user", "content": format!("Thanks, case-{session} works.")}],
    });
    assert_eq!(caller.post("/api/publish_interaction", &body).told(), "200");
}

fn configure(caller: &Client, judge: Option<&StubJudge>) {
    let mut body = json!({ "group_evaluation_delay_seconds": 0, "sampling_rate": 1.0 });
    if let Some(judge) = judge {
        body["judge"] = judge.configuration();
    }
    assert_eq!(caller.post("/api/update_config", &body).told(), "200");
}

/// Publishes sessions `s0`, `s1` and so on, by several callers at once.
fn publish_many(caller: &Client, sessions: usize) {
    std::thread::scope(|scope| {
        for first in 0..8 {
            scope.spawn(move || {
                (first..sessions).step_by(8).for_each(|n| publish(caller, &format!("s{n}")));
            });
        }
    });
}

/// Time passes for the leases of a server that was killed, and for no others.
fn let_leases_run_out(db: &TestDatabase, dead: &ServerProcess) {
    let prefix = dead.lease_prefix();
    db.execute(&format!("UPDATE work_items SET lease_expires_at = 1 WHERE lease_holder LIKE '{prefix}%'"));
}

/// How many items wait in the caller's queue.
fn waiting(caller: &Client) -> u64 {
    let status = caller.get("/api/evaluations/status").json();
    status["queue_depth"].as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum()
}

fn results(db: &TestDatabase) -> i64 {
    db.number("SELECT count(*) AS n FROM evaluation_results")
}

on_both! {
    fn a_server_without_a_key_grades_what_is_published_and_says_how(db) {
        let token = token(db);
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        configure(&caller, None);

        publish(&caller, "s");

        eventually(|| (results(db) == 1).then_some(()));
        assert_eq!(db.texts("SELECT tags AS t FROM evaluation_results"), ["[\"heuristic\"]"]);
        assert_eq!(db.number("SELECT count(*) AS n FROM work_items"), 0);
    }

    fn a_replay_is_carried_out_to_its_end(db) {
        let token = token(db);
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        for n in 0..10 {
            publish(&caller, &format!("s{n}"));
        }

        let started = caller.post("/api/evaluations/regenerate", &json!({ "from_ts": 1, "to_ts": 9_000_000_000_i64 }));
        let id = started.json()["job_id"].as_str().unwrap().to_owned();

        let status = eventually(|| {
            let status = caller.get(&format!("/api/evaluations/regenerate/{id}")).json();
            (status["status"] != "queued" && status["status"] != "running").then_some(status)
        });
        assert_eq!((status["status"].clone(), status["completed"].clone()), (json!("completed"), json!(10)));
        assert_eq!(results(db), 10);
    }

    fn what_a_killed_server_was_judging_is_judged_by_another(db) {
        let (token, judge) = (token(db), StubJudge::begin());
        judge.answer_only(20);
        let mut killed = ServerProcess::on(&db.url);
        let caller = killed.anonymous().bearing(&token);
        configure(&caller, Some(&judge));
        for n in 0..SESSIONS {
            publish(&caller, &format!("s{n}"));
        }
        judge.wait_for_calls(25);

        killed.kill();
        judge.answer_all();
        // Time passes for the leases of the dead.
        db.execute("UPDATE work_items SET lease_expires_at = 1 WHERE lease_expires_at IS NOT NULL");
        let _heir = ServerProcess::on(&db.url);

        eventually(|| (db.number("SELECT count(*) AS n FROM work_items") == 0).then_some(()));
        assert_eq!(results(db), SESSIONS);
        let calls = i64::try_from(judge.calls()).unwrap();
        // Only what was in flight, ten at most, may have been asked twice; and answers that came too late to be kept.
        assert!((SESSIONS..=SESSIONS + 20).contains(&calls), "{calls}");
    }

    fn two_servers_share_the_queue_and_judge_each_session_once(db) {
        let (token, judge) = (token(db), StubJudge::begin());
        let (one, _other) = (ServerProcess::on(&db.url), ServerProcess::on(&db.url));
        let caller = one.anonymous().bearing(&token);
        configure(&caller, Some(&judge));

        for n in 0..SESSIONS {
            publish(&caller, &format!("s{n}"));
        }

        eventually(|| (db.number("SELECT count(*) AS n FROM work_items") == 0).then_some(()));
        assert_eq!((results(db), i64::try_from(judge.calls()).unwrap()), (SESSIONS, SESSIONS));
    }

    fn calls_in_flight_reach_the_organizations_limit_and_never_exceed_it(db) {
        let (token, judge) = (token(db), StubJudge::begin());
        judge.answer_only(0);
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        configure(&caller, Some(&judge));
        assert_eq!(caller.post("/api/update_config", &json!({ "eval_concurrency_limit": 3 })).told(), "200");

        for n in 0..20 {
            publish(&caller, &format!("s{n}"));
        }
        judge.wait_for_calls(3);
        judge.answer_all();

        eventually(|| (results(db) == 20).then_some(()));
        assert_eq!(judge.most_in_flight(), 3);
    }

    fn a_high_limit_is_reached_and_whoever_waits_for_its_judge_holds_up_no_other_organization(db) {
        let (slow, judge) = (token(db), StubJudge::begin());
        let quick = TestOrganization::found(&db.database, Arc::new(SystemClock), "quick").dashboard();
        judge.answer_only(0);
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&slow);
        configure(&caller, Some(&judge));
        assert_eq!(caller.post("/api/update_config", &json!({ "eval_concurrency_limit": 40 })).told(), "200");
        publish_many(&caller, 60);
        judge.wait_for_calls(40);

        let other = server.anonymous().bearing(&quick);
        configure(&other, None);
        publish(&other, "s");

        eventually(|| (results(db) == 1).then_some(()));
        assert_eq!((judge.calls(), judge.most_in_flight()), (40, 40));
        judge.answer_all();
        eventually(|| (results(db) == 61).then_some(()));
        assert_eq!((judge.calls(), judge.most_in_flight()), (60, 40));
    }

    fn a_server_that_stops_gives_its_work_back(db) {
        let (token, judge) = (token(db), StubJudge::begin());
        judge.answer_only(0);
        let mut server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        configure(&caller, Some(&judge));
        publish(&caller, "s");
        judge.wait_for_calls(1);

        server.terminate();

        assert!(server.wait().success());
        let free = "SELECT count(*) AS n FROM work_items WHERE lease_holder IS NULL AND attempts = 0";
        assert_eq!(db.number(free), 1);
    }
}
