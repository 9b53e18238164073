//! The queries of one overview, as they went to the database, and how it answers them.

use std::cell::RefCell;
use std::fmt::Write as _;

use diesel::connection::{Instrumentation, InstrumentationEvent};
use diesel::sql_types::Text;
use diesel::{QueryableByName, RunQueryDsl as _};
use evaluation::ReadOverview;
use kernel::OrgId;

use super::{query, window};
use crate::raw::Raw;

thread_local! {
    /// What this thread has asked since it began to listen.
    static ASKED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Hears what connections that are made from now on are asked.
struct Listener;

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            ASKED.with_borrow_mut(|asked| asked.push(query.to_string()));
        }
    }
}

#[derive(QueryableByName)]
struct SqliteStep {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[derive(QueryableByName)]
struct PostgresStep {
    #[diesel(sql_type = Text)]
    #[diesel(column_name = "QUERY PLAN")]
    step: String,
}

/// Tells the queries of an overview of ninety days, each with its plan.
pub(super) fn told(read: &ReadOverview, raw: &mut Raw) -> anyhow::Result<String> {
    ASKED.take();
    read.read(&OrgId::new("acme")?, &query(window(90)?))?;
    let asked = ASKED.take();
    let (mut told, mut scans) = (String::new(), 0);
    let is_question = |text: &&String| text.starts_with("SELECT") || text.starts_with("WITH");
    let queries: Vec<_> = asked.iter().filter(is_question).collect();
    for asked in &queries {
        let statement = asked.split(" -- binds").next().unwrap_or_default();
        let steps = plan(raw, statement)?;
        for table in steps.iter().filter_map(|step| scanned(step)) {
            scans += usize::from(is_large(raw, table)?);
        }
        let begins: String = statement.chars().take(150).collect();
        writeln!(told, "{begins}…\n    {}", steps.join("\n    "))?;
    }
    Ok(format!("{} queries, {scans} scans of a table with a thousand rows or more\n\n{told}", queries.len()))
}

fn plan(raw: &mut Raw, statement: &str) -> anyhow::Result<Vec<String>> {
    Ok(match raw {
        Raw::Sqlite(conn) => {
            let steps: Vec<SqliteStep> =
                diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}")).load(conn)?;
            steps.into_iter().map(|step| step.detail).collect()
        }
        Raw::Postgres(_) => {
            raw.batch("SET plan_cache_mode = force_generic_plan")?;
            raw.batch(&format!("PREPARE asked AS {statement}"))?;
            // The most that is bound is more than the binds of the rules' titles.
            let binds = (1..=99).rev().find(|bind| statement.contains(&format!("${bind}"))).unwrap_or(0);
            let nulls = vec!["NULL"; binds].join(", ");
            let explain = format!("EXPLAIN (COSTS OFF) EXECUTE asked({nulls})");
            let Raw::Postgres(conn) = raw else { return Ok(Vec::new()) };
            let steps: Vec<PostgresStep> = diesel::sql_query(explain).load(conn)?;
            raw.batch("DEALLOCATE asked")?;
            steps.into_iter().map(|step| step.step).filter(|step| is_telling(step)).collect()
        }
    })
}

/// Whether a step says how rows are found; sorting and grouping do not.
fn is_telling(step: &str) -> bool {
    ["Scan", "Index Cond", "Group", "Sort Key"].iter().any(|word| step.contains(word))
}

/// Whether it matters that a table is scanned: an index makes no difference to one of a few rows.
fn is_large(raw: &mut Raw, table: &str) -> anyhow::Result<bool> {
    let counted = format!("SELECT count(*) AS n FROM (SELECT 1 FROM {table} LIMIT 1000) AS seen");
    Ok(raw.numbers(&counted, &[])?.first().is_some_and(|rows| *rows >= 1_000))
}

/// The table that a step scans, if it does; what another step has gathered is none.
fn scanned(step: &str) -> Option<&str> {
    let gathered = ["pieces", "counted", "rules", "grains", "versions", "CONSTANT", "(subquery"];
    let named =
        step.split_once("Seq Scan on ").map(|(_, rest)| rest).or_else(|| step.strip_prefix("SCAN "))?;
    let table = named.split(' ').next()?;
    (!gathered.contains(&table) && !named.contains("CONSTANT ROW")).then_some(table)
}

/// Begins to listen to the connections that are made from now on.
pub(super) fn listen() -> anyhow::Result<()> {
    diesel::connection::set_default_instrumentation(|| Some(Box::new(Listener)))?;
    Ok(())
}
