//! The server's clock steps back an hour and forth again.

use serde_json::json;
use support::TestApp;

use crate::load::{self, Load};
use crate::table::{Row, tally};

const PATH: &str = "/api/retrieval_experiments";

pub(crate) fn drill() -> Vec<Row> {
    let drills = crate::databases().into_iter().map(|(database, db)| {
        let app = TestApp::on(db);
        let caller = app.governance("acme");
        let experiment = json!({ "experiment_id": "e", "holdout_percentage": 10 });
        assert_eq!(caller.post(PATH, &experiment).told(), "200");
        let told = Load::on(caller.clone()).publish(|load| {
            for step in [-3_600, 7_200, -3_600] {
                load.wait_for(50);
                app.clock.advance(step);
            }
            app.clock.advance(-3_600);
            load.wait_for(50);
            assert_eq!(caller.post(&format!("{PATH}/stop"), &experiment).told(), "200");
        });
        let ended = &caller.get(PATH).json()["experiments"][0];
        assert!(ended["ended_at"].as_i64() >= ended["started_at"].as_i64(), "{ended}");
        let in_order = fed(&caller);
        assert_eq!(in_order, told.acknowledged.len(), "the feed skips nothing");
        let recovery =
            "nothing to recover: order, leases and the feed do not follow the server's clock, and no \
                        experiment ends before it began"
                .to_owned();
        let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&app.database, &told));
        Row {
            fault: "clock back and forth by an hour",
            database,
            seen: tally(&told.seen),
            acknowledged,
            lost,
            recovery,
        }
    });
    drills.collect()
}

/// How many entries a reader finds who goes on from where it was.
fn fed(caller: &support::Client) -> usize {
    let (mut after, mut found) = (0, 0);
    loop {
        let page = caller.get(&format!("/api/learning_feed?after={after}&limit=500")).json();
        let entries = page["entries"].as_array().unwrap().len();
        if entries == 0 {
            return found;
        }
        found += entries;
        after = page["next_after"].as_i64().unwrap();
    }
}
