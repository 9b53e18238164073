//! Judging: grades on demand, replays, and `/api/evaluations/status`.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Answer, Client, StubJudge, TestApp, on_both, run};

const REPLAYS: &str = "/api/evaluations/regenerate";

fn publish(caller: &Client, user: &str, session: &str) {
    let body = json!({
        "user_id": user, "session_id": session, "agent_version": "v1", "source": "web",
        "interaction_data_list": [
            {"role": "user", "content": "Where is my parcel?"},
            {"role": "agent", "content": "It arrives today."},
        ],
    });
    assert_eq!(caller.post("/api/publish_interaction", &body).told(), "200");
}

fn judged_by(caller: &Client, judge: &StubJudge) {
    let body = json!({ "judge": judge.configuration() });
    assert_eq!(caller.post("/api/update_config", &body).told(), "200");
}

fn grade(caller: &Client, session: &str) -> Answer {
    let body = json!({ "session_id": session, "agent_version": "v1" });
    caller.post("/api/evaluations/grade_on_demand", &body)
}

fn replay(caller: &Client) -> Answer {
    caller.post(REPLAYS, &json!({ "from_ts": NOW - 10, "to_ts": NOW + 10 }))
}

fn id_of(started: &Answer) -> String {
    started.json()["job_id"].as_str().unwrap().to_owned()
}

/// Runs a command on the app's database and reads what it prints.
fn command(app: &TestApp, arguments: &[&str]) -> (Option<i32>, Value) {
    let ran = run(&app.database.url, &[], arguments);
    let printed = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| {
        panic!("not JSON: {} {}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
    });
    (ran.status.code(), printed)
}

