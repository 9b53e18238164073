//! An erasure that dies before or after any of its commits, and again while it is resumed, ends as if it had not.
//!
//! The sweep finds its points by itself: it counts the commits that an undisturbed erasure passes, aborts the process at
//! each of them in turn, and then at each commit of the resume. Every cell erases a user of its own, all of them alike.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, ServerProcess, TestApp, on_both, run};

/// More turns than one chunk of deletes holds, so that chunks have commits between them.
const TURNS: usize = 600;
const ORG: &str = "acme";

/// How an erasure went that reached its end.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    status: Value,
    deleted: Value,
    unlinked: usize,
    audit_rows: i64,
    rows_left: i64,
}

/// Callers of the server that fills the database.
struct Sweep<'a> {
    app: &'a TestApp,
    agent: Client,
    person: Client,
}

impl<'a> Sweep<'a> {
    fn on(app: &'a TestApp) -> Self {
        Self { app, agent: app.production(ORG), person: app.dashboard(ORG) }
    }

    /// Makes a user with rows in every table that a route fills.
    fn user(&self, name: &str) -> String {
        let turns =
            vec![json!({ "content": "a turn", "citations": [{ "kind": "profile", "real_id": "1" }] }); TURNS];
        let publish =
            json!({ "user_id": name, "session_id": "s", "request_id": name, "interaction_data_list": turns });
        self.write("/api/publish_interaction", &publish);
        self.write(
            "/api/add_user_profile",
            &json!({ "user_profiles": [{ "user_id": name, "content": "tea" }] }),
        );
        let added = self.write(
            "/api/add_user_playbook",
            &json!({ "user_playbooks": [{ "user_id": name, "content": "tea" }, { "user_id": name, "content": "milk" }] }),
        );
        let windows: Vec<_> =
            added["ids"].as_array().unwrap().iter().map(|id| json!({ "user_playbook_id": id })).collect();
        let linked = json!({ "playbook_name": "p", "content": "tea", "source_windows": windows });
        self.write("/api/add_agent_playbook", &json!({ "agent_playbooks": [linked] }));
        let result = json!({ "user_id": name, "session_id": "s", "agent_version": "v1", "is_success": true });
        self.write("/api/import_evaluation_results", &json!({ "results": [result] }));
        let score = json!({
            "source_run_id": name, "scorer_name": "tone", "value": 1, "ts": NOW, "user_id": name, "session_id": "s",
        });
        self.write("/api/partner_scores", &json!({ "scores": [score] }));
        name.to_owned()
    }

    fn write(&self, path: &str, body: &Value) -> Value {
        let caller = if path.contains("import") { &self.person } else { &self.agent };
        let answer = caller.post(path, body);
        assert_eq!(answer.told(), "200", "{path}");
        answer.json()
    }

