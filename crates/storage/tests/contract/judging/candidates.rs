//! The sessions that a replay chooses from: those with a request in the window, at a cost that follows the window.

use std::collections::BTreeSet;

use evaluation::judging::{Candidate, CandidateReader, CandidateReceiver};
use kernel::Window;
use storage::on_both;
use storage::testing::{TestDatabase, asked_by, listen, scanned_table};

use super::{published, session};
use crate::{at, org};

#[derive(Default)]
struct Collected(Vec<Candidate>);

impl CandidateReceiver for Collected {
    fn receive(&mut self, candidate: Candidate) {
        self.0.push(candidate);
    }
}

fn candidates(database: &storage::Database, from: i64, to: i64) -> Vec<Candidate> {
    let mut collected = Collected::default();
    database.candidates(&org("acme"), Window::new(at(from), at(to)).unwrap(), &mut collected).unwrap();
    collected.0
}

/// Adds a request to a session.
fn requested(db: &TestDatabase, user: &str, session: &str, at: i64) {
    db.execute(&format!(
        "INSERT INTO requests (org_id, request_id, user_id, session_id, created_at, source, agent_version, \
         evaluation_only, body_digest) \
         VALUES ('acme', 'more-{user}-{session}-{at}', '{user}', '{session}', {at}, 'x', 'v', FALSE, '')"
    ));
}

/// Gives ada 2,100 sessions of two requests each: 1,500 of a second, and each session's far apart.
fn many(db: &TestDatabase) {
    let numbers =
        "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4199)";
    db.execute(&format!(
        "INSERT INTO requests (org_id, request_id, user_id, session_id, created_at, source, agent_version, \
         evaluation_only, body_digest) {numbers} \
         SELECT 'acme', 'r' || n, 'ada', 's' || (n % 2100), 1000 + n / 1500, 'web', 'v', FALSE, '' FROM numbers"
    ));
    db.execute(&format!(
        "INSERT INTO sessions (org_id, user_id, session_id, first_request_at, first_request_id, source, \
         last_request_at, last_request_id, agent_version) {numbers} \
         SELECT 'acme', 'ada', 's' || n, 1000 + n / 1500, 'r' || n, 'web', 1000 + (n + 2100) / 1500, \
         'r' || (n + 2100), 'v' FROM numbers WHERE n < 2100"
    ));
}

/// Whether a step goes to one session, or from the last request seen to the end of the window and no further.
fn is_bounded(step: &str) -> bool {
    let step = step.replace(' ', "");
    let of_a_session = step.contains("session_id=") && step.contains("user_id=");
    of_a_session || (step.contains("(created_at,request_id)>") && step.contains("created_at<"))
}

on_both! {
    fn candidates_are_the_sessions_with_a_request_in_the_window_each_once(db) {
        published(db, "ada", "before", 9);
        published(db, "ada", "first", 10);
        published(db, "ada", "last", 20);
        published(db, "ada", "after", 21);
        published(db, "bob", "first", 15);
        requested(db, "ada", "first", 12);

        let found = candidates(&db.database, 10, 20);

        let mut sessions: Vec<_> = found.iter().map(|one| (one.session.clone(), one.began_at)).collect();
        sessions.sort();
        assert_eq!(
            sessions,
            [(session("ada", "first"), at(10)), (session("ada", "last"), at(20)), (session("bob", "first"), at(15))]
        );
        assert!(found.iter().all(|candidate| candidate.source.as_str() == "web"));
    }

    fn a_session_around_the_window_is_a_candidate_only_if_it_has_a_request_in_it(db) {
        for id in ["in", "around"] {
            published(db, "ada", id, 1);
            requested(db, "ada", id, 30);
        }
        requested(db, "ada", "in", 11);
        requested(db, "ada", "in", 12);
        db.execute("UPDATE sessions SET last_request_at = 30");

        let found = candidates(&db.database, 10, 20);

        let sessions: Vec<_> = found.into_iter().map(|one| (one.session, one.began_at)).collect();
        assert_eq!(sessions, [(session("ada", "in"), at(1))]);
    }

    fn every_candidate_of_many_pages_comes_once(db) {
        many(db);

        let found = candidates(&db.database, 1_000, 1_002);

        let distinct: BTreeSet<_> = found.iter().map(|candidate| &candidate.session).collect();
        assert_eq!((found.len(), distinct.len()), (2_100, 2_100));
    }

    fn looking_for_candidates_reads_nothing_outside_the_window(db) {
        listen();
        let heard = db.another_server();
        many(db);
        db.execute("ANALYZE");

        let (asked, _) = asked_by(|| candidates(&heard, 1_000, 1_002));

        assert!(!asked.is_empty());
        for question in &asked {
            let steps = db.plan(question);
            let seeks: Vec<_> =
                steps.iter().filter(|step| step.contains("SEARCH") || step.contains("Index Cond")).collect();
            assert!(!seeks.is_empty(), "{steps:#?}");
            assert!(seeks.iter().all(|step| is_bounded(step)), "{steps:#?}");
            assert!(!steps.iter().any(|step| scanned_table(step).is_some()), "{steps:#?}");
        }
    }
}
