//! What an experiment's sums may be relied on for: they equal a slow computation over the raw rows, whatever happened.

mod life;
mod slowly;

use ::experiments::{Arm, Experiment, HoldoutPercentage, ResultSums, ResultsReader as _};
use kernel::{ExperimentId, OrgId, Timestamp};

use crate::on_both;
use crate::testing::TestDatabase;
use life::{Life, Turn, Visit};

fn org(id: &str) -> OrgId {
    OrgId::new(id).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn experiment(id: &str, started_at: i64, ended_at: Option<i64>) -> Experiment {
    let holdout = HoldoutPercentage::new(50.0).unwrap();
    let started = Experiment::started(ExperimentId::new(id).unwrap(), holdout, at(started_at));
    Experiment { ended_at: ended_at.map(at), ..started }
}

/// One that has ended and one that runs, as the histories tag them.
fn experiments() -> [Experiment; 2] {
    [experiment("ended", 1_000, Some(2_000)), experiment("running", 1_500, None)]
}

const NOW: i64 = 2_500;

fn sums(db: &TestDatabase, of_org: &str, experiment: &Experiment) -> ResultSums {
    db.database.sums(&org(of_org), experiment, experiment.measures_until(at(NOW))).unwrap()
}

/// The sums but for the one that is divided, of which the order of addition decides the last bits.
fn assert_same(found: &ResultSums, expected: &ResultSums, context: &str) {
    let exact = |sums: &ResultSums| {
        let mut sums = *sums;
        sums.arms.treatment.outcomes.successes_squared_per_session = 0.0;
        sums.arms.holdout.outcomes.successes_squared_per_session = 0.0;
        sums
    };
    let divided = |sums: &ResultSums| {
        [sums.arms.treatment, sums.arms.holdout].map(|arm| arm.outcomes.successes_squared_per_session)
    };
    assert_eq!(exact(found), exact(expected), "{context}");
    for (found, expected) in divided(found).into_iter().zip(divided(expected)) {
        assert!((found - expected).abs() <= 1e-9 * expected.max(1.0), "{context}: {found} {expected}");
    }
}

/// Two organizations with the same names everywhere, so that whatever mixes them shows.
fn founded(db: &TestDatabase) {
    db.execute(
        "INSERT INTO organizations (org_id, profile, created_at) \
         VALUES ('acme', 'standard', 0), ('umbrella', 'standard', 0)",
    );
}

fn visit<'a>(
    user: &'a str,
    session: &'a str,
    request: &'a str,
    tag: (&'a str, &'a str),
    at: i64,
) -> Visit<'a> {
    Visit { org: "acme", user, session, request, tag: Some(tag), at, turns: &[Turn::AGENT] }
}

