//! Sessions: right whatever the order of arrival, and gone as a whole.

use kernel::{AgentVersion, SessionId, Source, StoreError, UnitOfWork};
use learning::{DeleteSession, Interaction, LearningError, LearningKind, Publication, SessionTx, Thing};
use std::sync::Arc;
use storage::on_both;
use storage::testing::TestDatabase;

use super::{cite, happened, learning_id, publish, said, session, text, turn, user};
use crate::{found, org};

fn from(source: &str, version: &str, given: Publication) -> Publication {
    Publication {
        source: Source::new(source).unwrap(),
        agent_version: AgentVersion::new(version).unwrap(),
        ..given
    }
}

/// Whether ada's session in acme began and ended like this.
fn runs(db: &TestDatabase, first: (i64, &str, &str), last: (i64, &str, &str)) -> bool {
    let sql = format!(
        "SELECT count(*) AS n FROM sessions WHERE org_id = 'acme' AND user_id = 'ada' AND session_id = 's' \
         AND first_request_at = {} AND first_request_id = '{}' AND source = '{}' \
         AND last_request_at = {} AND last_request_id = '{}' AND agent_version = '{}'",
        first.0, first.1, first.2, last.0, last.1, last.2
    );
    db.number(&sql) == 1
}

/// Every order in which three things can arrive.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

on_both! {
    fn the_first_and_last_requests_are_known_whatever_the_order_of_arrival(db) {
        for (n, order) in ORDERS.iter().enumerate() {
            let in_org = format!("org-{n}");
            let requests = [
                from("web", "v1", said("ada", "s", "b", 10)),
                from("app", "v2", said("ada", "s", "a", 20)),
                from("cli", "v3", said("ada", "s", "c", 20)),
            ];
            for place in order {
                publish(&db.database, &in_org, requests[*place].clone()).unwrap();
            }
            db.execute(&format!("UPDATE sessions SET org_id = 'acme' WHERE org_id = '{in_org}'"));
            assert!(runs(db, (10, "b", "web"), (20, "c", "v3")), "{order:?}");
            db.execute("DELETE FROM sessions");
        }
    }

    fn requests_of_one_second_are_told_apart_by_their_ids_byte_by_byte(db) {
        for (request, source, version) in [("b", "x", "2"), ("a", "y", "3"), ("B", "z", "1"), ("é", "w", "4")] {
            publish(&db.database, "acme", from(source, version, said("ada", "s", request, 5))).unwrap();
        }

        assert!(runs(db, (5, "B", "z"), (5, "é", "4")));
    }

    fn two_users_who_share_a_session_id_have_two_sessions(db) {
        publish(&db.database, "acme", said("ada", "s", "r1", 10)).unwrap();
        publish(&db.database, "acme", said("bob", "s", "r2", 5)).unwrap();

        assert!(runs(db, (10, "r1", ""), (10, "r1", "")));
        let store: &dyn UnitOfWork<dyn SessionTx> = &db.database;
        let owners = store.transact(&org("acme"), |tx| tx.owners(&SessionId::new("s").unwrap()));
        assert_eq!(owners, Ok::<_, StoreError>(vec![user("ada"), user("bob")]));
    }

    fn a_rule_is_cited_once_by_a_session_under_its_newest_title(db) {
        let cited = |request: &str, at: i64, title: &str| {
            let citing = Interaction { citations: vec![cite(LearningKind::AgentPlaybook, "9", title)], ..turn("agent", "x") };
            Publication { interactions: vec![happened(at, citing)], ..said("ada", "s", request, at) }
        };
        for (request, at, title) in [("r2", 20, "Newer"), ("r1", 10, "Older"), ("r3", 30, "")] {
            publish(&db.database, "acme", cited(request, at, title)).unwrap();
        }

        assert_eq!(db.number("SELECT count(*) AS n FROM session_citations"), 1);
        assert_eq!(db.number("SELECT count(*) AS n FROM session_citations WHERE title = 'Newer' AND cited_at = 20"), 1);
    }

    fn a_deleted_session_takes_everything_of_it_and_nothing_else_with_it(db) {
        found(db, &["acme", "umbrella"]);
        let rich = |user_id: &str, request: &str| {
            let body = Interaction {
                shadow_content: text("y"),
                citations: vec![cite(LearningKind::Profile, "p", "t")],
                retrieved_learnings: vec![learning::RetrievedLearning {
                    kind: LearningKind::Profile,
                    learning_id: learning_id("p"),
                }],
                ..turn("agent", "x")
            };
            Publication { interactions: vec![happened(1, body)], ..said(user_id, "s", request, 1) }
        };
        publish(&db.database, "acme", rich("ada", "r1")).unwrap();
        publish(&db.database, "acme", said("ada", "s", "r2", 2)).unwrap();
        publish(&db.database, "acme", rich("bob", "r3")).unwrap();
        publish(&db.database, "umbrella", rich("ada", "r1")).unwrap();

        let delete = DeleteSession::new(Arc::new(db.database.clone()));
        let deleted = delete.delete(&org("acme"), &SessionId::new("s").unwrap(), Some(&user("ada")));

        assert_eq!(deleted, Ok(2));
        let tables = ["requests", "interactions", "sessions", "feed_entries", "work_items", "session_citations", "retrieved_learnings"];
        for table in tables {
            let left = format!("SELECT count(*) AS n FROM {table} WHERE org_id = 'acme' AND user_id = 'ada'");
            assert_eq!(db.number(&left), 0, "{table}");
            let others = format!("SELECT count(DISTINCT org_id || user_id) AS n FROM {table}");
            assert_eq!(db.number(&others), 2, "{table}");
        }
    }

    fn a_session_that_is_not_there_cannot_be_deleted(db) {
        publish(&db.database, "acme", said("ada", "s", "r1", 1)).unwrap();
        let delete = DeleteSession::new(Arc::new(db.database.clone()));

        let theirs = delete.delete(&org("umbrella"), &session("ada", "s").session, None);

        assert_eq!(theirs, Err(LearningError::NotFound(Thing::Session)));
    }
}
