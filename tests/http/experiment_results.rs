//! What experiments have measured and could find: `/api/retrieval_experiments/{experiment_id}/results` and `…/plan`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Answer, Client, TestApp, on_both};

const PLAN: &str = "/api/retrieval_experiments/plan";

/// Example A of the contract, as user:outcomes.
const TREATMENT: [(&str, &[u8]); 5] =
    [("a", &[1, 1, 0]), ("b", &[1]), ("c", &[0, 1]), ("d", &[1, 1, 1, 1]), ("e", &[0])];
const HOLDOUT: [(&str, &[u8]); 4] = [("x", &[0, 0]), ("y", &[1, 0, 1]), ("z", &[0]), ("w", &[1, 1])];

fn start(caller: &Client, id: &str) {
    let body = json!({ "experiment_id": id, "holdout_percentage": 50 });
    assert_eq!(caller.post("/api/retrieval_experiments", &body).told(), "200");
}

fn results(caller: &Client, id: &str) -> Answer {
    caller.get(&format!("/api/retrieval_experiments/{id}/results"))
}

/// A judged session of acme; tagged with an arm of `exp`, or not at all.
fn session(app: &TestApp, user: &str, session: &str, is_success: bool, arm: Option<&str>) {
    if let Some(arm) = arm {
        app.database.execute(&format!(
            "INSERT INTO experiment_sessions (org_id, user_id, session_id, experiment_id, arm, first_tagged_at, \
             first_tagged_id, last_tagged_at, output_tokens, uncounted_turns, is_contaminated) \
             VALUES ('acme', '{user}', '{session}', 'exp', '{arm}', {NOW}, 'r', {NOW}, 100, 0, false)"
        ));
    }
    let turns = if is_success { "2" } else { "NULL" };
    app.database.execute(&format!(
        "INSERT INTO session_outcomes (org_id, user_id, session_id, result_id, created_at, source, is_success, \
         corrections, turns, is_escalated, is_system_error, is_agent_success, judged_at) \
         VALUES ('acme', '{user}', '{session}', 1, {NOW}, '', {is_success}, 1, {turns}, false, false, true, 1)"
    ));
}

fn furnish(app: &TestApp) {
    for (arm, users) in [("treatment", TREATMENT.as_slice()), ("holdout", HOLDOUT.as_slice())] {
        for (user, outcomes) in users {
            for (number, outcome) in outcomes.iter().enumerate() {
                session(app, user, &format!("s{number}"), *outcome == 1, Some(arm));
            }
        }
    }
}

fn near(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-9
}

