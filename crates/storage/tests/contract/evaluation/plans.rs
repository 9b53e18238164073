//! How the overview is read: by a fixed number of queries, each of which finds its rows by an index.

use std::sync::Arc;

use evaluation::{
    Bucket, Escalation, FailureType, LearningKind, Outcome, OverviewQuery, Part, ReadOverview, ResultFilter,
    ResultReader as _, ResultTx, ShadowMode, ShadowSettings, ShadowSetup, SourceSets,
};
use kernel::{AgentVersion, OrgId, Period, StoreError, UnitOfWork};
use storage::on_both;
use storage::testing::{Asked, TestDatabase, asked_by, listen, scanned_table};

use super::samples::{At, DAY, MONDAY, cite, judged, keep, session, source, user, version, window};
use crate::org;

struct Pinned;

impl ShadowSettings for Pinned {
    fn shadow(&self, _org: &OrgId) -> Result<ShadowSetup, StoreError> {
        Ok(ShadowSetup { mode: ShadowMode::On, pinned: version("v1") })
    }
}

/// The questions of one overview with all its parts, of all versions or of one.
fn asked(database: &storage::Database, agent_version: Option<AgentVersion>) -> Vec<Asked> {
    let query = OverviewQuery {
        window: window(MONDAY + 5, MONDAY + 20 * DAY + 5),
        agent_version,
        bucket: Bucket::Week,
        shadow: Part::Included,
        sessions: Part::Included,
        source_sets: SourceSets::default(),
    };
    let overview = ReadOverview::new(Arc::new(database.clone()), Arc::new(Pinned), Arc::new(At(MONDAY)));
    asked_by(|| overview.read(&org("acme"), &query).unwrap()).0
}

/// The question for one page of results by this filter.
fn listed(database: &storage::Database, filter: &ResultFilter) -> Asked {
    let (asked, _) = asked_by(|| database.results(&org("acme"), filter, None, 50).unwrap());
    asked.into_iter().next().unwrap()
}

/// Keeps this many sessions, each with a citation.
fn fill(db: &TestDatabase, user: &str, sessions: i64) {
    for n in 0..sessions {
        let id = format!("s{n}");
        cite(db, &session(user, &id), (LearningKind::Profile, &format!("p{}", n % 7)), "T", (n, n));
    }
    let results: Vec<_> = (0..sessions).map(|n| judged(user, &format!("s{n}"), MONDAY + n * 3_000)).collect();
    keep(&db.database, &results).unwrap();
}

on_both! {
    fn no_query_of_the_overview_scans_a_table_and_their_number_does_not_grow(db) {
        listen();
        let heard = db.another_server();
        fill(db, "ada", 5);
        let few = asked(&heard, None);
        fill(db, "bob", 200);
        db.execute("ANALYZE");

        let many = asked(&heard, None);

        assert!(few.len() >= 12, "all parts were asked for: {few:#?}");
        assert_eq!(many.len(), few.len());
        assert!(!db.plan(&listed(&heard, &ResultFilter::default())).is_empty(), "a question outside a snapshot has no plan");
        for question in many.iter().chain(&asked(&heard, Some(AgentVersion::unstated()))) {
            let steps = db.plan(question);
            assert!(!steps.is_empty());
            assert!(!steps.iter().any(|step| scanned_table(step).is_some()), "{question:#?}\n{steps:#?}");
        }
    }
}

#[test]
fn many_sessions_are_found_by_one_look_each() {
    listen();
    let db = TestDatabase::sqlite();
    let results: Vec<_> = (0..3).map(|n| judged(&format!("user-{n}"), &format!("s{n}"), MONDAY)).collect();

    let (asked, kept) = asked_by(|| keep(&db.database, &results));

    kept.unwrap();
    keep(&db.database, &results).unwrap();
    let identities: Vec<_> = results.iter().map(|result| result.identity.clone()).collect();
    let store: &dyn UnitOfWork<dyn ResultTx> = &db.database;
    let (found, existing) =
        asked_by(|| store.transact(&org("acme"), |tx| Ok::<_, StoreError>(tx.existing(&identities)?.len())));
    assert_eq!(existing, Ok(3));
    let by_pairs: Vec<_> =
        asked.iter().chain(&found).filter(|asked| asked.statement.contains("json_each")).collect();
    assert!(!by_pairs.is_empty());
    for question in by_pairs {
        let steps = db.plan(question).join("; ");
        assert!(steps.contains("(org_id=? AND session_id=? AND user_id=?)"), "{question:?}: {steps}");
    }
}

#[test]
fn every_filter_of_results_seeks_in_an_index_in_the_order_of_the_list() {
    listen();
    let db = TestDatabase::sqlite();
    fill(&db, "ada", 50);
    let every = || ResultFilter {
        period: Period::new(None, Some(crate::at(MONDAY))).unwrap(),
        ..ResultFilter::default()
    };
    let filters = [
        (every(), "by_time"),
        (ResultFilter { user_id: Some(user("ada")), ..every() }, "by_user"),
        (ResultFilter { agent_version: Some(AgentVersion::unstated()), ..every() }, "by_version"),
        (ResultFilter { source: Some(source("web")), ..every() }, "by_source"),
        (ResultFilter { outcome: Some(Outcome::Failure), ..every() }, "failed"),
        (ResultFilter { outcome: Some(Outcome::FailureBy(FailureType::WrongTool)), ..every() }, "failed"),
        (ResultFilter { escalation: Some(Escalation::Escalated), ..every() }, "escalated"),
    ];

    for (filter, index) in filters {
        let steps = db.plan(&listed(&db.database, &filter)).join("; ");

        assert!(steps.contains(&format!("evaluation_results_{index} ")), "{filter:?}: {steps}");
        assert!(!steps.contains("TEMP B-TREE"), "{filter:?} sorts: {steps}");
    }
}
