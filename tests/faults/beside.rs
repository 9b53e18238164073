//! Commands beside a busy server on one SQLite file: each gets its turn for the write lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use storage::testing::TestDatabase;
use support::{ServerProcess, TestOrganization, eventually, run};
use touchstone_cli::SystemClock;

const PUBLISHERS: usize = 16;

/// Ends the publishers with its own end, also when an assertion fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn commands_get_their_turn_beside_a_server_that_never_rests() {
    let db = TestDatabase::sqlite();
    let token = TestOrganization::found(&db.database, Arc::new(SystemClock), "acme").production();
    let server = ServerProcess::on(&db.url);
    let caller = server.anonymous().bearing(&token);
    let (is_over, published) = (AtomicBool::new(false), AtomicUsize::new(0));

    std::thread::scope(|scope| {
        let (is_over, published, caller) = (&is_over, &published, &caller);
        for publisher in 0..PUBLISHERS {
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let turns = vec![json!({ "content": "a turn" }); 20];
                    let body =
                        json!({ "user_id": format!("u{publisher}"), "session_id": "s", "interaction_data_list": turns });
                    assert_eq!(caller.post("/api/publish_interaction", &body).told(), "200");
                    published.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let _over = Over(is_over);
        for n in 0..5 {
            let before = published.load(Ordering::SeqCst);
            // A server that has just started is slow at first; the commands must meet one that is busy.
            eventually(|| (published.load(Ordering::SeqCst) > before).then_some(()));
            for verb in ["start", "stop"] {
                let id = format!("e{n}");
                let mut arguments = vec!["experiment", verb, &id, "--org", "acme"];
                if verb == "start" {
                    arguments.extend(["--holdout-percentage", "10"]);
                }
                let ran = run(&db.url, &[], &arguments);
                assert!(ran.status.success(), "{verb} {n}: {}", String::from_utf8_lossy(&ran.stderr));
            }
        }
        let before = published.load(Ordering::SeqCst);
        // And it goes on.
        eventually(|| (published.load(Ordering::SeqCst) > before).then_some(()));
    });

    assert_eq!(db.number("SELECT count(*) AS n FROM experiments WHERE ended_at IS NOT NULL"), 5);
}
