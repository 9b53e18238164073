//! `touchstone demo`: every page has something true to show, and a second run adds nothing.

use kernel::Timestamp;
use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, TestApp, on_both};
use touchstone_cli::demo::{Filled, Outcome, Size, fill};

const DAY: i64 = 86_400;

fn filled(app: &TestApp) -> (Client, Filled) {
    let Outcome::Filled(filled) = fill_again(app) else { panic!("the database was not empty") };
    (app.governance("demo"), filled)
}

fn fill_again(app: &TestApp) -> Outcome {
    fill(&app.database.database, Timestamp::from_seconds(NOW), Size::SMALL, &|_| {}).unwrap()
}

fn read(person: &Client, path: &str) -> Value {
    let answer = person.get(path);
    assert_eq!(answer.told(), "200", "{path}");
    answer.json()
}

fn overview(person: &Client) -> Value {
    let body = json!({ "from_ts": NOW - 90 * DAY, "to_ts": NOW, "bucket": "day" });
    let answer = person.post("/api/get_evaluation_overview", &body);
    assert_eq!(answer.told(), "200");
    answer.json()
}

fn codes(results: &Value) -> Vec<&str> {
    results["health"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

fn rows(app: &TestApp) -> Vec<i64> {
    ["requests", "interactions", "evaluation_results", "shadow_verdicts", "agent_playbooks"]
        .map(|table| app.database.number(&format!("SELECT count(*) AS n FROM {table}")))
        .to_vec()
}

on_both! {
    fn the_demo_fills_every_page_and_a_second_run_adds_nothing(app) {
        let (person, filled) = filled(app);
        the_overview_tells_the_story(&overview(&person));
        the_experiments_tell_theirs(&person, &filled);
        the_judge_has_worked(app, &person, &filled);
        somebody_was_forgotten(&person, &filled);

        let before = rows(app);
        assert_eq!(fill_again(app), Outcome::AlreadyThere);

        assert_eq!(rows(app), before);
    }
}

fn the_overview_tells_the_story(overview: &Value) {
    let rules = overview["rule_attribution"].as_array().unwrap();
    let nets: Vec<_> = rules.iter().map(|rule| rule["net_sessions"].as_i64().unwrap()).collect();
    let shadow = &overview["shadow_win_rate_trend"];

    assert_eq!(overview["hero"]["buckets"].as_array().unwrap().len(), 90);
    assert!(overview["hero"]["ci95"].is_array());
    assert_eq!(overview["source_set_comparison"]["available_sources"].as_array().unwrap().len(), 5);
    assert_eq!(overview["partner_tiles"].as_array().unwrap().len(), 3);
    assert_eq!(nets.len(), 5);
    assert!(nets[..4].iter().all(|net| *net > 0) && nets[4] < -5, "{nets:?}");
    assert_eq!(rules[4]["title"], "Promise the refund right away");
    assert_eq!(shadow["judge_prompt_version"], "v1.1.0");
    assert!(shadow["window_total"]["n"].as_i64().unwrap() > 100);
    assert_eq!(overview["recent_results"].as_array().unwrap().len(), 100);
}

fn the_experiments_tell_theirs(person: &Client, filled: &Filled) {
    let results = |id: &str| read(person, &format!("/api/retrieval_experiments/{id}/results"));
    let (ended, active) = (results(&filled.ended_experiment), results(&filled.active_experiment));
    let listed = read(person, "/api/retrieval_experiments");

    let interval = &ended["confidence_interval_95_percentage_points"];
    assert!(interval[0].as_f64().unwrap() > 0.0, "{interval}");
    assert_eq!(codes(&ended), [""; 0]);
    assert_eq!(codes(&active), ["few_holdout_users"]);
    assert_eq!(listed["active_experiment"]["experiment_id"], filled.active_experiment);
    assert_eq!(listed["experiments"].as_array().unwrap().len(), 2);
}

fn the_judge_has_worked(app: &TestApp, person: &Client, filled: &Filled) {
    let rubrics = "SELECT DISTINCT judge_prompt_version AS t FROM shadow_verdicts ORDER BY 1";
    let job = read(person, &format!("/api/evaluations/regenerate/{}", filled.regeneration_job_id));
    let learnings = person.post("/api/get_retrieved_learning_evaluation_results", &json!({ "limit": 1000 }));
    let learnings = learnings.json();
    let impacts = |impact: &str| {
        learnings["results"].as_array().unwrap().iter().filter(|row| row["impact"] == impact).count()
    };

    assert_eq!(app.database.texts(rubrics), ["v1.0.0", "v1.1.0"]);
    assert_eq!(job["status"], "completed");
    assert!(job["failed"].as_i64().unwrap() > 0 && !job["failures"].as_array().unwrap().is_empty());
    assert!(impacts("positive") > 0 && impacts("negative") > 0 && impacts("neutral") > 0);
    assert_eq!(app.database.number("SELECT count(*) AS n FROM work_items WHERE state = 'waiting'"), 0);
}

fn somebody_was_forgotten(person: &Client, filled: &Filled) {
    let purge = read(person, &format!("/api/governance/purge-operations/{}", filled.purge_id));

    assert_eq!(purge["status"], "complete");
    assert_eq!(filled.users, usize::try_from(Size::SMALL.users).unwrap());
}

#[test]
fn an_organization_that_is_somebody_elses_is_left_alone() {
    let app = TestApp::on(support::TestDatabase::sqlite());
    let _theirs = app.organization("demo");

    let refused = fill(&app.database.database, Timestamp::from_seconds(NOW), Size::SMALL, &|_| {});

    assert!(refused.unwrap_err().to_string().contains("nothing was done"));
    assert_eq!(rows(&app), [0; 5]);
}
