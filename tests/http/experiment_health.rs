//! What the results say of their own trustworthiness, on data that went in by the routes.

use experiments::{Arm, HoldoutPercentage, assign};
use kernel::{ExperimentId, OrgId, UserId};
use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, TestApp, on_both};

use crate::activity::{judged, publish, request, with};

const PATH: &str = "/api/retrieval_experiments";
/// Of each arm; twenty evaluated holdout users are enough.
const USERS: usize = 25;

/// A running experiment of half the users, and those who speak to it.
struct Trial<'a> {
    app: &'a TestApp,
    agent: Client,
    person: Client,
}

/// The first users whom the assignment puts into this arm.
fn users_of(arm: Arm, how_many: usize) -> Vec<String> {
    let (org, id) = (OrgId::new("acme").unwrap(), ExperimentId::new("exp").unwrap());
    let half = HoldoutPercentage::new(50.0).unwrap();
    let names = (0..).map(|n| format!("user-{n}"));
    names.filter(|name| assign(&org, &id, &UserId::new(name).unwrap(), half) == arm).take(how_many).collect()
}

impl<'a> Trial<'a> {
    fn started(app: &'a TestApp) -> Self {
        let trial = Self { app, agent: app.production("acme"), person: app.dashboard("acme") };
        let body = json!({ "experiment_id": "exp", "holdout_percentage": 50 });
        assert_eq!(trial.agent.post(PATH, &body).told(), "200");
        app.clock.advance(60);
        trial
    }

    /// These users search, so that they are exposed.
    fn search(&self, users: &[String]) {
        for user in users {
            let told = self.agent.post("/api/search", &json!({ "query": "tea", "user_id": user }));
            assert_eq!(told.json()["experiment"]["experiment_id"], "exp", "{}", told.text());
        }
    }

    /// A session of each user is published with its tag.
    fn publish(&self, arm: Arm, users: &[String]) {
        for user in users {
            self.publish_one(arm, user, &json!({}));
        }
    }

    fn publish_one(&self, arm: Arm, user: &str, more: &Value) {
        let tag = json!({ "retrieval_experiment_id": "exp", "retrieval_experiment_arm": arm.as_str() });
        let body = with(with(request(user, "s", user), &tag), more);
        assert_eq!(publish(&self.agent, &body).told(), "200");
    }

    /// The session of this name of each user has been judged.
    fn judge(&self, users: &[String], session: &str) {
        let results: Vec<_> = users.iter().map(|user| judged(user, session, NOW + 60)).collect();
        let told = self.person.post("/api/import_evaluation_results", &json!({ "results": results }));
        assert_eq!(told.told(), "200");
    }

    /// All that a clean experiment holds.
    fn run_cleanly(&self) {
        for arm in [Arm::Treatment, Arm::Holdout] {
            let users = users_of(arm, USERS);
            self.search(&users);
            self.publish(arm, &users);
            self.judge(&users, "s");
        }
    }

    /// What the results find, as (code, severity, value).
    fn found(&self) -> Vec<(String, String, f64)> {
        self.app.clock.advance(60);
        let told = self.agent.get(&format!("{PATH}/exp/results")).json();
        let health = told["health"].as_array().unwrap();
        let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
        assert!(health.iter().all(|finding| !text(finding, "message").is_empty()), "{told}");
        health
            .iter()
            .map(|one| (text(one, "code"), text(one, "severity"), one["value"].as_f64().unwrap()))
            .collect()
    }

    #[track_caller]
    fn assert_finds(&self, code: &str, severity: &str, value: f64) {
        let found = self.found();
        let [(found_code, found_severity, found_value)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((found_code.as_str(), found_severity.as_str()), (code, severity));
        assert!((found_value - value).abs() < 1e-12, "{found_value}, not {value}");
    }
}

on_both! {
    fn clean_data_is_left_alone(app) {
        let trial = Trial::started(app);

        trial.run_cleanly();

        assert_eq!(trial.found(), []);
    }

    fn a_holdout_that_never_searches_is_a_mismatch_of_the_sample_ratio(app) {
        let trial = Trial::started(app);
        for arm in [Arm::Treatment, Arm::Holdout] {
            let users = users_of(arm, USERS);
            trial.publish(arm, &users);
            trial.judge(&users, "s");
        }

        trial.search(&users_of(Arm::Treatment, USERS));

        // Twice the tail of a fair coin that falls 25 times on one side.
        trial.assert_finds("sample_ratio_mismatch", "critical", 2.0 * 0.5_f64.powi(25));
    }

    fn a_held_out_session_that_retrieved_or_cited_is_contamination(app) {
        let trial = Trial::started(app);
        trial.run_cleanly();
        let [retrieved, cited] = <[String; 2]>::try_from(users_of(Arm::Holdout, USERS + 2).split_off(USERS)).unwrap();
        trial.search(&[retrieved.clone(), cited.clone()]);

        let learning = json!([{ "kind": "profile", "learning_id": "p" }]);
        let turn = json!([{ "role": "Agent", "content": "tea", "retrieved_learnings": learning }]);
        trial.publish_one(Arm::Holdout, &retrieved, &json!({ "interaction_data_list": turn }));
        let citation = json!([{ "kind": "profile", "real_id": "p" }]);
        let turn = json!([{ "role": "Agent", "content": "tea", "citations": citation }]);
        trial.publish_one(Arm::Holdout, &cited, &json!({ "interaction_data_list": turn }));

        trial.assert_finds("holdout_contamination", "critical", 2.0);
    }

    fn many_judged_sessions_without_the_tag_are_low_coverage(app) {
        let trial = Trial::started(app);
        trial.run_cleanly();
        let untagged: Vec<_> = (0..13).map(|n| format!("user-{n}")).collect();

        trial.judge(&untagged[..12], "untagged");
        assert_eq!(trial.found(), [], "50 of 62 are four fifths");
        trial.judge(&untagged, "untagged");

        trial.assert_finds("low_coverage", "warning", 50.0 / 63.0);
    }

    fn sessions_tagged_after_the_end_are_late(app) {
        let trial = Trial::started(app);
        trial.run_cleanly();
        assert_eq!(trial.agent.post(&format!("{PATH}/stop"), &json!({ "experiment_id": "exp" })).told(), "200");
        app.clock.advance(60);

        trial.publish(Arm::Treatment, &users_of(Arm::Treatment, USERS + 3)[USERS..]);

        trial.assert_finds("late_tags", "info", 3.0);
    }

    fn nineteen_judged_holdout_users_are_few(app) {
        let trial = Trial::started(app);
        for arm in [Arm::Treatment, Arm::Holdout] {
            let users = users_of(arm, USERS);
            trial.search(&users);
            trial.publish(arm, &users);
            trial.judge(if arm == Arm::Holdout { &users[..19] } else { &users }, "s");
        }

        trial.assert_finds("few_holdout_users", "warning", 19.0);
    }
}
