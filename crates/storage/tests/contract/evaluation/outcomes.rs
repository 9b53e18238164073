//! One outcome per session, and what follows it: the totals, the cited rules, the verdicts' source.

use evaluation::overview::{CitingSession, Cut, RuleKey, RuleTitle};
use evaluation::{CitedRuleReceiver, FailureType, LearningKind, Tally, VerdictTx};
use kernel::UnitOfWork;
use storage::on_both;
use storage::testing::TestDatabase;

use super::samples::{
    DAY, HOUR, MONDAY, cite, delete, failure, judged, keep, named, of_version, publish, session, shadow,
    slice, snapshot, source, success, tally, version, window,
};
use crate::{at, org};

/// The tallies of all time, source by source.
fn totals(db: &TestDatabase) -> Vec<(String, Tally)> {
    let everything = slice(MONDAY - 1_000 * DAY, MONDAY + 1_000 * DAY);
    let mut rows: Vec<_> = snapshot(&db.database, |snapshot| snapshot.tallies(&everything, Cut::Whole))
        .into_iter()
        .map(|row| (row.source.into_string(), row.tally))
        .collect();
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    rows
}

#[derive(Default)]
struct Rules(Vec<(String, String, u64, u64)>);

impl CitedRuleReceiver for Rules {
    fn receive(&mut self, cited: evaluation::overview::CitedRule) {
        self.0.push((cited.rule.rule_id, cited.source.into_string(), cited.successes, cited.failures));
    }
}

fn cited(db: &TestDatabase) -> Vec<(String, String, u64, u64)> {
    let mut rules = Rules::default();
    snapshot(&db.database, |snapshot| snapshot.cited_rules(&slice(0, i64::MAX), &mut rules));
    rules.0
}

const RULE: (LearningKind, &str) = (LearningKind::Profile, "p1");

