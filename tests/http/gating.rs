//! What a running experiment does to searches and publishes, and what its results say.

use std::sync::Arc;
use std::time::{Duration, Instant};

use experiments::{Arm, HoldoutPercentage, assign};
use kernel::{ExperimentId, OrgId, UserId};
use serde_json::{Value, json};
use support::app::NOW;
use support::{Answer, Client, ServerProcess, TestApp, TestDatabase, TestOrganization, on_both};
use touchstone_cli::SystemClock;

use crate::activity::{
    add_agent_playbook, add_profile, add_user_playbook, count, first_id, judged, publish, request, with,
};

/// The lists of each search route.
const ROUTES: [(&str, &[&str]); 4] = [
    ("/api/search", &["profiles", "user_playbooks", "agent_playbooks"]),
    ("/api/search_profiles", &["user_profiles"]),
    ("/api/search_user_playbooks", &["user_playbooks"]),
    ("/api/search_agent_playbooks", &["agent_playbooks"]),
];
/// By the contract's vectors, at 50 % of org-1's exp-1 user-0 is held out and user-1 is not.
const HELD_OUT: &str = "user-0";
const TREATED: &str = "user-1";

fn start(caller: &Client) {
    let body = json!({ "experiment_id": "exp-1", "holdout_percentage": 50 });
    assert_eq!(caller.post("/api/retrieval_experiments", &body).told(), "200");
}

fn stop(caller: &Client) {
    assert_eq!(
        caller.post("/api/retrieval_experiments/stop", &json!({ "experiment_id": "exp-1" })).told(),
        "200"
    );
}

fn teach(caller: &Client) {
    for user in [HELD_OUT, TREATED] {
        assert_eq!(add_profile(caller, user, "tea").told(), "200");
        let id = first_id(&add_user_playbook(caller, user, "tea"));
        assert_eq!(add_agent_playbook(caller, "tea", &[id]).told(), "200");
    }
}

fn search(caller: &Client, route: &str, user: &str, query: &str) -> Answer {
    caller.post(route, &json!({ "query": query, "user_id": user }))
}

fn publish_as(caller: &Client, request_id: &str, experiment: &str, arm: &str) -> String {
    let tag = json!({ "retrieval_experiment_id": experiment, "retrieval_experiment_arm": arm });
    publish(caller, &with(request(HELD_OUT, "s", request_id), &tag)).told()
}

on_both! {
    fn a_held_out_user_finds_nothing_and_a_treated_one_finds_as_ever(app) {
        let caller = app.production("org-1");
        teach(&caller);
        start(&caller);

        for (route, lists) in ROUTES {
            let held_out = search(&caller, route, HELD_OUT, "tea").json();
            let treated = search(&caller, route, TREATED, "tea").json();

            for list in lists {
                assert_eq!(held_out[list], json!([]), "{route} {list}");
                assert!(count(&treated, list) > 0, "{route} {list}: {treated}");
            }
            assert_eq!(held_out["success"], true, "{route}");
            assert_ne!(held_out["msg"].as_str().unwrap(), "", "{route}");
            assert_eq!(held_out["experiment"], json!({ "experiment_id": "exp-1", "arm": "holdout" }), "{route}");
            assert_eq!(treated["experiment"], json!({ "experiment_id": "exp-1", "arm": "treatment" }), "{route}");
            let nothing = search(&caller, route, TREATED, "unicorn").json();
            assert_eq!(nothing["experiment"]["arm"], "treatment", "{route}: {nothing}");
        }
    }

    fn a_search_must_say_for_whom_while_an_experiment_is_active(app) {
        let (caller, person) = (app.production("org-1"), app.dashboard("org-1"));
        teach(&caller);
        start(&caller);

        for (route, _) in ROUTES {
            for body in [json!({ "query": "tea" }), json!({ "query": "tea", "user_id": "  " })] {
                let refused = caller.post(route, &body);
                assert_eq!(refused.told(), "422 user_id_required", "{route}");
                assert_eq!(refused.json()["errors"][0]["loc"], json!(["body", "user_id"]), "{route}");
                assert_eq!(person.post(route, &body).told(), "200", "{route}");
            }
        }
    }

    fn a_person_is_not_part_of_the_experiment(app) {
        let person = app.dashboard("org-1");
        teach(&person);
        start(&person);

        for (route, lists) in ROUTES {
            let found = search(&person, route, HELD_OUT, "tea").json();
            for list in lists {
                assert!(count(&found, list) > 0, "{route} {list}");
            }
            assert_eq!(found.get("experiment"), None, "{route}");
        }
        assert_eq!(app.database.number("SELECT count(*) AS n FROM search_exposures"), 0);
    }

    fn without_an_active_experiment_nobody_is_held_out(app) {
        let caller = app.production("org-1");
        teach(&caller);
        start(&app.production("org-2"));
        for round in ["before", "after"] {
            for (route, lists) in ROUTES {
                let found = search(&caller, route, HELD_OUT, "tea").json();
                assert!(lists.iter().all(|list| count(&found, list) > 0), "{round} {route}: {found}");
                assert_eq!(found.get("experiment"), None, "{round} {route}");
            }
            if round == "before" {
                start(&caller);
                stop(&caller);
            }
        }
    }

    fn the_first_gated_search_of_a_session_is_its_exposure(app) {
        let caller = app.production("org-1");
        start(&caller);
        let exposures = || app.database.number("SELECT count(*) AS n FROM search_exposures");

        for _ in 0..3 {
            for (route, _) in ROUTES {
                let _ = search(&caller, route, HELD_OUT, "tea");
            }
        }
        assert_eq!(exposures(), 1);
        let in_session = json!({ "query": "tea", "user_id": HELD_OUT, "session_id": "s" });
        assert_eq!(caller.post("/api/search", &in_session).told(), "200");
        assert_eq!(exposures(), 2);
    }

    fn a_publish_names_the_arm_its_user_is_in(app) {
        let caller = app.production("org-1");
        start(&caller);

        assert_eq!(publish_as(&caller, "r-1", "exp-1", "treatment"), "422 wrong_attribution");
        assert_eq!(publish_as(&caller, "r-1", "exp-9", "holdout"), "422 wrong_attribution");
        assert_eq!(publish_as(&app.production("org-2"), "r-1", "exp-1", "holdout"), "422 wrong_attribution");
        assert_eq!(app.database.number("SELECT count(*) AS n FROM requests"), 0);
        assert_eq!(publish_as(&caller, "r-1", "exp-1", "holdout"), "200");
        stop(&caller);
        assert_eq!(publish_as(&caller, "r-2", "exp-1", "holdout"), "200");
        assert_eq!(publish_as(&caller, "r-3", "exp-1", "treatment"), "422 wrong_attribution");
    }
}