    /// Erases the user at the keyboard, perhaps with a fault; `None` when the process died of it.
    fn erase(&self, user: &str, environment: &[(&str, &str)]) -> Option<Value> {
        let arguments =
            ["erase-user", "--org", ORG, "--user-id", user, "--request-id", user, "--yes", "--json"];
        let output = run(&self.app.database.url, environment, &arguments);
        if output.status.success() {
            return Some(serde_json::from_slice(&output.stdout).unwrap());
        }
        assert_eq!(
            output.status.code(),
            None,
            "it failed instead of dying: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        None
    }

    fn erase_until(&self, user: &str, fault: &str) -> Option<Value> {
        self.erase(user, &[("TOUCHSTONE_FAULT", fault)])
    }

    /// The dead process's lease runs out.
    fn let_the_lease_run_out(&self) {
        self.app.database.execute("UPDATE purge_operations SET due_at = 1 WHERE due_at IS NOT NULL");
    }

    /// The points that an undisturbed erasure passes.
    fn points(&self, user: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("points");
        assert!(self.erase(user, &[("TOUCHSTONE_FAULT_COUNT", file.to_str().unwrap())]).is_some());
        std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect()
    }

    /// What an erasure that ended has left behind.
    fn outcome(&self, user: &str, erased: &Value) -> Outcome {
        let subject = erased["subject_ref"].as_str().unwrap();
        let left = |table: &str| format!("(SELECT count(*) FROM {table} WHERE user_id = '{user}')");
        let tables = [
            "requests",
            "sessions",
            "interactions",
            "profiles",
            "user_playbooks",
            "evaluation_results",
            "partner_scores",
            "purge_work",
        ];
        let rows_left = tables.map(left).join(" + ");
        Outcome {
            status: erased["status"].clone(),
            deleted: erased["deleted_counts"].clone(),
            unlinked: erased["unlinked_agent_playbook_ids"].as_array().map_or(0, Vec::len),
            audit_rows: self.app.database.number(&format!("SELECT count(*) AS n FROM audit_events WHERE operation = 'ERASE' AND subject_ref = '{subject}'")),
            rows_left: self.app.database.number(&format!("SELECT {rows_left} AS n")),
        }
    }

    /// An undisturbed erasure to measure the others by.
    fn undisturbed(&self) -> Outcome {
        let user = self.user("undisturbed");
        let erased = self.erase(&user, &[]).unwrap();
        let outcome = self.outcome(&user, &erased);
        assert_eq!(outcome.status, "complete");
        assert_eq!((outcome.unlinked, outcome.audit_rows, outcome.rows_left), (1, 1, 0));
        assert_eq!(outcome.deleted["interactions"], TURNS);
        outcome
    }
}

on_both! {
    fn an_erasure_that_dies_at_any_commit_and_again_while_resumed_ends_as_if_it_had_not(app) {
        let sweep = Sweep::on(app);
        let expected = sweep.undisturbed();
        let points = sweep.points(&sweep.user("counted"));
        assert!(points.len() >= 8, "an erasure opens, raises, deletes and ends in commits of their own: {points:?}");
        // No resume has more commits than the whole: else one of them would escape the sweep.
        let beyond = format!("before-commit:{}", points.len() / 2 + 1);
        let mut matrix = String::from("first abort -> resume aborted at (a dash: the resume was over before)\n");

        for first in &points {
            write!(matrix, "{first:<16} ->").unwrap();
            for second in points.iter().chain([&beyond]) {
                let user = sweep.user(&format!("{first}/{second}"));
                assert_eq!(sweep.erase_until(&user, first), None, "{first} was not passed");
                sweep.let_the_lease_run_out();
                let resumed = sweep.erase_until(&user, second);
                let has_died_again = resumed.is_none();
                assert!(!has_died_again || *second != beyond, "a resume after {first} has more commits than the whole");
                sweep.let_the_lease_run_out();

                let erased = resumed.unwrap_or_else(|| sweep.erase(&user, &[]).unwrap());

                assert_eq!(sweep.outcome(&user, &erased), expected, "{first}, then {second}");
                assert_eq!(sweep.erase(&user, &[]).unwrap(), erased, "a repeat of {first}, then {second}");
                write!(matrix, " {:<15}", if has_died_again { second } else { "-" }).unwrap();
            }
            matrix.push('\n');
        }
        println!("{matrix}");
    }

    fn a_server_goes_on_with_an_erasure_that_died_elsewhere(app) {
        let sweep = Sweep::on(app);
        let expected = sweep.undisturbed();
        let points = sweep.points(&sweep.user("counted"));
        let users: Vec<_> = points.iter().map(|point| {
            let user = sweep.user(point);
            assert_eq!(sweep.erase_until(&user, point), None);
            user
        }).collect();
        sweep.let_the_lease_run_out();
        // What died before its first commit left no purge to go on with.
        let open = app.database.number("SELECT count(*) AS n FROM purge_operations") - 2;
        assert!(open >= i64::try_from(points.len()).unwrap() - 1);

        let _server = ServerProcess::on(&app.database.url);
        let unfinished = || app.database.number("SELECT count(*) AS n FROM purge_operations WHERE status <> 'complete'");
        let begun = std::time::Instant::now();
        while unfinished() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{} erasures do not go on", unfinished());
            std::thread::yield_now();
        }

        for user in users {
            let erased = sweep.erase(&user, &[]).unwrap();
            assert_eq!(sweep.outcome(&user, &erased), expected, "{user}");
        }
    }
}