on_both! {
    fn a_session_is_graded_once_and_then_told_from_memory(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "s");

        let (first, second) = (grade(&caller, "s"), grade(&caller, "s"));

        let result = first.json()["result_id"].clone();
        assert!(result.is_i64(), "{}", first.text());
        assert_eq!(first.json(), json!({
            "session_id": "s", "result_id": result, "cached": false, "retrieved_learning_status": "not_applicable",
        }));
        assert_eq!((second.json()["result_id"].clone(), second.json()["cached"].clone()), (result, json!(true)));
    }

    fn a_grade_is_remembered_for_the_version_that_was_asked_for(app) {
        let (caller, judge) = (app.dashboard("acme"), StubJudge::begin());
        judged_by(&caller, &judge);
        publish(&caller, "ada", "s");
        let first = grade(&caller, "s");
        let of_another = || {
            let answer = caller.post("/api/evaluations/grade_on_demand", &json!({ "session_id": "s", "agent_version": "another" }));
            (answer.json()["result_id"].clone(), answer.json()["cached"].clone())
        };

        let (second, third) = (of_another(), of_another());

        let result = first.json()["result_id"].clone();
        assert_eq!((second, third), ((result.clone(), json!(false)), (result, json!(true))));
        assert_eq!((grade(&caller, "s").json()["cached"].clone(), judge.calls()), (json!(true), 2));
    }

    fn a_new_turn_makes_the_next_grade_a_new_one(app) {
        let (caller, judge) = (app.dashboard("acme"), StubJudge::begin());
        judged_by(&caller, &judge);
        publish(&caller, "ada", "s");
        let first = grade(&caller, "s");

        publish(&caller, "ada", "s");
        let second = grade(&caller, "s");

        assert_eq!((second.json()["cached"].clone(), judge.calls()), (json!(false), 2));
        assert_eq!(first.json()["result_id"], second.json()["result_id"]);
    }

    fn twenty_callers_at_once_ask_the_judge_once(app) {
        let (caller, judge) = (app.dashboard("acme"), StubJudge::begin());
        judged_by(&caller, &judge);
        publish(&caller, "ada", "s");

        let results: Vec<Value> = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..20).map(|_| scope.spawn(|| grade(&caller, "s"))).collect();
            callers.into_iter().map(|caller| caller.join().unwrap().json()["result_id"].clone()).collect()
        });

        assert!(results.iter().all(|result| result.is_i64() && *result == results[0]), "{results:?}");
        assert_eq!(judge.calls(), 1);
    }

    fn a_session_nobody_published_has_no_grade(app) {
        let graded = grade(&app.dashboard("acme"), "nothing");

        assert_eq!(graded.told(), "200");
        assert_eq!(graded.json(), json!({ "session_id": "nothing", "skipped_reason": "NO_REQUESTS" }));
    }

    fn a_judge_that_fails_is_told_and_nothing_is_kept(app) {
        let (caller, judge) = (app.dashboard("acme"), StubJudge::begin());
        judged_by(&caller, &judge);
        judge.fail();
        publish(&caller, "ada", "s");

        assert_eq!(grade(&caller, "s").told(), "502 judge_unavailable");
        assert_eq!(app.database.number("SELECT count(*) AS n FROM evaluation_results"), 0);
    }

    fn what_a_judge_says_of_a_user_who_was_erased_meanwhile_is_dropped(app) {
        let (caller, judge) = (app.governance("acme"), StubJudge::begin());
        judged_by(&caller, &judge);
        publish(&caller, "ada", "s");
        judge.answer_only(0);

        let graded = std::thread::scope(|scope| {
            let grading = scope.spawn(|| grade(&caller, "s"));
            judge.wait_for_calls(1);
            let ticket = json!({ "user_id": "ada", "request_id": "r" });
            assert_eq!(caller.post("/api/governance/erase-user", &ticket).told(), "200");
            judge.answer_all();
            grading.join().unwrap()
        });

        assert_eq!(graded.told(), "410 subject_erased");
        assert_eq!(app.database.number("SELECT count(*) AS n FROM evaluation_results"), 0);
        assert_eq!(app.database.number("SELECT count(*) AS n FROM session_judgings"), 0);
    }

    fn a_replay_waits_in_the_queue_and_a_second_one_is_refused(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "a");
        publish(&caller, "bob", "b");

        let started = replay(&caller);

        assert_eq!((started.told(), started.json()["total"].clone()), ("200".to_owned(), json!(2)));
        assert_eq!(replay(&caller).told(), "409 regeneration_running");
        let status = caller.get(&format!("{REPLAYS}/{}", id_of(&started))).json();
        assert_eq!(status["status"], "queued");
        assert_eq!((status["total_candidates"].clone(), status["sampled_count"].clone()), (json!(2), json!(2)));
        assert_eq!(caller.get(REPLAYS).json()["jobs"][0], status);
        let queue = caller.get("/api/evaluations/status").json();
        assert_eq!(queue["queue_depth"]["regeneration_session"], 2);
    }

    fn replays_are_listed_page_by_page_and_none_is_left_out(app) {
        let caller = app.dashboard("acme");
        let mut started: Vec<String> = (0..5).map(|_| id_of(&replay(&caller))).collect();
        started.reverse();

        let (mut listed, mut place) = (Vec::new(), format!("{REPLAYS}?limit=2"));
        loop {
            let page = caller.get(&place).json();
            assert!(page["jobs"].as_array().unwrap().len() <= 2, "{page}");
            listed.extend(page["jobs"].as_array().unwrap().iter().map(|job| job["job_id"].as_str().unwrap().to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            place = format!("{REPLAYS}?limit=2&cursor={next}");
        }

        assert_eq!(listed, started);
    }

    fn a_list_of_replays_takes_1_to_1000_and_only_its_own_cursors(app) {
        let caller = app.dashboard("acme");

        for query in ["limit=0", "limit=1001", "limit=x", "cursor=made-up"] {
            assert_eq!(caller.get(&format!("{REPLAYS}?{query}")).told(), "422 invalid_request", "{query}");
        }
        assert_eq!(caller.get(&format!("{REPLAYS}?limit=1000")).json(), json!({ "jobs": [] }));
    }

    fn a_replay_is_previewed_without_being_started(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "a");
        publish(&caller, "bob", "b");

        let preview = caller.post(&format!("{REPLAYS}/preview"), &json!({ "from_ts": NOW - 10, "to_ts": NOW + 10 }));

        assert_eq!(preview.told(), "200");
        let expected = json!({ "total_candidates": 2, "sampled_count": 2, "concurrency_limit": 10, "estimated_seconds": null });
        assert_eq!(preview.json(), expected);
        assert_eq!(caller.get(REPLAYS).json()["jobs"], json!([]));
        let backwards = caller.post(&format!("{REPLAYS}/preview"), &json!({ "from_ts": 5, "to_ts": 5 }));
        assert_eq!(backwards.told(), "422 invalid_request");
    }

    fn a_result_says_who_judged_it_and_where_its_session_came_from(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "s");
        grade(&caller, "s");

        let result = caller.post("/api/get_agent_success_evaluation_results", &json!({})).json()["agent_success_evaluation_results"][0].clone();

        let told = json!([result["source"], result["judge"], result["judge_prompt_version"], result["judged_at"]]);
        assert_eq!(told, json!(["web", "heuristic", "v1.1.0", NOW]));
    }

    fn a_session_without_a_version_is_graded_by_a_blank_one(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "s");

        let graded = caller.post("/api/evaluations/grade_on_demand", &json!({ "session_id": "s", "agent_version": "" }));

        assert_eq!((graded.told(), graded.json()["cached"].clone()), ("200".to_owned(), json!(false)));
    }

    fn a_cancelled_replay_makes_room_for_another(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "a");
        let id = id_of(&replay(&caller));

        let cancelled = caller.delete(&format!("{REPLAYS}/{id}"));

        assert_eq!((cancelled.told(), cancelled.json()["status"].clone()), ("200".to_owned(), json!("cancelled")));
        assert_eq!(replay(&caller).told(), "200");
    }

    fn a_replay_without_sessions_is_completed_at_once(app) {
        let caller = app.dashboard("acme");

        let id = id_of(&replay(&caller));

        assert_eq!(caller.get(&format!("{REPLAYS}/{id}")).json()["status"], "completed");
    }

    fn an_unknown_replay_or_another_organizations_is_not_found(app) {
        let (mine, theirs) = (app.dashboard("acme"), app.dashboard("globex"));
        let id = id_of(&replay(&mine));

        for path in [format!("{REPLAYS}/nothing"), format!("{REPLAYS}/{id}")] {
            assert_eq!(theirs.get(&path).told(), "404 job_not_found");
            assert_eq!(theirs.delete(&path).told(), "404 job_not_found");
        }
    }

    fn a_command_evaluates_what_is_due_in_its_organization_alone(app) {
        for org in ["acme", "globex"] {
            let caller = app.dashboard(org);
            let body = json!({ "group_evaluation_delay_seconds": 0, "sampling_rate": 1.0 });
            assert_eq!(caller.post("/api/update_config", &body).told(), "200");
            publish(&caller, "ada", "s");
        }

        let done = command(app, &["evaluate-due", "--org", "acme", "--json"]);

        assert_eq!(done, (Some(0), json!({ "judged": 1, "skipped": 0, "retrying": 0, "failed": 0 })));
        let status = app.dashboard("globex").get("/api/evaluations/status").json();
        assert_eq!((status["queue_depth"]["session_evaluation"].clone(), status["running"].clone()), (json!(1), json!(0)));
    }

    fn a_command_sees_a_replay_through(app) {
        let caller = app.dashboard("acme");
        for session in ["a", "b", "c"] {
            publish(&caller, "ada", session);
        }
        let (from, to) = ((NOW - 10).to_string(), (NOW + 10).to_string());

        let (code, ended) =
            command(app, &["regenerate", "--org", "acme", "--from", &from, "--to", &to, "--wait", "--json"]);

        assert_eq!((code, ended["status"].clone(), ended["completed"].clone()), (Some(0), json!("completed"), json!(3)));
        assert_eq!(caller.get(REPLAYS).json()["jobs"][0], ended);
    }

    fn a_window_must_end_after_it_starts(app) {
        let refused = app.dashboard("acme").post(REPLAYS, &json!({ "from_ts": 5, "to_ts": 5 }));

        assert_eq!(refused.told(), "422 invalid_request");
    }

    fn the_status_says_who_judges_and_what_waits(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "s");

        let status = caller.get("/api/evaluations/status").json();

        assert_eq!(status["queue_depth"], json!({ "session_evaluation": 1 }));
        assert_eq!((status["judge_reachable"].clone(), status["epoch"]["kind"].clone()), (json!(true), json!("heuristic")));
    }

    fn a_person_is_told_how_the_server_stands(app) {
        let caller = app.dashboard("acme");
        publish(&caller, "ada", "s");

        let system = caller.get("/api/system").json();

        assert_eq!(system["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(system["storage"]["ready"], true);
        assert_eq!((system["judge"]["kind"].clone(), system["judge"]["model"].clone()), (json!("heuristic"), json!(null)));
        assert_eq!((system["queue"]["waiting"].clone(), system["queue"]["failed_24h"].clone()), (json!(1), json!(0)));
        assert_eq!(app.production("acme").get("/api/system").told(), "403 dashboard_credential_required");
    }
}