// Results.

/// The outcomes of worked example A, by user.
const TREATMENT: [&[bool]; 5] =
    [&[true, true, false], &[true], &[false, true], &[true, true, true, true], &[false]];
const HOLDOUT: [&[bool]; 4] = [&[false, false], &[true, false, true], &[false], &[true, true]];

/// Users whom the assignment puts into this arm.
fn users_of(arm: Arm) -> impl Iterator<Item = String> {
    let (org, experiment) = (OrgId::new("org-1").unwrap(), ExperimentId::new("exp-1").unwrap());
    let half = HoldoutPercentage::new(50.0).unwrap();
    (0..)
        .map(|n| format!("user-{n}"))
        .filter(move |user| assign(&org, &experiment, &UserId::new(user).unwrap(), half) == arm)
}

/// Publishes and judges one arm of the example.
fn play(app: &TestApp, arm: Arm, outcomes: &[&[bool]]) {
    let (caller, judge) = (app.production("org-1"), app.dashboard("org-1"));
    let mut results = Vec::new();
    for (user, sessions) in users_of(arm).zip(outcomes) {
        for (n, is_success) in sessions.iter().enumerate() {
            let session = format!("s-{n}");
            let tag = json!({ "retrieval_experiment_id": "exp-1", "retrieval_experiment_arm": arm.as_str() });
            let body = with(request(&user, &session, &format!("{user}-{n}")), &tag);
            assert_eq!(publish(&caller, &body).told(), "200");
            let fields = json!({ "is_success": is_success, "number_of_correction_per_session": 2, "is_escalated": n == 0 });
            results.push(with(judged(&user, &session, 1), &fields));
        }
    }
    let imported = judge.post("/api/import_evaluation_results", &json!({ "results": results }));
    assert_eq!(imported.json()["imported_count"], results.len());
}

fn assert_close(found: &Value, expected: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what} is {found}"));
    assert!((found - expected).abs() < 1e-9, "{what}: {found} is not {expected}");
}

