//! A judge that is rate-limited, broken, talks nonsense or is slow: retries with back-off, honest counts, and nobody else
//! is held up.

use std::time::Duration;

use serde_json::{Value, json};
use storage::on_both;
use storage::testing::TestDatabase;
use support::{Client, Manner, ServerProcess, StubJudge, eventually};

use super::{configure, publish, results, token, waiting};

const FINE: usize = 20;
/// Cases that the judge never answers well, and the reason that is told.
const TROUBLED: [(&str, Manner, &str); 3] = [
    ("limited", Manner::RateLimited(90), "the judge is asked too often"),
    ("broken", Manner::Status(500), "the judge is not available: HTTP status 500"),
    ("garbled", Manner::Garbage, "the judge's answer cannot be used: it does not fit the schema"),
];

fn troubled_judge() -> StubJudge {
    let judge = StubJudge::begin();
    for (case, manner, _) in TROUBLED {
        judge.script(&format!("case-{case}"), &[manner]);
    }
    let once_each = [
        Manner::RateLimited(1),
        Manner::Status(500),
        Manner::Garbage,
        Manner::Slowly(Duration::from_millis(500)),
    ];
    judge.script("case-moody", &once_each);
    judge
}

fn publish_all(caller: &Client) {
    for session in TROUBLED.map(|(case, ..)| case).into_iter().chain(["moody"]) {
        publish(caller, session);
    }
    (0..FINE).for_each(|n| publish(caller, &format!("fine{n}")));
}

/// One number of the troubled sessions' work, in the order of their names.
fn of_troubled(db: &TestDatabase, expression: &str) -> Vec<String> {
    db.texts(&format!(
        "SELECT CAST({expression} AS TEXT) AS t FROM work_items
         WHERE session_id IN ('limited', 'broken', 'garbled') ORDER BY session_id"
    ))
}

/// Waits until each troubled session has been tried so often and waits for its next try.
fn wait_for_tries(db: &TestDatabase, tries: usize) {
    let expected = vec![tries.to_string(); TROUBLED.len()];
    let is_held = "CASE WHEN lease_holder IS NULL THEN attempts ELSE 0 END";
    eventually(|| (of_troubled(db, is_held) == expected).then_some(()));
}

fn let_time_pass(db: &TestDatabase) {
    db.execute("UPDATE work_items SET due_at = 1 WHERE lease_holder IS NULL AND state = 'waiting'");
}

/// Seconds until the next try, by session.
fn waits(db: &TestDatabase) -> Vec<i64> {
    let now = if db.url.starts_with("sqlite") {
        "unixepoch()"
    } else {
        "CAST(extract(epoch FROM now()) AS BIGINT)"
    };
    of_troubled(db, &format!("due_at - {now}")).iter().map(|wait| wait.parse().unwrap()).collect()
}

fn assert_about(waits: &[i64], expected: &[i64]) {
    for (wait, expected) in waits.iter().zip(expected) {
        assert!((expected - 5..=*expected).contains(wait), "{waits:?}, not {expected:?}");
    }
}

fn assert_free_of_user_text(told: &str) {
    for text in ["Thanks", "works", "case-"] {
        assert!(!told.contains(text), "{told}");
    }
}

on_both! {
    fn troubled_sessions_are_retried_later_and_later_then_laid_aside_and_others_are_judged(db) {
        let (token, judge) = (token(db), troubled_judge());
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        configure(&caller, Some(&judge));

        publish_all(&caller);

        // The moody one was asked once more after each setback, within one try.
        eventually(|| (results(db) == i64::try_from(FINE).unwrap() + 1).then_some(()));
        assert_eq!(judge.calls_by_case()["case-moody"], 4);
        // Sorted by name: broken, garbled, limited; the last asks for a minute and a half.
        for (tries, expected) in [(1, [15, 15, 90]), (2, [60, 60, 90]), (3, [240, 240, 240])] {
            wait_for_tries(db, tries);
            assert_about(&waits(db), &expected);
            let_time_pass(db);
        }
        wait_for_tries(db, 4);
        assert_eq!(of_troubled(db, "state"), ["failed", "failed", "failed"]);
        assert_eq!(of_troubled(db, "last_error"), [TROUBLED[1].2, TROUBLED[2].2, TROUBLED[0].2]);
        let status = caller.get("/api/evaluations/status").json();
        assert_eq!((status["failed_24h"].clone(), status["retrying"].clone(), status["running"].clone()), (json!(3), json!(0), json!(0)));
        assert_free_of_user_text(&server.printed());
    }

    fn a_replay_counts_its_failures_with_reasons_free_of_user_text(db) {
        let (token, judge) = (token(db), troubled_judge());
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        configure(&caller, Some(&judge));
        assert_eq!(caller.post("/api/update_config", &json!({ "sampling_rate": 0.0 })).told(), "200");
        publish_all(&caller);
        eventually(|| (waiting(&caller) == 0).then_some(()));

        let started = caller.post("/api/evaluations/regenerate", &json!({ "from_ts": 1, "to_ts": 9_000_000_000_i64 }));
        let place = format!("/api/evaluations/regenerate/{}", started.json()["job_id"].as_str().unwrap());
        for tries in 1..=3 {
            wait_for_tries(db, tries);
            let_time_pass(db);
        }

        let status = eventually(|| {
            let status = caller.get(&place).json();
            (status["status"] == "completed").then_some(status)
        });
        assert_eq!((status["completed"].clone(), status["failed"].clone()), (json!(FINE + 1), json!(3)));
        let mut told: Vec<Value> = status["failures"].as_array().unwrap().clone();
        told.sort_by_key(|failure| failure["session_id"].as_str().unwrap().to_owned());
        let expected = [1, 2, 0].map(|n: usize| json!({ "session_id": TROUBLED[n].0, "user_id": "ada", "reason": TROUBLED[n].2 }));
        assert_eq!(told, expected);
        assert_free_of_user_text(&server.printed());
    }
}
