//! `POST /api/get_evaluation_overview`, with numbers worked out by hand.

use serde_json::{Value, json};
use support::{Client, TestApp, on_both};

use super::import;
use crate::activity::{judged, publish, with};

const PATH: &str = "/api/get_evaluation_overview";
const DAY: i64 = 86_400;
/// Monday 2 June 2025, 00:00 UTC.
const MONDAY: i64 = 1_748_822_400;

/// Two sessions in the first week and three in the second, one of them unknown but for its result.
fn two_weeks(app: &TestApp) -> Client {
    let (agent, person) = (app.production("acme"), app.dashboard("acme"));
    for (user, session, day, source, cited) in [
        ("anna", "s-1", 1, "web", json!([{ "kind": "user_playbook", "real_id": "7", "title": "Greet" }])),
        ("ben", "s-1", 1, "web", json!([{ "kind": "profile", "real_id": "p", "title": "Old tea" }])),
        ("anna", "s-2", 8, "chat", json!([{ "kind": "profile", "real_id": "p", "title": "Tea" }])),
        ("ben", "s-2", 8, "web", json!([])),
    ] {
        let turn =
            json!({ "role": "Agent", "content": "x", "created_at": MONDAY + day * DAY, "citations": cited });
        let body = json!({
            "user_id": user, "session_id": session, "source": source, "agent_version": "v1",
            "interaction_data_list": [turn.clone(), turn],
        });
        assert_eq!(publish(&agent, &body).told(), "200");
    }
    let corrections = |n: i64| json!({ "number_of_correction_per_session": n });
    let failed = |kind: &str| json!({ "is_success": false, "failure_type": kind });
    let results = [
        with(judged("anna", "s-1", 0), &json!({ "user_turns_to_resolution": 2 })),
        with(
            with(with(judged("ben", "s-1", 0), &failed("wrong_answer")), &corrections(3)),
            &json!({ "is_escalated": true }),
        ),
        with(with(judged("anna", "s-2", 0), &corrections(1)), &json!({ "user_turns_to_resolution": 4 })),
        with(judged("ben", "s-2", 0), &json!({ "user_turns_to_resolution": 2 })),
        with(with(judged("carl", "s-3", MONDAY + 8 * DAY), &failed("system_error")), &corrections(7)),
    ];
    assert_eq!(import(&person, &results).told(), "200");
    let score = |run: &str, name: &str, day: i64, value: f64| json!({ "source_run_id": run, "scorer_name": name, "value": value, "ts": MONDAY + day * DAY });
    let scores = [
        score("1", "tone", 1, 0.2),
        score("2", "tone", 8, 0.6),
        score("3", "tone", 8, 1.0),
        score("3", "brevity", 8, 1.0),
    ];
    assert_eq!(agent.post("/api/partner_scores", &json!({ "scores": scores })).told(), "200");
    agent
}

fn overview(caller: &Client, fields: &Value) -> Value {
    let window = json!({ "from_ts": MONDAY, "to_ts": MONDAY + 14 * DAY - 1 });
    let answer = caller.post(PATH, &with(window, fields));
    assert_eq!(answer.told(), "200", "{}", answer.text());
    answer.json()
}

fn assert_close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((number - expected).abs() < 1e-9, "{number} is not {expected}");
}

