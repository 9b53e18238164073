//! `POST /api/partner_scores`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, on_both};

use crate::activity::with;

fn score(run: &str, value: f64) -> Value {
    json!({ "source_run_id": run, "scorer_name": "tone", "value": value, "ts": NOW })
}

fn bring(caller: &Client, scores: &[Value]) -> support::Answer {
    caller.post("/api/partner_scores", &json!({ "scores": scores }))
}

fn tile(caller: &Client) -> Value {
    let window = json!({ "from_ts": NOW - 10, "to_ts": NOW + 10 });
    caller.post("/api/get_evaluation_overview", &window).json()["partner_tiles"][0].clone()
}

on_both! {
    fn a_repeat_replaces_the_score_of_its_run(app) {
        let caller = app.production("acme");
        let first = bring(&caller, &[score("1", 0.5), score("2", 1.0)]).json();
        assert_eq!((&first["imported_count"], &first["updated_count"]), (&json!(2), &json!(0)));

        let repeat = bring(&caller, &[score("1", 0.5), score("2", 0.0)]).json();

        assert_eq!((&repeat["imported_count"], &repeat["updated_count"]), (&json!(0), &json!(1)));
        assert_eq!((&tile(&caller)["current"], &tile(&caller)["n"]), (&json!(0.25), &json!(2)));
        assert_eq!(tile(&app.production("other")), Value::Null);
    }

    fn one_bad_score_stores_none(app) {
        let caller = app.production("acme");
        for wrong in [
            json!({ "session_id": "s" }), json!({ "source_run_id": " " }), json!({ "scorer_name": null }), json!({ "value": "high" }),
            json!({ "value": null }), json!({ "ts": "now" }), json!({ "ts": null }), json!({ "user_id": "a\u{7}" }),
            json!({ "value": 1e308 }), json!({ "value": -1e308 }),
        ] {
            let refused = bring(&caller, &[score("1", 0.5), with(score("2", 0.5), &wrong)]);
            assert_eq!(refused.told(), "422 invalid_request", "{wrong}");
        }
        assert_eq!(tile(&caller), Value::Null);
        let whole = json!({ "session_id": "s", "user_id": "u" });
        assert_eq!(bring(&caller, &[with(score("3", 0.5), &whole)]).told(), "200");
    }
}
