//! Retrieval experiments: `/api/retrieval_experiments` and `/api/retrieval_experiments/stop`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Answer, Client, on_both};

const PATH: &str = "/api/retrieval_experiments";

fn start(caller: &Client, id: &str) -> Answer {
    caller.post(PATH, &json!({ "experiment_id": id, "holdout_percentage": 12.5 }))
}

fn stop(caller: &Client, id: &str) -> Answer {
    caller.post("/api/retrieval_experiments/stop", &json!({ "experiment_id": id }))
}

fn ids(list: &Value) -> Vec<&str> {
    list["experiments"].as_array().unwrap().iter().map(|one| one["experiment_id"].as_str().unwrap()).collect()
}

on_both! {
    fn a_new_organization_has_no_experiments(app) {
        let listed = app.production("acme").get(PATH);

        assert_eq!(listed.told(), "200");
        assert_eq!(listed.json(), json!({ "active_experiment": null, "experiments": [] }));
    }

    fn starting_answers_the_list_with_the_new_experiment_active(app) {
        let started = start(&app.production("acme"), "exp-1");

        let record = json!({
            "experiment_id": "exp-1", "holdout_percentage": 12.5, "started_at": NOW, "ended_at": null,
        });
        assert_eq!(started.told(), "200");
        assert_eq!(started.json(), json!({ "active_experiment": record, "experiments": [record] }));
    }

    fn every_kind_of_credential_may_run_experiments(app) {
        for caller in [app.production("acme"), app.dashboard("acme"), app.governance("acme")] {
            let _ = start(&caller, "exp");
            assert_eq!(caller.get(PATH).json()["active_experiment"]["experiment_id"], "exp");
        }
    }

    fn stopping_ends_the_experiment_and_keeps_it(app) {
        let caller = app.production("acme");
        let _ = start(&caller, "exp-1");
        app.clock.advance(90);

        let stopped = stop(&caller, "exp-1");

        assert_eq!(stopped.told(), "200");
        assert_eq!(stopped.json()["active_experiment"], Value::Null);
        assert_eq!(stopped.json()["experiments"][0]["ended_at"], NOW + 90);
        assert_eq!(caller.get(PATH).json(), stopped.json());
    }

    fn an_experiment_never_ends_before_it_started(app) {
        let caller = app.production("acme");
        let _ = start(&caller, "exp-1");
        app.clock.advance(-1_000);

        assert_eq!(stop(&caller, "exp-1").json()["experiments"][0]["ended_at"], NOW);
    }

    fn experiments_are_listed_latest_start_first_and_then_latest_insertion(app) {
        let caller = app.production("acme");
        for (id, seconds) in [("a", 10), ("b", 0), ("c", -30)] {
            app.clock.advance(seconds);
            assert_eq!(start(&caller, id).told(), "200");
            assert_eq!(stop(&caller, id).told(), "200");
        }

        assert_eq!(ids(&caller.get(PATH).json()), ["b", "a", "c"]);
    }

    fn a_second_start_is_refused_while_one_is_active(app) {
        let caller = app.production("acme");
        let _ = start(&caller, "exp-1");

        assert_eq!(start(&caller, "exp-2").told(), "409 experiment_already_active");
        assert_eq!(start(&caller, "exp-1").told(), "409 experiment_already_active");
        assert_eq!(ids(&caller.get(PATH).json()), ["exp-1"]);
    }

    fn an_id_is_never_used_twice(app) {
        let caller = app.production("acme");
        let _ = start(&caller, "exp-1");
        let _ = stop(&caller, "exp-1");

        assert_eq!(start(&caller, "exp-1").told(), "409 experiment_id_reused");
        assert_eq!(start(&caller, "  exp-1 ").told(), "409 experiment_id_reused");
    }

    fn stopping_what_is_unknown_or_ended_is_refused(app) {
        let caller = app.production("acme");
        let _ = start(&caller, "exp-1");
        let _ = stop(&caller, "exp-1");

        assert_eq!(stop(&caller, "never").told(), "404 experiment_not_found");
        assert_eq!(stop(&caller, "exp-1").told(), "409 experiment_not_active");
    }

    fn a_holdout_must_be_a_number_between_0_and_100(app) {
        let caller = app.production("acme");

        for holdout in [json!(0), json!(100), json!(-1), json!("20"), json!(true), json!(null), json!([20])] {
            let refused = caller.post(PATH, &json!({ "experiment_id": "e", "holdout_percentage": holdout }));

            assert_eq!(refused.told(), "422 invalid_request", "{holdout}");
            assert_eq!(refused.json()["errors"][0]["loc"], json!(["body", "holdout_percentage"]), "{holdout}");
        }
        assert_eq!(ids(&caller.get(PATH).json()), Vec::<&str>::new());
    }

    fn a_literal_nan_is_not_json(app) {
        let body = r#"{"experiment_id": "e", "holdout_percentage": NaN}"#;

        let refused = app.production("acme").post_raw(PATH, "application/json", body);

        assert_eq!(refused.told(), "400 malformed_body");
    }

    fn holdouts_next_to_the_limits_are_taken_as_they_are(app) {
        let caller = app.production("acme");

        for (id, holdout) in [("least", 1e-9), ("most", 99.999_999)] {
            let started = caller.post(PATH, &json!({ "experiment_id": id, "holdout_percentage": holdout }));

            assert_eq!(started.json()["active_experiment"]["holdout_percentage"], holdout);
            let _ = stop(&caller, id);
        }
    }

    fn an_id_is_trimmed_and_must_be_plain_and_short(app) {
        let caller = app.production("acme");

        for id in ["", "   ", "a\u{0}b", "a\nb", &"x".repeat(129)] {
            assert_eq!(start(&caller, id).told(), "422 invalid_request", "{id:?}");
            assert_eq!(stop(&caller, id).told(), "422 invalid_request", "{id:?}");
        }
        let longest = "ü".repeat(128);
        assert_eq!(ids(&start(&caller, &format!(" {longest} ")).json()), [longest.as_str()]);
        assert_eq!(stop(&caller, &format!("{longest}\t")).told(), "200");
    }

    fn every_missing_field_is_named_and_unknown_ones_are_ignored(app) {
        let caller = app.production("acme");

        let refused = caller.post(PATH, &json!({ "experiment_id": "", "holdout_percentage": 0 }));
        assert_eq!(refused.json()["errors"].as_array().unwrap().len(), 2);
        assert_eq!(caller.post(PATH, &json!({})).told(), "422 invalid_request");
        let body = json!({ "experiment_id": "e", "holdout_percentage": 5, "mystery": [1] });
        assert_eq!(caller.post(PATH, &body).told(), "200");
    }

    fn one_organization_never_sees_anothers_experiments(app) {
        let (acme, umbrella) = (app.production("acme"), app.production("umbrella"));
        let _ = start(&acme, "exp-1");

        assert_eq!(umbrella.get(PATH).json()["experiments"], json!([]));
        assert_eq!(stop(&umbrella, "exp-1").told(), "404 experiment_not_found");
        assert_eq!(start(&umbrella, "exp-1").told(), "200");
        assert_eq!(acme.get(PATH).json()["experiments"].as_array().unwrap().len(), 1);
    }
}
