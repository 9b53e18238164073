//! Two servers with different key rings.

use serde_json::json;
use storage::testing::SECRET;
use support::ServerProcess;

use crate::load::{self, Load};
use crate::table::{Row, tally};

const REFUSAL: &str = "does not start, exit code 2, names `TOUCHSTONE_REF_SECRETS`";
const OTHER: &str = "another secret of more than 32 characters";

pub(crate) fn drill() -> Vec<Row> {
    let drills = crate::databases().into_iter().map(|(database, db)| {
        let token = load::token(&db.database);
        let server = ServerProcess::on(&db.url);
        let caller = server.anonymous().bearing(&token);
        let ticket = json!({ "user_id": "erased", "request_id": "t" });
        assert_eq!(caller.post("/api/governance/erase-user", &ticket).told(), "200");
        let told = Load::on(caller).publish(|load| {
            load.wait_for(50);
            let refused =
                ServerProcess::try_with(&db.url, &[("TOUCHSTONE_REF_SECRETS", OTHER)]).err().unwrap();
            assert!(refused.contains("TOUCHSTONE_REF_SECRETS lacks a secret"), "{refused}");
            let both = format!("{OTHER},{SECRET}");
            let second = ServerProcess::with(&db.url, &[("TOUCHSTONE_REF_SECRETS", &both)]);
            let late = json!({ "user_profiles": [{ "user_id": "erased", "content": "tea" }] });
            let caller = second.anonymous().bearing(&token);
            assert_eq!(caller.post("/api/add_user_profile", &late).told(), "410 subject_erased");
            load.wait_for(50);
        });
        let seen = format!("the second server: {REFUSAL}; callers of the first: {}", tally(&told.seen));
        let recovery = "by giving it both secrets; it then starts and refuses whoever was erased".to_owned();
        let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
        Row { fault: "two servers with different key rings", database, seen, acknowledged, lost, recovery }
    });
    drills.collect()
}
