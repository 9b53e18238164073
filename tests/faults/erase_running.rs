//! An erasure that another process has begun: who asks meanwhile waits, and nobody writes.

use std::collections::BTreeSet;
use std::sync::Barrier;

use serde_json::{Value, json};
use support::{Answer, Client, TestApp, on_both, run};

const ERASE: &str = "/api/governance/erase-user";

fn ticket(request: &str) -> Value {
    json!({ "user_id": "anna", "request_id": request })
}

fn add_profile(caller: &Client, user: &str) -> Answer {
    caller.post("/api/add_user_profile", &json!({ "user_profiles": [{ "user_id": user, "content": "tea" }] }))
}

/// A process raises the barrier, takes the lease and dies.
fn begin_elsewhere(app: &TestApp) {
    let arguments =
        ["erase-user", "--org", "acme", "--user-id", "anna", "--request-id", "t-1", "--yes", "--json"];
    let output = run(&app.database.url, &[("TOUCHSTONE_FAULT", "after-commit:1")], &arguments);
    assert_eq!(output.status.code(), None, "it was to die");
}

on_both! {
    fn who_asks_while_another_erases_is_told_where_to_look(app) {
        let (officer, agent) = (app.governance("acme"), app.production("acme"));
        assert_eq!(add_profile(&agent, "anna").told(), "200");
        begin_elsewhere(app);

        let first = officer.post(ERASE, &ticket("t-1"));
        let second = officer.post(ERASE, &ticket("t-2"));

        for (answer, status) in [(&first, "running"), (&second, "pending")] {
            let view = answer.json();
            assert_eq!((answer.status, &view["status"]), (202, &json!(status)), "{view}");
            assert_ne!(answer.header("retry-after"), "");
            let place = answer.header("location");
            assert_eq!(place, format!("/api/governance/purge-operations/{}", view["purge_id"].as_str().unwrap()));
            assert_eq!(officer.get(place).json(), view);
            assert_eq!(view["completed_at"], Value::Null);
        }
        assert_ne!(first.json()["purge_id"], second.json()["purge_id"]);
        let refused = add_profile(&agent, "anna");
        assert_eq!(refused.told(), "409 subject_being_erased");
        assert_ne!(refused.header("retry-after"), "");
        assert_eq!(officer.post("/api/governance/export-user", &ticket("t")).told(), "409 subject_being_erased");
        assert_eq!(add_profile(&agent, "ben").told(), "200");
    }

    fn a_second_ticket_is_complete_once_the_first_is(app) {
        let officer = app.governance("acme");
        assert_eq!(add_profile(&app.production("acme"), "anna").told(), "200");
        begin_elsewhere(app);
        let second = officer.post(ERASE, &ticket("t-2")).json();
        app.database.execute("UPDATE purge_operations SET due_at = 1 WHERE status = 'running'");

        let first = officer.post(ERASE, &ticket("t-1"));

        assert_eq!(first.told(), "200", "{}", first.text());
        assert_eq!(first.json()["deleted_counts"]["profiles"], 1);
        let repeat = officer.post(ERASE, &ticket("t-2"));
        assert_eq!((repeat.status, &repeat.json()["status"]), (200, &json!("complete")));
        assert_eq!(repeat.json()["purge_id"], second["purge_id"]);
        assert_eq!(repeat.json()["deleted_counts"]["profiles"], 0);
        assert_eq!(app.database.number("SELECT count(*) AS n FROM audit_events WHERE operation = 'ERASE' AND outcome = 'ok'"), 2);
        assert_eq!(app.database.number("SELECT count(*) AS n FROM purge_work"), 0);
    }

    fn of_a_hundred_concurrent_repeats_all_are_told_of_one_erasure(app) {
        let (officer, agent) = (app.governance("acme"), app.production("acme"));
        for _ in 0..20 {
            assert_eq!(add_profile(&agent, "anna").told(), "200");
        }
        let together = Barrier::new(100);

        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..100).map(|_| scope.spawn(|| {
                together.wait();
                officer.post(ERASE, &ticket("t"))
            })).collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).collect()
        });

        assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 202)), "{answers:?}");
        let ids: BTreeSet<_> = answers.iter().map(|answer| answer.json()["purge_id"].to_string()).collect();
        assert_eq!(ids.len(), 1);
        let bodies: BTreeSet<_> = answers.iter().filter(|answer| answer.status == 200).map(Answer::text).collect();
        assert_eq!(bodies.len(), 1);
        assert_eq!(officer.post(ERASE, &ticket("t")).json()["deleted_counts"]["profiles"], 20);
        assert_eq!(app.database.number("SELECT count(*) AS n FROM audit_events"), 1);
    }

    fn a_writer_beside_an_erase_is_deleted_or_refused(app) {
        let (officer, agent) = (app.governance("acme"), app.production("acme"));
        for round in 0..5 {
            let user = format!("user-{round}");
            let erased = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..8).map(|n| {
                    let (agent, user) = (&agent, &user);
                    scope.spawn(move || loop {
                        let mine = add_profile(agent, user).told();
                        assert_eq!(add_profile(agent, &format!("other-{n}")).told(), "200");
                        match mine.as_str() {
                            "200" | "409 subject_being_erased" => {}
                            told => return assert_eq!(told, "410 subject_erased"),
                        }
                    })
                }).collect();
                while app.database.number(&format!("SELECT count(*) AS n FROM profiles WHERE user_id = '{user}'")) < 10 {
                    std::thread::yield_now();
                }
                let erased = officer.post(ERASE, &json!({ "user_id": user, "request_id": "t" }));
                for writer in writers {
                    writer.join().unwrap();
                }
                erased
            });

            assert_eq!(erased.told(), "200");
            assert!(erased.json()["deleted_counts"]["profiles"].as_i64().unwrap() >= 10);
            assert_eq!(app.database.number(&format!("SELECT count(*) AS n FROM profiles WHERE user_id = '{user}'")), 0);
        }
    }
}
