//! Shadow judging by a running server: the position is a fair coin's, and what is recorded is what the judge saw.

use serde_json::{Value, json};
use storage::on_both;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, StubJudge, eventually};

use super::{configure, token};

const TURNS: i64 = 300;
/// Six standard deviations around a half: a fair coin fails once in five hundred million runs.
const FAIR: std::ops::RangeInclusive<i64> = 98..=202;

fn publish_turns(caller: &Client) {
    let turn = json!({ "role": "agent", "content": "By the service.", "shadow_content": "By the shadow." });
    for session in 0..TURNS / 30 {
        let body = json!({
            "user_id": "ada", "session_id": format!("s{session}"), "agent_version": "v1",
            "interaction_data_list": vec![turn.clone(); 30],
        });
        assert_eq!(caller.post("/api/publish_interaction", &body).told(), "200");
    }
}

/// The trend's totals once every turn was compared.
fn compared(db: &TestDatabase, judge: &StubJudge) -> Value {
    let token = token(db);
    let server = ServerProcess::on(&db.url);
    let caller = server.anonymous().bearing(&token);
    configure(&caller, Some(judge));
    // Only the turns are to be judged, not their sessions.
    assert_eq!(caller.post("/api/update_config", &json!({ "sampling_rate": 0.0 })).told(), "200");
    publish_turns(&caller);
    let verdicts = "SELECT count(*) AS n FROM shadow_verdicts";
    eventually(|| (db.number(verdicts) == TURNS).then_some(()));
    let window = json!({ "from_ts": 1, "to_ts": 9_000_000_000_i64 });
    caller.post("/api/get_evaluation_overview", &window).json()["shadow_win_rate_trend"]["window_total"]
        .clone()
}

on_both! {
    fn a_judge_that_always_takes_the_first_gives_a_win_rate_near_one_half(db) {
        let judge = StubJudge::begin();

        let total = compared(db, &judge);

        let wins = total["wins"].as_i64().unwrap();
        assert_eq!((total["n"].clone(), total["ties"].clone()), (json!(TURNS), json!(0)));
        assert!(FAIR.contains(&wins), "{total}");
        let first = "SELECT count(*) AS n FROM shadow_verdicts WHERE service_is_request_1 = TRUE AND better_request = '1'";
        assert_eq!(db.number(first), wins);
        assert_eq!(i64::try_from(judge.calls()).unwrap(), TURNS);
    }

    fn a_judge_that_always_takes_the_services_response_lets_it_win_wherever_it_stood(db) {
        let judge = StubJudge::begin();
        judge.prefer("By the service.");

        let total = compared(db, &judge);

        assert_eq!((total["n"].clone(), total["wins"].clone()), (json!(TURNS), json!(TURNS)));
        let first = db.number("SELECT count(*) AS n FROM shadow_verdicts WHERE service_is_request_1 = TRUE");
        assert!(FAIR.contains(&first), "{first} of {TURNS}");
    }
}
