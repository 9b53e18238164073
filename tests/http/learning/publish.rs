//! `POST /api/publish_interaction`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, TestApp, on_both};

use crate::activity::{agent_turn, count, publish, request, with};

fn stored(app: &TestApp) -> i64 {
    app.database.number("SELECT (SELECT count(*) FROM requests) + (SELECT count(*) FROM interactions) AS n")
}

fn turns(turns: &Value) -> Value {
    with(request("u", "s", "r"), &json!({ "interaction_data_list": turns }))
}

fn sessions(caller: &Client, filter: &Value) -> Value {
    caller.post("/api/get_requests", filter).json()
}

on_both! {
    fn a_publish_answers_what_it_stored(app) {
        let published = publish(&app.production("acme"), &request("u", "s", "r"));

        assert_eq!(published.told(), "200");
        let answer = published.json();
        assert_eq!(answer["success"], true);
        assert_eq!(answer["request_id"], "r");
        assert_eq!(answer["warnings"], json!([]));
        assert_eq!(count(&answer, "interaction_ids"), 2);
    }

    fn a_repeat_gets_the_first_answer_and_stores_nothing(app) {
        let caller = app.production("acme");
        let first = publish(&caller, &request("u", "s", "r"));
        let before = stored(app);
        app.clock.advance(60);

        let repeat = publish(&caller, &request("u", "s", "r"));

        assert_eq!(repeat.told(), "200");
        assert_eq!(repeat.json(), first.json());
        assert_eq!(stored(app), before);
    }

    fn a_request_id_with_another_body_is_refused(app) {
        let caller = app.production("acme");
        let _ = publish(&caller, &request("u", "s", "r"));
        let before = stored(app);

        for other in [request("other", "s", "r"), request("u", "other", "r"), turns(&json!([agent_turn("else")]))] {
            assert_eq!(publish(&caller, &other).told(), "409 request_id_reused");
        }
        assert_eq!(stored(app), before);
    }

    fn a_turn_that_carries_nothing_is_dropped_and_named(app) {
        let caller = app.production("acme");

        let published = publish(&caller, &turns(&json!([{ "content": "a" }, { "content": "  " }, agent_turn("b")])));

        let answer = published.json();
        assert_eq!(published.told(), "200", "{answer}");
        assert_eq!(count(&answer, "interaction_ids"), 2);
        assert_eq!(count(&answer, "warnings"), 1);
        assert!(answer["warnings"][0].as_str().unwrap().contains('1'), "{answer}");
    }

    fn a_nul_is_refused_wherever_it_hides(app) {
        let caller = app.production("acme");

        for data in [json!("a\u{0}b"), json!({ "deep": [{ "a\u{0}": 1 }] })] {
            let tool = json!([{ "content": "x", "tools_used": [{ "tool_name": "t", "tool_data": data }] }]);
            assert_eq!(publish(&caller, &turns(&tool)).told(), "422 invalid_request", "{data}");
        }
        assert_eq!(stored(app), 0);
        let harmless = json!([{ "content": "x", "tools_used": [{ "tool_name": "t", "tool_data": "\\u0000" }] }]);
        assert_eq!(publish(&caller, &turns(&harmless)).told(), "200");
    }

    fn a_request_holds_a_thousand_citations_and_not_one_more(app) {
        let caller = app.production("acme");
        let citations = |size: usize| -> Value {
            (0..size).map(|id| json!({ "kind": "profile", "real_id": id.to_string() })).collect()
        };
        let batch = |size| turns(&json!([{ "content": "x", "citations": citations(size) }]));

        assert_eq!(publish(&caller, &batch(1_001)).told(), "422 invalid_request");
        assert_eq!(stored(app), 0);
        assert_eq!(publish(&caller, &batch(1_000)).told(), "200");
    }

    fn a_batch_of_nothing_is_refused(app) {
        let caller = app.production("acme");

        for nothing in [json!([]), json!([{}]), json!([{ "content": "" }, { "role": "Agent" }])] {
            assert_eq!(publish(&caller, &turns(&nothing)).told(), "422 invalid_request", "{nothing}");
        }
        assert_eq!(stored(app), 0);
    }

    fn a_request_holds_a_thousand_turns_and_not_one_more(app) {
        let caller = app.production("acme");
        let batch = |size: usize| turns(&Value::Array(vec![json!({ "content": "x" }); size]));

        assert_eq!(publish(&caller, &batch(1_001)).told(), "422 invalid_request");
        assert_eq!(stored(app), 0);
        assert_eq!(publish(&caller, &batch(1_000)).told(), "200");
        assert_eq!(stored(app), 1_001);
    }

    fn a_request_declares_a_thousand_retrieved_learnings_and_not_one_more(app) {
        let caller = app.production("acme");
        let learnings = |size: usize| -> Value {
            (0..size).map(|id| json!({ "kind": "profile", "learning_id": id.to_string() })).collect()
        };
        let batch = |size| turns(&json!([{ "content": "x", "retrieved_learnings": learnings(size) }]));

        assert_eq!(publish(&caller, &batch(1_001)).told(), "422 invalid_request");
        assert_eq!(stored(app), 0);
        assert_eq!(publish(&caller, &batch(1_000)).told(), "200");
    }

    fn a_text_is_a_million_characters_and_not_one_more(app) {
        let caller = app.production("acme");
        let long = |size: usize| turns(&json!([{ "content": "é".repeat(size) }]));

        assert_eq!(publish(&caller, &long(1_000_001)).told(), "422 invalid_request");
        assert_eq!(publish(&caller, &long(1_000_000)).told(), "200");
    }

    fn a_body_of_more_than_ten_mebibytes_is_too_large(app) {
        let body = turns(&json!([{ "content": "" }])).to_string();
        let padded = |size: usize| body.replacen("\"\"", &format!("\"{}\"", "x".repeat(size - body.len())), 1);
        let caller = app.production("acme");
        let largest = 10 * 1024 * 1024;

        let refused = caller.post_raw("/api/publish_interaction", "application/json", padded(largest + 1));
        assert_eq!(refused.told(), "413 body_too_large");
        let read = caller.post_raw("/api/publish_interaction", "application/json", padded(largest));
        assert_eq!(read.told(), "422 invalid_request");
        assert_eq!(stored(app), 0);
    }

    fn what_cannot_be_true_is_refused_and_nothing_is_stored(app) {
        let caller = app.production("acme");
        let good = request("u", "s", "r");
        let at = |time: i64| json!({ "interaction_data_list": [{ "content": "x", "created_at": time }] });
        for wrong in [
            json!({ "user_id": " " }),
            json!({ "user_id": null }),
            json!({ "user_id": 7 }),
            json!({ "user_id": "a\u{0}b" }),
            json!({ "user_id": "a\u{7}b" }),
            json!({ "session_id": "a\u{1b}b" }),
            json!({ "request_id": "a\nb" }),
            json!({ "source": "a\tb" }),
            json!({ "agent_version": "a\u{85}b" }),
            json!({ "user_id": "u".repeat(256) }),
            json!({ "session_id": "s".repeat(256) }),
            json!({ "retrieval_experiment_id": "exp" }),
            json!({ "retrieval_experiment_arm": "holdout" }),
            json!({ "retrieval_experiment_id": "exp", "retrieval_experiment_arm": "neither" }),
            json!({ "interaction_data_list": [{ "content": "nul \u{0}" }] }),
            json!({ "interaction_data_list": "text" }),
            json!({ "interaction_data_list": [{ "content": "x", "citations": [{ "kind": 7, "real_id": "1" }] }] }),
            json!({ "retrieval_experiment_id": "exp", "retrieval_experiment_arm": true }),
            json!({ "interaction_data_list": [{ "content": "x", "citations": [{ "kind": "rumour", "real_id": "1" }] }] }),
            at(-1),
            at(NOW + 86_401),
            at(i64::MAX),
        ] {
            assert_eq!(publish(&caller, &with(good.clone(), &wrong)).told(), "422 invalid_request", "{wrong}");
        }
        assert_eq!(stored(app), 0);
    }

    fn what_is_at_the_limit_is_kept(app) {
        let caller = app.production("acme");
        for (n, fields) in [
            json!({ "user_id": "ü".repeat(255) }),
            json!({ "interaction_data_list": [{ "content": "x", "created_at": NOW + 86_400 }] }),
            json!({ "interaction_data_list": [{ "content": "x", "created_at": 0 }] }),
            json!({ "interaction_data_list": [{ "content": "bell \u{7}, tab \t" }] }),
            json!({ "session_id": "  ", "source": null, "agent_version": null }),
            json!({ "made_up": { "field": 1 } }),
        ].iter().enumerate() {
            let body = with(request("u", "s", &format!("r-{n}")), fields);
            assert_eq!(publish(&caller, &body).told(), "200", "{fields}");
        }
    }

    fn names_are_trimmed(app) {
        let caller = app.production("acme");
        let _ = publish(&caller, &request("  u ", " s\t", " r "));

        let found = sessions(&caller, &json!({ "user_id": "u", "session_id": "s", "request_id": "r" }));

        assert_eq!(count(&found, "sessions"), 1, "{found}");
        assert_eq!(found["sessions"][0]["requests"][0]["request"]["user_id"], "u");
    }

    fn a_request_without_a_session_is_one_of_its_own(app) {
        let caller = app.production("acme");
        let _ = publish(&caller, &with(request("u", "s", "r"), &json!({ "session_id": null })));

        assert_eq!(sessions(&caller, &json!({}))["sessions"][0]["session_id"], "r");
    }

    fn a_request_without_an_id_gets_one(app) {
        let caller = app.production("acme");
        let body = with(request("u", "s", "r"), &json!({ "request_id": null }));

        let (first, second) = (publish(&caller, &body).json(), publish(&caller, &body).json());

        assert_ne!(first["request_id"], second["request_id"]);
        assert_eq!(sessions(&caller, &json!({}))["sessions"][0]["requests"].as_array().unwrap().len(), 2);
    }

    fn a_request_happens_when_its_earliest_turn_does(app) {
        let caller = app.production("acme");
        let turns = json!([{ "content": "b", "created_at": 200 }, { "content": "a", "created_at": 100 }]);
        let _ = publish(&caller, &with(request("u", "s", "r"), &json!({ "interaction_data_list": turns })));

        assert_eq!(sessions(&caller, &json!({}))["sessions"][0]["requests"][0]["request"]["created_at"], 100);
    }

    fn two_users_may_share_a_session_id(app) {
        let caller = app.production("acme");
        let _ = publish(&caller, &request("anna", "s", "r-1"));
        let _ = publish(&caller, &request("ben", "s", "r-2"));

        let of = |user: &str| sessions(&caller, &json!({ "user_id": user, "session_id": "s" }));
        assert_eq!(of("anna")["sessions"][0]["requests"].as_array().unwrap().len(), 1);
        assert_eq!(of("ben")["sessions"][0]["requests"][0]["request"]["request_id"], "r-2");
        assert_eq!(count(&sessions(&caller, &json!({})), "sessions"), 2);
        let ambiguous = caller.send("DELETE", "/api/delete_session", Some(&json!({ "session_id": "s" })));
        assert_eq!(ambiguous.told(), "409 ambiguous_session");
    }

    fn two_organizations_may_share_everything(app) {
        let (acme, other) = (app.production("acme"), app.production("other"));
        let body = request("u", "s", "r");

        assert_eq!(publish(&acme, &body).told(), "200");
        assert_eq!(publish(&other, &with(body, &json!({ "source": "elsewhere" }))).told(), "200");

        let source = |caller: &Client| {
            sessions(caller, &json!({}))["sessions"][0]["requests"][0]["request"]["source"].clone()
        };
        assert_eq!(source(&acme), "web");
        assert_eq!(source(&other), "elsewhere");
        let deleted = acme.send("DELETE", "/api/delete_session", Some(&json!({ "session_id": "s" })));
        assert_eq!(deleted.json()["deleted_requests_count"], 1);
        assert_eq!(count(&sessions(&other, &json!({})), "sessions"), 1);
        assert_eq!(count(&sessions(&acme, &json!({})), "sessions"), 0);
    }

    fn requests_and_turns_are_read_page_by_page_newest_first(app) {
        let caller = app.production("acme");
        for n in 0..5 {
            let turns = json!([{ "content": n.to_string(), "created_at": 100 + n }]);
            let body = with(request("u", &format!("s-{n}"), &format!("r-{n}")), &json!({ "interaction_data_list": turns }));
            assert_eq!(publish(&caller, &body).told(), "200");
        }

        let first = caller.post("/api/get_interactions", &json!({ "top_k": 3 })).json();
        let rest = caller.post("/api/get_interactions", &json!({ "top_k": 3, "cursor": first["next_cursor"] })).json();

        let said = |page: &Value| -> Vec<String> {
            page["interactions"].as_array().unwrap().iter().map(|turn| turn["content"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!((said(&first), &first["has_more"]), (vec!["4".into(), "3".into(), "2".into()], &json!(true)));
        assert_eq!((said(&rest), &rest["has_more"]), (vec!["1".into(), "0".into()], &json!(false)));
        let by_offset = caller.post("/api/get_requests", &json!({ "limit": 2, "offset": 4 })).json();
        assert_eq!(by_offset["sessions"][0]["session_id"], "s-0");
        let between = caller.post("/api/get_interactions", &json!({ "start_time": 101, "end_time": 102 })).json();
        assert_eq!(said(&between), ["2", "1"]);
    }

    fn a_page_out_of_range_is_refused(app) {
        let caller = app.production("acme");
        for wrong in [
            json!({ "limit": 0 }), json!({ "limit": 1_001 }), json!({ "top_k": -1 }), json!({ "offset": -1 }),
            json!({ "cursor": "nonsense" }), json!({ "start_time": 2, "end_time": 1 }), json!({ "start_time": "soon" }),
            json!({ "limit": "ten" }),
        ] {
            for path in ["/api/get_requests", "/api/get_interactions", "/api/get_profiles", "/api/get_user_playbooks", "/api/get_agent_playbooks"] {
                assert_eq!(caller.post(path, &wrong).told(), "422 invalid_request", "{path} {wrong}");
            }
        }
    }
}