on_both! {
    fn a_session_counts_once_however_often_it_was_judged(db) {
        let first = judged("ada", "s1", MONDAY);
        let mut newer = of_version(first.clone(), "v2");
        newer.judged_at = at(MONDAY + 2 * HOUR);
        newer.judgement = failure(FailureType::SystemError);

        keep(&db.database, &[first.clone(), newer.clone()]).unwrap();

        assert_eq!(totals(db), [(String::new(), tally(&[&newer.judgement]))]);
        // Judged again, the first version is the newest.
        let again = evaluation::JudgedResult { judged_at: at(MONDAY + 3 * HOUR), ..first };
        keep(&db.database, std::slice::from_ref(&again)).unwrap();
        assert_eq!(totals(db), [(String::new(), tally(&[&success()]))]);
    }

    fn another_evaluation_speaks_only_where_no_agent_success_does(db) {
        let mut tone = named(judged("ada", "s1", MONDAY), "tone");
        tone.judged_at = at(MONDAY + 9 * HOUR);
        tone.judgement = failure(FailureType::WrongAnswer);
        keep(&db.database, std::slice::from_ref(&tone)).unwrap();
        assert_eq!(totals(db), [(String::new(), tally(&[&tone.judgement]))]);

        keep(&db.database, &[judged("ada", "s1", MONDAY)]).unwrap();

        assert_eq!(totals(db), [(String::new(), tally(&[&success()]))]);
    }

    fn two_users_with_one_session_id_are_two_sessions(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY), judged("bob", "s1", MONDAY)]).unwrap();

        assert_eq!(totals(db)[0].1.n, 2);
    }

    fn an_earlier_request_moves_what_was_said_of_its_session(db) {
        let of = session("ada", "s1");
        publish(db, &of, "r2", MONDAY + 5 * DAY, "app");
        let mut result = judged("ada", "s1", MONDAY + 5 * DAY);
        result.source = source("app");
        keep(&db.database, &[result.clone(), of_version(result, "v2")]).unwrap();
        cite(db, &of, RULE, "T", (MONDAY, 1));
        let verdicts: &dyn UnitOfWork<dyn VerdictTx> = &db.database;
        let verdict = shadow(&of, 1, "v1", MONDAY);
        verdicts.transact(&org("acme"), |tx| tx.keep_shadow_verdict(&verdict)).unwrap();

        publish(db, &of, "r1", MONDAY + 10, "web");
        publish(db, &of, "r0", MONDAY + 20, "mail");

        let moved = db.number(&format!(
            "SELECT count(*) AS n FROM evaluation_results WHERE created_at = {} AND source = 'web'", MONDAY + 10));
        assert_eq!(moved, 2);
        assert_eq!(totals(db), [("web".to_owned(), tally(&[&success()]))]);
        assert_eq!(cited(db), [("p1".to_owned(), "web".to_owned(), 1, 0)]);
        let first_hour = slice(MONDAY, MONDAY + HOUR - 1);
        let rows = snapshot(&db.database, |snapshot| snapshot.tallies(&first_hour, Cut::Whole));
        assert_eq!(rows.len(), 1);
        let counted = snapshot(&db.database, |snapshot| {
            snapshot.verdicts(window(0, i64::MAX), &version("v1"), evaluation::Bucket::Day)
        });
        assert_eq!(counted[0].source, source("web"));
    }

    fn a_session_that_is_published_after_its_import_takes_its_own_start(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY)]).unwrap();

        publish(db, &session("ada", "s1"), "r1", MONDAY + DAY, "web");

        let moved = format!("SELECT count(*) AS n FROM session_outcomes WHERE created_at = {}", MONDAY + DAY);
        assert_eq!(db.number(&moved), 1);
        assert_eq!(totals(db), [("web".to_owned(), tally(&[&success()]))]);
    }

    fn deleted_sessions_leave_the_totals_without_a_trace(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY), judged("ada", "s2", MONDAY), judged("bob", "s1", MONDAY)])
            .unwrap();

        delete(db, &["session_outcomes"], "ada", Some("s1"));
        assert_eq!(totals(db)[0].1.n, 2);
        delete(db, &["session_outcomes"], "ada", None);
        delete(db, &["session_outcomes"], "bob", None);

        assert_eq!(totals(db), []);
        assert_eq!(db.number("SELECT count(*) AS n FROM outcome_rollup"), 0);
    }

    fn a_rule_counts_once_per_session_with_the_outcome_that_stands(db) {
        let (one, two) = (session("ada", "s1"), session("bob", "s1"));
        cite(db, &one, RULE, "", (MONDAY, 1));
        cite(db, &one, RULE, "again", (MONDAY, 2));
        cite(db, &two, RULE, "", (MONDAY, 3));
        let mut bad = judged("bob", "s1", MONDAY);
        bad.judgement = failure(FailureType::WrongAnswer);

        keep(&db.database, &[judged("ada", "s1", MONDAY), bad.clone()]).unwrap();
        assert_eq!(cited(db), [("p1".to_owned(), String::new(), 1, 1)]);

        bad.judgement = success();
        keep(&db.database, std::slice::from_ref(&bad)).unwrap();
        assert_eq!(cited(db), [("p1".to_owned(), String::new(), 2, 0)]);
        delete(db, &["session_citations"], "ada", None);
        assert_eq!(cited(db), [("p1".to_owned(), String::new(), 1, 0)]);
        delete(db, &["session_outcomes"], "bob", None);
        assert_eq!(cited(db), []);
    }

    fn a_citation_after_the_judgement_counts_too(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY)]).unwrap();

        cite(db, &session("ada", "s1"), RULE, "T", (MONDAY, 1));

        assert_eq!(cited(db), [("p1".to_owned(), String::new(), 1, 0)]);
    }

    fn the_sources_of_a_rule_come_one_after_another(db) {
        for (number, (name, rule)) in
            [("web", "p2"), ("app", "p1"), ("web", "p1"), ("", "p2"), ("app", "p2")].into_iter().enumerate()
        {
            let id = format!("s{number}");
            cite(db, &session("ada", &id), (LearningKind::Profile, rule), "", (MONDAY, 1));
            let mut result = judged("ada", &id, MONDAY);
            result.source = source(name);
            keep(&db.database, &[result]).unwrap();
        }

        let rules: Vec<_> = cited(db).into_iter().map(|row| row.0).collect();

        assert_eq!(rules, ["p1", "p1", "p2", "p2", "p2"]);
    }

    fn a_title_is_the_newest_that_a_session_of_the_window_used_and_not_empty(db) {
        let cites = [("s1", MONDAY, "old", MONDAY + 5), ("s2", MONDAY, "newer", MONDAY + 6), ("s3", MONDAY, "", MONDAY + 9),
            ("s4", MONDAY + DAY, "outside", MONDAY + 99)];
        for (id, began, title, cited_at) in cites {
            keep(&db.database, &[judged("ada", id, began)]).unwrap();
            cite(db, &session("ada", id), RULE, title, (cited_at, 1));
        }
        let rule = |id: &str| RuleKey { kind: LearningKind::Profile, rule_id: id.to_owned() };
        let first_day = slice(MONDAY, MONDAY + DAY - 1);

        let titles = snapshot(&db.database, |snapshot| snapshot.rule_titles(first_day.window, &[rule("p1"), rule("p9")]));
        let mut citing = snapshot(&db.database, |snapshot| snapshot.citing_sessions(&first_day, &[rule("p1")]));

        assert_eq!(titles, [RuleTitle { rule: rule("p1"), title: "newer".to_owned() }]);
        citing.sort_by(|one, other| one.session_id.cmp(&other.session_id));
        let sessions: Vec<_> = citing.iter().map(|row: &CitingSession| row.session_id.as_str()).collect();
        assert_eq!(sessions, ["s1", "s2", "s3"]);
    }

    fn neighbours_who_judge_at_once_lose_no_count(db) {
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let database = db.database.clone();
                scope.spawn(move || {
                    for n in 0..10 {
                        let result = judged(&format!("u{writer}"), &format!("s{n}"), MONDAY);
                        keep(&database, &[result]).unwrap();
                    }
                });
            }
        });

        assert_eq!(totals(db)[0].1.n, 80);
    }

    fn a_new_outcome_reaches_the_experiment_of_its_session_and_leaves_the_arm_alone(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY)]).unwrap();
        db.execute(
            "INSERT INTO experiment_sessions (org_id, user_id, session_id, experiment_id, arm, first_tagged_at, \
             first_tagged_id, last_tagged_at, output_tokens, uncounted_turns, is_contaminated) \
             SELECT org_id, user_id, session_id, 'exp', 'holdout', 1, 'r', 1, 0, 0, false FROM session_outcomes",
        );
        let mut again = judged("ada", "s1", MONDAY);
        again.judgement = failure(FailureType::MissingTool);

        keep(&db.database, &[again]).unwrap();

        let kept = "SELECT count(*) AS n FROM experiment_sessions WHERE arm = 'holdout' AND NOT is_success";
        assert_eq!(db.number(kept), 1);
        assert_eq!(totals(db)[0].1.n, 1);
    }
}
