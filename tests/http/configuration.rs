//! An organization's configuration: `/api/get_config`, `/api/set_config`, `/api/update_config`.

use serde_json::{Value, json};
use support::{Client, on_both};

fn get(caller: &Client) -> Value {
    caller.get("/api/get_config").json()
}

fn defaults() -> Value {
    json!({
        "shadow_comparison_judge_prompt_version": "v1.1.0",
        "group_evaluation_delay_seconds": 600,
        "sampling_rate": 0.05,
        "retrieved_learning_sampling_rate": null,
        "evaluation_only_sampling_rate": null,
        "eval_sample_n_per_stratum": 200,
        "eval_concurrency_limit": 10,
        "shadow_mode_enabled": false,
        "success_definition": null,
        "agent_context": null,
        "tools": null,
        "judge": { "provider": null, "base_url": null, "model": null },
    })
}

on_both! {
    fn a_new_organization_has_the_defaults(app) {
        assert_eq!(get(&app.production("acme")), defaults());
    }

    fn an_update_changes_what_it_names_and_keeps_the_rest(app) {
        let caller = app.production("acme");
        let judge = json!({ "provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m" });
        let mut expected = defaults();
        expected["sampling_rate"] = json!(0.5);
        expected["judge"] = judge.clone();

        let first = caller.post("/api/update_config", &json!({ "sampling_rate": 0.5, "agent_context": null }));
        let second = caller.post("/api/update_config", &json!({ "judge": judge }));

        assert_eq!((first.told(), second.told()), ("200".to_owned(), "200".to_owned()));
        assert_eq!(second.json(), expected);
        assert_eq!(get(&caller), expected);
    }

    fn setting_the_whole_lets_what_is_left_out_fall_back(app) {
        let caller = app.production("acme");
        let _ = caller.post("/api/update_config", &json!({ "sampling_rate": 0.5, "tools": ["search"] }));

        let set = caller.post("/api/set_config", &json!({ "eval_concurrency_limit": 3 }));

        let mut expected = defaults();
        expected["eval_concurrency_limit"] = json!(3);
        assert_eq!(set.json(), expected);
        assert_eq!(get(&caller), expected);
    }

    fn what_was_read_can_be_written_back(app) {
        let caller = app.production("acme");

        assert_eq!(caller.post("/api/set_config", &get(&caller)).json(), defaults());
    }

    fn what_cannot_be_taken_is_refused_by_name_and_changes_nothing(app) {
        let caller = app.production("acme");
        let wrong = [
            ("mystery", json!(1)),
            ("sampling_rate", json!(1.01)),
            ("sampling_rate", json!("0.5")),
            ("evaluation_only_sampling_rate", json!(-0.1)),
            ("eval_concurrency_limit", json!(0)),
            ("eval_sample_n_per_stratum", json!(2.5)),
            ("group_evaluation_delay_seconds", json!(-1)),
            ("shadow_mode_enabled", json!(1)),
            ("shadow_comparison_judge_prompt_version", json!("v9.9.9")),
            ("judge", json!({ "api_key": "k" })),
            ("success_definition", json!("a\u{0}b")),
        ];

        for (key, value) in wrong {
            for path in ["/api/set_config", "/api/update_config"] {
                let refused = caller.post(path, &json!({ key: value, "shadow_mode_enabled": true, key: value }));
                assert_eq!(refused.told(), "422 invalid_request", "{path} {key} {value}");
                assert_eq!(refused.json()["errors"][0]["loc"], json!(["body", key]), "{path} {key}");
            }
        }
        assert_eq!(get(&caller), defaults());
    }

    fn a_refusal_does_not_repeat_what_was_sent(app) {
        let caller = app.production("acme");

        for key in ["sampling_rate", "judge", "shadow_mode_enabled", "success_definition"] {
            let sent = if key == "success_definition" { json!(["sk-secret"]) } else { json!("sk-secret") };
            let refused = caller.post("/api/update_config", &json!({ key: sent }));
            assert_eq!(refused.told(), "422 invalid_request", "{key}");
            assert!(!refused.text().contains("sk-secret"), "{}", refused.text());
            assert!(refused.json()["errors"][0]["msg"].as_str().unwrap().starts_with("must be"), "{}", refused.text());
        }
        let refused = caller.post("/api/update_config", &json!({ "judge": { "provider": "sk-secret" } }));
        assert!(!refused.text().contains("sk-secret"), "{}", refused.text());
    }

    fn a_body_that_is_no_object_is_refused(app) {
        assert_eq!(app.production("acme").post("/api/update_config", &json!([1])).told(), "422 invalid_request");
    }

    fn one_organization_never_sees_anothers_configuration(app) {
        let (acme, umbrella) = (app.production("acme"), app.production("umbrella"));

        let _ = acme.post("/api/update_config", &json!({ "success_definition": "acme's secret" }));

        assert_eq!(get(&umbrella), defaults());
    }
}
