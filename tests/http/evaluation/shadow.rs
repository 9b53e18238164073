//! `GET /api/evaluations/shadow_comparisons/recent`, and the trend in the overview.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, TestApp, on_both};

use crate::activity::count;

const PATH: &str = "/api/evaluations/shadow_comparisons/recent";
const PINNED: &str = "v1.1.0";

/// Leaves verdicts as a judge would, numbered from `first`, all at this time; the shadow wins every one.
fn verdicts(app: &TestApp, first: i64, how_many: i64, version: &str, at: i64) {
    let row = |n: i64| {
        format!("('acme', {n}, '{version}', 'u', 's', 'v1', 'web', true, '2', true, 'because', NULL, {at})")
    };
    let rows: Vec<_> = (first..first + how_many).map(row).collect();
    app.database.execute(&format!(
        "INSERT INTO shadow_verdicts (org_id, interaction_id, judge_prompt_version, user_id, session_id, agent_version,
             source, service_is_request_1, better_request, is_significantly_better, comparison_reason, epoch_id, created_at)
         VALUES {}",
        rows.join(", ")
    ));
}

fn recent(caller: &Client, query: &str) -> Value {
    let answer = caller.get(&format!("{PATH}{query}"));
    assert_eq!(answer.told(), "200", "{query}");
    answer.json()
}

on_both! {
    fn the_limit_is_brought_into_its_range(app) {
        verdicts(app, 1, 120, PINNED, NOW);
        let caller = app.production("acme");

        for (query, expected) in [("", 10), ("?limit=3", 3), ("?limit=0", 1), ("?limit=-5", 1), ("?limit=100", 100), ("?limit=1000", 100),
            ("?limit=99999999999999999999", 100), ("?limit=-99999999999999999999", 1)] {
            assert_eq!(count(&recent(&caller, query), "verdicts"), expected, "{query}");
        }
        for query in ["?limit=abc", "?limit=1.5", "?limit=", "?limit=-"] {
            assert_eq!(caller.get(&format!("{PATH}{query}")).told(), "422 invalid_request", "{query}");
        }
    }

    fn only_the_pinned_rubric_of_the_last_thirty_days_is_shown_newest_first(app) {
        let days = |days: i64| NOW - days * 86_400;
        verdicts(app, 1, 1, PINNED, days(29));
        verdicts(app, 2, 1, PINNED, days(1));
        verdicts(app, 3, 1, PINNED, days(31));
        verdicts(app, 4, 1, "v0.9.0", days(1));
        let caller = app.production("acme");

        let shown = recent(&caller, "");

        let ids: Vec<_> = shown["verdicts"].as_array().unwrap().iter().map(|one| one["interaction_id"].clone()).collect();
        assert_eq!(ids, ["2", "1"]);
        let verdict = &shown["verdicts"][0];
        assert_eq!(verdict["created_at"], "2025-06-14T15:06:40Z");
        assert_eq!(verdict["service_is_request_1"], true);
        assert_eq!(verdict["output"], json!({ "better_request": "2", "is_significantly_better": true, "comparison_reason": "because" }));
        assert_eq!(recent(&app.production("other"), ""), json!({ "verdicts": [] }));
    }

    fn no_verdict_is_an_empty_list(app) {
        assert_eq!(recent(&app.production("acme"), ""), json!({ "verdicts": [] }));
    }

    fn the_overview_counts_wins_and_losses_by_day(app) {
        verdicts(app, 1, 3, PINNED, NOW);
        verdicts(app, 4, 1, PINNED, NOW - 86_400);
        verdicts(app, 5, 1, "v0.9.0", NOW);
        app.database.execute("UPDATE shadow_verdicts SET better_request = '1' WHERE interaction_id = 1");
        app.database.execute("UPDATE shadow_verdicts SET better_request = 'tie' WHERE interaction_id = 2");
        let caller = app.production("acme");
        let trend = |is_included: bool| {
            let body = json!({ "from_ts": NOW - 100_000, "to_ts": NOW, "include_shadow": is_included });
            caller.post("/api/get_evaluation_overview", &body).json()["shadow_win_rate_trend"].clone()
        };

        let told = trend(true);

        assert_eq!(told["daily"], json!([
            { "date": "2025-06-14", "n": 1, "wins": 0, "losses": 1, "ties": 0 },
            { "date": "2025-06-15", "n": 3, "wins": 1, "losses": 1, "ties": 1 },
        ]));
        let total = &told["window_total"];
        assert_eq!((&total["n"], &total["win_rate"], &total["net_win"]), (&json!(4), &json!(0.25), &json!(-0.25)));
        assert_eq!(told["judge_prompt_version"], PINNED);
        assert_eq!(trend(false)["window_total"]["n"], 0);
        assert_eq!(trend(false)["daily"], json!([]));
    }
}