on_both! {
    fn the_worked_example_comes_out_as_it_was_worked(app) {
        let caller = app.production("acme");
        start(&caller, "exp");
        furnish(app);

        let answer = results(&caller, "exp");

        assert_eq!(answer.told(), "200");
        let told = answer.json();
        assert!(near(&told["success_rate_lift_percentage_points"], 22.727_272_727_272_727), "{told}");
        assert!(near(&told["relative_success_lift"], 0.454_545_454_545_454_6), "{told}");
        let interval = &told["confidence_interval_95_percentage_points"];
        assert!(near(&interval[0], -32.345_809_375_628_28) && near(&interval[1], 65.070_855_815_775_33), "{told}");
        let robust = &told["cluster_robust"];
        assert!(near(&robust["standard_error_percentage_points"], 27.034_421_962_714_36), "{told}");
        assert!(near(&robust["interval_95_percentage_points"][0], -45.727_171_730_063_83), "{told}");
        assert_eq!(told["interval_method"], "mover_wilson_clustered");
        assert_eq!(told["experiment"]["started_at"], NOW);
    }

    fn an_arm_is_told_with_every_field_of_the_interface(app) {
        let caller = app.production("acme");
        start(&caller, "exp");
        furnish(app);

        let told = results(&caller, "exp").json();

        assert_eq!(
            told["holdout"],
            json!({
                "arm": "holdout", "assigned_user_count": 4, "published_session_count": 8,
                "evaluated_user_count": 4, "evaluated_session_count": 8, "success_rate": 0.5,
                "average_corrections": 1.0, "average_turns_to_resolution": 2.0, "escalation_rate": 0.0,
                "average_output_tokens": 100.0, "output_token_session_count": 8,
            })
        );
    }

    fn sessions_without_the_tag_lower_the_coverage(app) {
        let caller = app.production("acme");
        start(&caller, "exp");
        furnish(app);
        session(app, "a", "untagged", true, None);

        let told = results(&caller, "exp").json();

        assert!(near(&told["evaluated_session_coverage"], 0.95), "{told}");
        assert_eq!(told["unattributed_evaluated_session_count"], 1);
    }

    fn a_new_experiment_has_nothing_measured_and_says_so(app) {
        let caller = app.production("acme");
        start(&caller, "exp");

        let told = results(&caller, "exp").json();

        for field in ["success_rate_lift_percentage_points", "confidence_interval_95_percentage_points",
            "cluster_robust", "evaluated_session_coverage"] {
            assert_eq!(told.get(field), Some(&Value::Null), "{field}");
        }
        assert_eq!(told["treatment"]["success_rate"], Value::Null);
        assert_eq!(told["verdict"], "not_enough_evidence");
        assert!(told["decision"].as_str().unwrap().starts_with("Not enough evidence"), "{told}");
    }

    fn what_is_unknown_foreign_or_no_name_at_all_is_not_found_alike(app) {
        let caller = app.production("acme");
        start(&app.production("umbrella"), "theirs");

        for id in ["nothing", "theirs", "%01", &"e".repeat(129)] {
            assert_eq!(results(&caller, id).told(), "404 experiment_not_found", "{id}");
        }
    }

    fn an_id_with_a_slash_can_be_asked_for(app) {
        let caller = app.production("acme");
        start(&caller, "a/b c");

        assert_eq!(results(&caller, "a%2Fb%20c").json()["experiment"]["experiment_id"], "a/b c");
    }

    fn a_plan_without_history_says_what_it_assumed(app) {
        let told = app.production("acme").post(PLAN, &json!({ "holdout_percentage": 10 })).json();

        assert_eq!(told["baseline_success_rate"], json!({ "value": 0.7, "origin": "assumed" }));
        assert_eq!(told["detectable_lift_percentage_points"], Value::Null);
        let codes: Vec<_> = told["warnings"].as_array().unwrap().iter().map(|one| one["code"].clone()).collect();
        assert!(codes.contains(&json!("cannot_find_anything")), "{told}");
        assert!(codes.contains(&json!("figures_assumed")), "{told}");
    }

    fn a_plan_rests_on_the_organizations_own_history(app) {
        let caller = app.production("acme");
        furnish(app);
        app.clock.advance(60);

        let told = caller.post(PLAN, &json!({ "holdout_percentage": 50, "expected_users": 2_000 })).json();

        assert_eq!(told["expected_users"], json!({ "value": 2_000.0, "origin": "given" }));
        assert_eq!(told["baseline_success_rate"]["origin"], "history");
        assert!(near(&told["baseline_success_rate"]["value"], 12.0 / 19.0), "{told}");
        assert!(told["detectable_lift_percentage_points"].as_f64().unwrap() > 0.0, "{told}");
        assert!(told["users_needed"].as_u64().unwrap() > 0, "{told}");
    }

    fn a_plan_with_figures_that_cannot_be_is_refused_field_by_field(app) {
        let body = json!({ "holdout_percentage": 0, "baseline_success_rate": 2, "expected_users": null });

        let refused = app.production("acme").post(PLAN, &body);

        assert_eq!(refused.told(), "422 invalid_request");
        let errors = refused.json()["errors"].clone();
        let places: Vec<_> = errors.as_array().unwrap().iter().map(|error| error["loc"][1].clone()).collect();
        assert_eq!(places, [json!("holdout_percentage"), json!("baseline_success_rate")]);
    }

    fn results_and_plans_need_a_credential(app) {
        assert_eq!(results(&app.anonymous(), "exp").told(), "401 not_authenticated");
        let planned = app.anonymous().post(PLAN, &json!({ "holdout_percentage": 10 }));
        assert_eq!(planned.told(), "401 not_authenticated");
    }
}