on_both! {
    fn the_worked_example_comes_out_as_it_was_worked(app) {
        let caller = app.production("org-1");
        start(&caller);
        app.clock.advance(60);
        play(app, Arm::Treatment, &TREATMENT);
        play(app, Arm::Holdout, &HOLDOUT);

        let answer = caller.get("/api/retrieval_experiments/exp-1/results");

        let told = answer.json();
        assert_eq!(answer.told(), "200", "{told}");
        assert_close(&told["treatment"]["success_rate"], 8.0 / 11.0, "treatment");
        assert_close(&told["holdout"]["success_rate"], 0.5, "holdout");
        assert_close(&told["success_rate_lift_percentage_points"], 22.727_272_727_272_727, "lift");
        assert_close(&told["relative_success_lift"], 0.454_545_454_545_454_6, "relative lift");
        let interval = &told["confidence_interval_95_percentage_points"];
        assert_close(&interval[0], -32.345_809_375_628_28, "lower");
        assert_close(&interval[1], 65.070_855_815_775_33, "upper");
        let robust = &told["cluster_robust"];
        assert_close(&robust["standard_error_percentage_points"], 27.034_421_962_714_36, "standard error");
        assert_close(&robust["degrees_of_freedom"], 5.265_204_301, "degrees of freedom");
        assert_close(&robust["interval_95_percentage_points"][0], -45.727_171_730_063_83, "robust lower");
        assert_close(&robust["interval_95_percentage_points"][1], 91.181_717_184_609_28, "robust upper");
        for (arm, users, sessions, escalated) in [("treatment", 5, 11, 5.0 / 11.0), ("holdout", 4, 8, 0.5)] {
            let metrics = &told[arm];
            assert_eq!(metrics["arm"], arm);
            assert_eq!((&metrics["assigned_user_count"], &metrics["evaluated_user_count"]), (&json!(users), &json!(users)));
            assert_eq!(metrics["published_session_count"], sessions);
            assert_eq!(metrics["evaluated_session_count"], sessions);
            assert_eq!(metrics["output_token_session_count"], sessions);
            // "an answer" is two tokens.
            assert_close(&metrics["average_output_tokens"], 2.0, "tokens");
            assert_close(&metrics["average_corrections"], 2.0, "corrections");
            assert_close(&metrics["escalation_rate"], escalated, "escalation");
            assert_eq!(metrics["average_turns_to_resolution"], Value::Null);
        }
        assert_close(&told["evaluated_session_coverage"], 1.0, "coverage");
        assert_eq!(told["unattributed_evaluated_session_count"], 0);
        assert_eq!(told["health"][0]["code"], "few_holdout_users");
        assert_eq!(told["experiment"]["started_at"], NOW);
    }

    fn evaluated_sessions_without_a_tag_are_counted_apart(app) {
        let caller = app.production("org-1");
        start(&caller);
        play(app, Arm::Treatment, &[&[true]]);
        let apart = json!([judged("someone", "s", NOW), judged("someone", "earlier", NOW - 1), judged("else", "s", NOW)]);
        let imported = app.dashboard("org-1").post("/api/import_evaluation_results", &json!({ "results": apart }));
        assert_eq!(imported.told(), "200");

        let told = caller.get("/api/retrieval_experiments/exp-1/results").json();

        assert_eq!(told["unattributed_evaluated_session_count"], 2);
        assert_close(&told["evaluated_session_coverage"], 1.0 / 3.0, "coverage");
        assert_eq!(told["confidence_interval_95_percentage_points"], Value::Null);
    }

    fn results_of_an_unknown_experiment_are_not_found(app) {
        start(&app.production("org-1"));

        let refused = app.production("org-2").get("/api/retrieval_experiments/exp-1/results");

        assert_eq!(refused.told(), "404 experiment_not_found");
    }
}

// A second server.

/// Searches until the second server answers as `is_seen` says; a search sent a second after the change must.
fn wait_for(caller: &Client, changed: Instant, is_seen: impl Fn(&Value) -> bool) {
    loop {
        let sent = changed.elapsed();
        let found = search(caller, "/api/search", HELD_OUT, "tea").json();
        if is_seen(&found) {
            return;
        }
        assert!(sent <= Duration::from_secs(1), "still unseen {sent:?} after the change: {found}");
    }
}

fn assert_seen_within_a_second(database: &TestDatabase) {
    let token = TestOrganization::found(&database.database, Arc::new(SystemClock), "org-1").production();
    let servers = [ServerProcess::on(&database.url), ServerProcess::on(&database.url)];
    let [first, second] = servers.each_ref().map(|server| server.anonymous().bearing(&token));
    teach(&first);
    wait_for(&second, Instant::now(), |found| count(found, "profiles") == 1);

    start(&first);
    wait_for(&second, Instant::now(), |found| found["experiment"]["arm"] == "holdout");
    stop(&first);
    wait_for(&second, Instant::now(), |found| {
        found.get("experiment").is_none() && count(found, "profiles") == 1
    });
}

#[test]
fn a_start_and_a_stop_reach_a_second_server_within_a_second_over_sqlite() {
    assert_seen_within_a_second(&TestDatabase::sqlite());
}

#[test]
fn a_start_and_a_stop_reach_a_second_server_within_a_second_over_postgres() {
    if let Some(database) = TestDatabase::postgres() {
        assert_seen_within_a_second(&database);
    }
}
