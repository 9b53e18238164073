//! How the overview is read: by a fixed number of queries, each of which finds its rows by an index.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

use diesel::connection::{Instrumentation, InstrumentationEvent};
use diesel::prelude::*;
use evaluation::{
    Bucket, Escalation, FailureType, LearningKind, Outcome, OverviewQuery, Part, ReadOverview, ResultFilter,
    ResultReader as _, ShadowMode, ShadowSettings, ShadowSetup, SourceSets,
};
use kernel::{AgentVersion, OrgId, Period, StoreError};
use storage::testing::TestDatabase;

use super::samples::{At, DAY, MONDAY, cite, judged, keep, session, source, user, version, window};
use crate::org;

thread_local! {
    /// What this thread has asked since it began to listen.
    static ASKED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct Listener;

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let text = query.to_string();
            let statement = text.split(" -- binds").next().unwrap_or_default().to_owned();
            ASKED.with_borrow_mut(|asked| asked.push(statement));
        }
    }
}

struct Pinned;

impl ShadowSettings for Pinned {
    fn shadow(&self, _org: &OrgId) -> Result<ShadowSetup, StoreError> {
        Ok(ShadowSetup { mode: ShadowMode::On, pinned: version("v1") })
    }
}

/// The queries of one overview with all its parts.
fn asked(database: &storage::Database) -> Vec<String> {
    let query = OverviewQuery {
        window: window(MONDAY + 5, MONDAY + 20 * DAY + 5),
        agent_version: None,
        bucket: Bucket::Week,
        shadow: Part::Included,
        sessions: Part::Included,
        source_sets: SourceSets::default(),
    };
    ASKED.take();
    ReadOverview::new(
        Arc::new(database.clone()),
        Arc::new(database.clone()),
        Arc::new(Pinned),
        Arc::new(At(MONDAY)),
    )
    .read(&org("acme"), &query)
    .unwrap();
    ASKED.take().into_iter().filter(|text| text.starts_with("SELECT") || text.starts_with("WITH")).collect()
}

/// The query of one page of results by this filter.
fn listed(database: &storage::Database, filter: &ResultFilter) -> String {
    ASKED.take();
    database.results(&org("acme"), filter, None, 50).unwrap();
    ASKED.take().into_iter().find(|text| text.starts_with("SELECT")).unwrap()
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

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = diesel::sql_types::Text)]
    detail: String,
}

/// The steps by which a query is answered.
fn plan(conn: &mut SqliteConnection, query: &str) -> Vec<String> {
    let steps: Vec<Step> = diesel::sql_query(format!("EXPLAIN QUERY PLAN {query}")).load(conn).unwrap();
    steps.into_iter().map(|step| step.detail).collect()
}

/// A scan of what another step has gathered, or of a constant, is no scan of a table.
fn scans_a_table(step: &str) -> bool {
    let gathered = ["pieces", "counted", "rules", "grains", "versions"];
    step.strip_prefix("SCAN ").is_some_and(|rest| {
        !rest.contains("CONSTANT ROW") && !gathered.iter().any(|name| rest.starts_with(name))
    })
}

#[test]
fn no_query_of_the_overview_scans_a_table_and_their_number_does_not_grow() {
    diesel::connection::set_default_instrumentation(|| Some(Box::new(Listener))).unwrap();
    let db = TestDatabase::sqlite();
    fill(&db, "ada", 5);
    let few = asked(&db.database);
    fill(&db, "bob", 200);

    let many = asked(&db.database);

    assert!(few.len() >= 12, "all parts were asked for: {few:#?}");
    assert_eq!(many.len(), few.len());
    let mut conn = SqliteConnection::establish(db.url.trim_start_matches("sqlite://")).unwrap();
    let mut plans = String::new();
    for query in &many {
        let steps = plan(&mut conn, query);
        writeln!(plans, "{query}\n    {}\n", steps.join("\n    ")).unwrap();
        assert!(!steps.is_empty());
        assert!(!steps.iter().any(|step| scans_a_table(step)), "{query}\n{steps:#?}");
    }
    if let Some(path) = std::env::var_os("TOUCHSTONE_PLANS") {
        std::fs::write(path, plans).unwrap();
    }
}

#[test]
fn every_filter_of_results_seeks_in_an_index_in_the_order_of_the_list() {
    diesel::connection::set_default_instrumentation(|| Some(Box::new(Listener))).unwrap();
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
        let query = listed(&db.database, &filter);
        let mut conn = SqliteConnection::establish(db.url.trim_start_matches("sqlite://")).unwrap();
        let steps = plan(&mut conn, &query).join("; ");

        assert!(steps.contains(&format!("evaluation_results_{index} ")), "{filter:?}: {steps}");
        assert!(!steps.contains("TEMP B-TREE"), "{filter:?} sorts: {steps}");
    }
}