on_both! {
    fn sums_equal_a_slow_computation_over_the_raw_rows(db) {
        founded(db);
        for seed in 0..8 {
            let mut life = Life::new(db, seed);

            for _ in 0..60 {
                life.go_on();
            }

            for of_org in ["acme", "umbrella"] {
                for experiment in experiments() {
                    let expected = slowly::sums(db, of_org, &experiment, experiment.measures_until(at(NOW)));
                    let context = format!("seed {seed}, {of_org}, {}", experiment.id);
                    assert_same(&sums(db, of_org, &experiment), &expected, &context);
                }
            }
        }
    }

    fn the_totals_of_users_are_gone_when_their_sessions_and_exposures_are(db) {
        founded(db);
        let mut life = Life::new(db, 7);
        for _ in 0..80 {
            life.go_on();
        }
        assert!(db.number("SELECT count(*) AS n FROM experiment_users") > 0);

        db.execute("DELETE FROM experiment_sessions");
        assert!(db.number("SELECT count(*) AS n FROM experiment_users WHERE exposures > 0") > 0);
        assert_eq!(db.number("SELECT count(*) AS n FROM experiment_users WHERE exposures = 0"), 0);
        db.execute("DELETE FROM search_exposures");

        assert_eq!(db.number("SELECT count(*) AS n FROM experiment_users"), 0);
    }

    fn the_earliest_tagged_request_gives_the_arm_whatever_the_order_of_arrival(db) {
        founded(db);
        for (request, arm, time) in [("r-2", "treatment", 1_600), ("r-1", "holdout", 1_600), ("r-0", "treatment", 1_700)] {
            life::publish(db, &visit("ada", "s", request, ("running", arm), time));
        }

        let arms = sums(db, "acme", &experiments()[1]).arms;

        assert_eq!((arms.treatment.published_sessions, arms.holdout.published_sessions), (0, 1));
        assert_eq!((arms.treatment.assigned_users, arms.holdout.assigned_users), (0, 1));
    }

    fn users_who_share_a_session_id_have_a_session_each(db) {
        founded(db);
        life::publish(db, &visit("ada", "s", "r-1", ("running", "holdout"), 1_600));
        life::publish(db, &visit("bob", "s", "r-2", ("running", "treatment"), 1_600));
        life::judge(db, "acme", "ada", "s", 1_600);

        let arms = sums(db, "acme", &experiments()[1]).arms;

        assert_eq!((arms.treatment.published_sessions, arms.holdout.published_sessions), (1, 1));
        assert_eq!((arms.treatment.outcomes.sessions, arms.holdout.outcomes.sessions), (0, 1));
    }

    fn the_window_holds_both_its_ends(db) {
        founded(db);
        for (session, time) in [("before", 999), ("first", 1_000), ("last", 2_000), ("after", 2_001)] {
            life::publish(db, &visit("ada", session, session, ("ended", "holdout"), time));
            life::judge(db, "acme", "ada", session, time);
        }

        let found = sums(db, "acme", &experiments()[0]);

        assert_eq!(found.arms.holdout.outcomes.sessions, 2);
        assert_eq!(found.arms.holdout.published_sessions, 4);
        assert_eq!(found.evaluated_sessions, 2);
        assert_eq!(found.late_sessions, 1);
    }

    fn a_session_with_an_uncounted_turn_is_left_out_of_the_tokens(db) {
        founded(db);
        let whole = [Turn { tokens: Some(7), ..Turn::AGENT }, Turn { tokens: Some(5), ..Turn::AGENT }];
        let partly = [Turn { tokens: Some(100), ..Turn::AGENT }, Turn { tokens: None, ..Turn::AGENT }];
        for (session, turns) in [("whole", &whole), ("partly", &partly)] {
            let visit = Visit { turns, ..visit("ada", session, session, ("running", "holdout"), 1_600) };
            life::publish(db, &visit);
        }

        let tokens = sums(db, "acme", &experiments()[1]).arms.holdout.output_tokens;

        assert_eq!((tokens.total, tokens.sessions), (12, 1));
    }

    fn an_outcome_is_counted_whether_it_came_before_or_after_the_tag(db) {
        founded(db);
        life::judge(db, "acme", "ada", "judged-first", 1_600);
        life::publish(db, &visit("ada", "judged-first", "r-1", ("running", "treatment"), 1_600));
        life::publish(db, &visit("ada", "tagged-first", "r-2", ("running", "treatment"), 1_600));
        life::judge(db, "acme", "ada", "tagged-first", 1_600);

        assert_eq!(sums(db, "acme", &experiments()[1]).arms.treatment.outcomes.sessions, 2);
    }

    fn a_tag_and_an_outcome_that_come_at_once_find_each_other(db) {
        founded(db);
        let sessions: Vec<String> = (0..24).map(|n| format!("s-{n}")).collect();

        for session in &sessions {
            let meeting = std::sync::Barrier::new(2);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    meeting.wait();
                    life::enter(db, &visit("ada", session, session, ("running", "holdout"), 1_600), "running", Arm::Holdout);
                });
                meeting.wait();
                life::judge(db, "acme", "ada", session, 1_600);
            });
        }

        assert_eq!(sums(db, "acme", &experiments()[1]).arms.holdout.outcomes.sessions, 24);
    }

    fn an_experiment_without_a_request_has_sums_of_nothing(db) {
        founded(db);

        assert_eq!(sums(db, "acme", &experiments()[1]), ResultSums::default());
    }
}