on_both! {
    fn the_hero_is_the_whole_window(app) {
        let told = overview(&two_weeks(app), &json!({}));

        let hero = &told["hero"];
        assert_eq!(hero["state"], "shadow_off");
        assert_close(&hero["regular_success_rate_pp"], 60.0);
        assert_close(&hero["ci95"][0], 23.072_428_127_601_28);
        assert_close(&hero["ci95"][1], 88.237_922_576_735_2);
        assert_eq!((&hero["shadow_success_rate_pp"], &hero["delta_pp"]), (&Value::Null, &Value::Null));
        let weeks = hero["buckets"].as_array().unwrap();
        assert_eq!(weeks.len(), 2);
        for (week, ts, n, rate, corrections, escalation) in
            [(&weeks[0], MONDAY, 2, 0.5, 1.5, 0.5), (&weeks[1], MONDAY + 7 * DAY, 3, 2.0 / 3.0, 8.0 / 3.0, 0.0)]
        {
            assert_eq!((&week["ts"], &week["regular_n"], &week["shadow_n"]), (&json!(ts), &json!(n), &json!(0)));
            assert_close(&week["regular_rate"], rate);
            assert_close(&week["avg_corrections"], corrections);
            assert_close(&week["escalation_rate"], escalation);
            assert_eq!(week["shadow_rate"], Value::Null);
        }
        assert_close(&weeks[1]["ci95"][0], 0.207_659_600_802_047_7);
        for bucket in ["day", "hour"] {
            let told = overview(&app.production("acme"), &json!({ "bucket": bucket }));
            let starts: Vec<_> = told["hero"]["buckets"].as_array().unwrap().iter().map(|one| one["ts"].clone()).collect();
            assert_eq!(starts, [json!(MONDAY + DAY), json!(MONDAY + 8 * DAY)], "{bucket}");
        }
    }

    fn the_tiles_are_the_last_seven_days_against_the_seven_before(app) {
        let told = overview(&two_weeks(app), &json!({}));

        let tiles = &told["context_tiles"];
        assert_close(&tiles["success"]["current"], 200.0 / 3.0);
        assert_close(&tiles["success"]["delta_pp"], 50.0 / 3.0);
        assert_close(&tiles["corrections"]["current"], 8.0 / 3.0);
        assert_close(&tiles["corrections"]["delta"], 7.0 / 6.0);
        assert_close(&tiles["turns"]["current"], 3.0);
        assert_close(&tiles["turns"]["delta"], 1.0);
        assert_close(&tiles["escalation"]["current"], 0.0);
        assert_close(&tiles["escalation"]["delta_pp"], -50.0);
        let behavior = &tiles["behavior_success"];
        assert_close(&behavior["current"], 100.0);
        assert_close(&behavior["delta_pp"], 50.0);
        assert_eq!((&behavior["eligible_sessions"], &behavior["excluded_system_errors"]), (&json!(2), &json!(1)));
        assert_eq!((&tiles["current_sessions"], &tiles["baseline_sessions"]), (&json!(3), &json!(2)));
        for tile in ["success", "corrections", "escalation", "behavior_success"] {
            let ends: Vec<_> = tiles[tile]["delta_ci95"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
            let delta = tiles[tile].get("delta_pp").unwrap_or(&tiles[tile]["delta"]).as_f64().unwrap();
            assert!(ends[0] < delta && delta < ends[1], "{tile}: {ends:?} around {delta}");
        }
        assert_eq!(tiles["turns"]["delta_ci95"], Value::Null, "one resolved session before is no spread");
        let bins = &told["score_distribution"];
        assert_eq!(bins["labels"], json!(["0", "1", "2", "3", "4", "5+"]));
        assert_eq!(bins["current_bins"], json!([1, 1, 0, 0, 0, 1]));
        assert_eq!(bins["baseline_bins"], json!([1, 0, 0, 1, 0, 0]));
    }

    fn one_version_of_the_agent_can_be_looked_at_alone(app) {
        let caller = two_weeks(app);
        let all = overview(&caller, &json!({}));
        let versions = all["available_agent_versions"].as_array().unwrap();
        let sessions = |told: &Value| -> u64 {
            told["hero"]["buckets"].as_array().unwrap().iter().map(|one| one["regular_n"].as_u64().unwrap()).sum()
        };

        let apart: u64 = versions.iter().map(|version| sessions(&overview(&caller, &json!({ "agent_version": version })))).sum();

        assert_eq!((apart, versions.is_empty()), (sessions(&all), false));
        assert_eq!(sessions(&overview(&caller, &json!({ "agent_version": "never" }))), 0);
    }

    fn rules_partners_and_recent_results_are_told(app) {
        let told = overview(&two_weeks(app), &json!({}));

        let rule = |row: &Value| json!([row["rule_id"], row["kind"], row["title"], row["successes_with"], row["failures_with"], row["net_sessions"]]);
        let rules: Vec<_> = told["rule_attribution"].as_array().unwrap().iter().map(rule).collect();
        assert_eq!(rules, [json!(["7", "user_playbook", "Greet", 1, 0, 1]), json!(["p", "profile", "Tea", 1, 1, 0])]);
        let mut cited: Vec<_> = told["rule_attribution"][1]["cited_session_ids"].as_array().unwrap().clone();
        cited.sort_by_key(Value::to_string);
        assert_eq!(cited, ["s-1", "s-2"]);
        let partners = told["partner_tiles"].as_array().unwrap();
        assert_eq!(partners.iter().map(|tile| tile["scorer_name"].as_str().unwrap()).collect::<Vec<_>>(), ["brevity", "tone"]);
        assert_close(&partners[1]["current"], 0.8);
        assert_close(&partners[1]["delta"], 0.6);
        assert_eq!(partners[1]["n"], 2);
        assert_eq!(told["recent_results"].as_array().unwrap().len(), 5);
        assert_eq!(told["recent_results"][4]["created_at"], MONDAY + DAY);
        assert_eq!(told["shadow_win_rate_trend"]["window_total"]["n"], 0);
    }

    fn cohorts_are_compared_by_the_source_of_the_first_request(app) {
        let sets = json!([{ "label": "Web", "sources": ["web"] }, { "label": "None", "sources": ["", "fax"] }]);

        let told = overview(&two_weeks(app), &json!({ "source_sets": sets }));

        let compared = &told["source_set_comparison"];
        assert_eq!(compared["available_sources"], json!(["", "chat", "web"]));
        let sizes: Vec<_> = compared["source_sessions"].as_array().unwrap().iter().map(|one| one["sessions"].as_array().unwrap().len()).collect();
        assert_eq!(sizes, [1, 1, 3]);
        assert_eq!(compared["unmatched_session_count"], 1);
        let [web, none] = [&compared["sets"][0], &compared["sets"][1]];
        assert_eq!((&web["label"], &web["session_count"]), (&json!("Web"), &json!(3)));
        assert_close(&web["success_rate_pp"], 200.0 / 3.0);
        assert_eq!((&none["label"], &none["session_count"]), (&json!("None"), &json!(1)));
        assert_close(&none["success_rate_pp"], 0.0);
        assert_eq!(none["score_distribution"]["current_bins"], json!([0, 0, 0, 0, 0, 1]));
        assert_eq!(none["context_tiles"]["behavior_success"]["current"], Value::Null);
    }

    fn lists_that_grow_with_sessions_can_be_left_out(app) {
        let sets = json!([{ "label": "Web", "sources": ["web"] }]);

        let told = overview(&two_weeks(app), &json!({ "include_sessions": false, "source_sets": sets }));

        let compared = &told["source_set_comparison"];
        assert_eq!(compared["source_sessions"], json!([]));
        assert_eq!((&compared["sets"][0]["session_ids"], &compared["sets"][0]["session_count"]), (&json!([]), &json!(3)));
        assert_eq!(told["rule_attribution"][0]["cited_session_ids"], json!([]));
        assert_eq!(told["recent_results"].as_array().unwrap().len(), 5);
        assert_eq!(compared["available_sources"], json!(["", "chat", "web"]));
    }

    fn an_empty_window_says_so(app) {
        let agent = two_weeks(app);
        for caller in [app.production("other"), agent] {
            let told = overview(&caller, &json!({ "from_ts": 1, "to_ts": 1 }));
            assert_eq!(told["hero"], json!({
                "state": "empty", "regular_success_rate_pp": 0.0, "ci95": null, "shadow_success_rate_pp": null,
                "delta_pp": null, "buckets": [],
            }));
            assert_eq!(told["context_tiles"]["behavior_success"]["current"], Value::Null);
            assert_eq!(told["recent_results"], json!([]));
        }
    }

    fn what_cannot_be_asked_is_refused(app) {
        let caller = app.production("acme");
        let set = |label: &str, sources: &[&str]| json!({ "label": label, "sources": sources });
        for wrong in [
            json!({ "bucket": "month" }), json!({ "bucket": 7 }), json!({ "to_ts": 0 }), json!({ "from_ts": null }),
            json!({ "to_ts": "now" }), json!({ "include_shadow": "no" }), json!({ "source_sets": {} }),
            json!({ "source_sets": [set("a", &[])] }),
            json!({ "source_sets": [set(" ", &["x"])] }),
            json!({ "source_sets": [set("a", &["x"]), set("a", &["y"])] }),
            json!({ "source_sets": [set("a", &["x", "x"])] }),
            json!({ "source_sets": [set("a", &["x"]), set("b", &["x"])] }),
            json!({ "source_sets": [set("a", &["x"]), set(" a ", &["y"])] }),
            json!({ "source_sets": [set("a", &["x", " x"])] }),
            json!({ "source_sets": [{ "label": "a" }] }),
            json!({ "source_sets": [set("a", &["\u{7}"])] }),
        ] {
            let body = with(json!({ "from_ts": 1, "to_ts": 2 }), &wrong);
            assert_eq!(caller.post(PATH, &body).told(), "422 invalid_request", "{wrong}");
        }
    }
}
