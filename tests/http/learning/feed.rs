//! `GET /api/learning_feed`.

use serde_json::{Value, json};
use support::{Client, on_both};

use crate::activity::{count, publish, request, with};

/// Every request id of the feed, read in pages of this size.
fn read_all(caller: &Client, limit: usize) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), json!(0));
    loop {
        let page = caller.get(&format!("/api/learning_feed?after={after}&limit={limit}")).json();
        if count(&page, "entries") == 0 {
            assert_eq!(page["next_after"], after);
            return ids;
        }
        assert!(count(&page, "entries") <= limit);
        ids.extend(
            page["entries"]
                .as_array()
                .unwrap()
                .iter()
                .map(|entry| entry["request_id"].as_str().unwrap().to_owned()),
        );
        after = page["next_after"].clone();
    }
}

on_both! {
    fn the_feed_hands_out_every_request_once_in_the_order_of_commits(app) {
        let caller = app.production("acme");
        for n in 0..5 {
            assert_eq!(publish(&caller, &request("u", "s", &format!("r-{n}"))).told(), "200");
        }
        let expected: Vec<_> = (0..5).map(|n| format!("r-{n}")).collect();

        for limit in [1, 2, 5, 100] {
            assert_eq!(read_all(&caller, limit), expected);
        }
        let entry: Value = caller.get("/api/learning_feed?limit=1").json()["entries"][0].clone();
        assert_eq!((&entry["user_id"], &entry["session_id"]), (&json!("u"), &json!("s")));
        assert_eq!(count(&entry, "interactions"), 2);
    }

    fn nothing_is_learned_from_what_is_for_evaluation_only(app) {
        let caller = app.production("acme");
        let _ = publish(&caller, &with(request("u", "s", "hidden"), &json!({ "evaluation_only": true })));
        let _ = publish(&caller, &request("u", "s", "seen"));
        let _ = publish(&caller, &request("u", "s", "seen"));

        assert_eq!(read_all(&caller, 10), ["seen"]);
        assert_eq!(read_all(&app.production("other"), 10), Vec::<String>::new());
    }

    fn a_page_of_the_feed_out_of_range_is_refused(app) {
        let caller = app.production("acme");
        for query in ["limit=0", "limit=1001", "after=-1", "after=x", "limit=1.5"] {
            assert_eq!(caller.get(&format!("/api/learning_feed?{query}")).told(), "422 invalid_request", "{query}");
        }
    }
}
