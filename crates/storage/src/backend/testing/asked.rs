//! What a database was asked, and how it goes about it.

use std::cell::RefCell;

use diesel::connection::{Instrumentation, InstrumentationEvent, SimpleConnection as _};
use diesel::sql_types::Text;
use diesel::{QueryResult, QueryableByName, RunQueryDsl as _};

use super::TestDatabase;
use crate::DatabaseUrl;
use crate::backend::AnyConnection;

thread_local! {
    /// What this thread has sent since it last began to listen.
    static SENT: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Hears what its connection is asked.
struct Listener;

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let text = query.to_string();
            let statement = text.split(" -- binds").next().unwrap_or_default().to_owned();
            SENT.with_borrow_mut(|sent| sent.push(statement));
        }
    }
}

/// A question to the database.
#[derive(Debug)]
pub struct Asked {
    /// Its text, with a number for each value.
    pub statement: String,
    /// What its transaction had set before.
    settings: Vec<String>,
}

/// Hears every connection that this process opens from now on.
///
/// # Panics
/// When another thread has broken the place where listeners are kept.
#[expect(clippy::unwrap_used, reason = "a test that hears nothing cannot go on")]
pub fn listen() {
    diesel::connection::set_default_instrumentation(|| Some(Box::new(Listener))).unwrap();
}

/// The questions that this work asks on this thread, by connections that are listened to.
pub fn asked_by<T>(work: impl FnOnce() -> T) -> (Vec<Asked>, T) {
    SENT.take();
    let answer = work();
    let (mut asked, mut settings) = (Vec::new(), Vec::new());
    for statement in SENT.take() {
        let begins_with = |words: &[&str]| words.iter().any(|word| statement.starts_with(word));
        if begins_with(&["SELECT", "WITH"]) {
            asked.push(Asked { statement, settings: settings.clone() });
        } else if let Some(setting) = statement.strip_prefix("SET LOCAL ") {
            settings.push(format!("SET {setting}"));
        } else if begins_with(&["COMMIT", "ROLLBACK"]) {
            settings.clear();
        }
    }
    (asked, answer)
}

impl TestDatabase {
    /// How the database goes about a question, step by step, under the settings under which it was asked.
    ///
    /// PostgreSQL plans for whatever the values may be, not for those with which it was asked.
    ///
    /// # Panics
    /// When the database refuses it.
    #[must_use]
    #[expect(clippy::unwrap_used, reason = "a test cannot go on without its answer")]
    pub fn plan(&self, asked: &Asked) -> Vec<String> {
        let mut conn = DatabaseUrl::parse(&self.url).unwrap().connect().unwrap();
        if let AnyConnection::Postgres(c) = &mut conn {
            asked.settings.iter().try_for_each(|setting| c.batch_execute(setting)).unwrap();
        }
        steps(&mut conn, &asked.statement).unwrap()
    }
}

/// The steps by which a connection would answer a statement.
pub(crate) fn steps(conn: &mut AnyConnection, statement: &str) -> QueryResult<Vec<String>> {
    match conn {
        AnyConnection::Sqlite(c) => {
            let steps = diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}")).load(c)?;
            Ok(steps.into_iter().map(|step: SqliteStep| step.detail).collect())
        }
        AnyConnection::Postgres(c) => {
            c.batch_execute("SET plan_cache_mode = force_generic_plan")?;
            c.batch_execute(&format!("PREPARE asked AS {statement}"))?;
            let values = (1..=usize::from(u16::MAX))
                .take_while(|bind| statement.contains(&format!("${bind}")))
                .count();
            let nulls =
                if values == 0 { String::new() } else { format!("({})", vec!["NULL"; values].join(", ")) };
            let steps = diesel::sql_query(format!("EXPLAIN (COSTS OFF) EXECUTE asked{nulls}")).load(c)?;
            c.batch_execute("DEALLOCATE asked; RESET plan_cache_mode")?;
            Ok(steps.into_iter().map(|step: PostgresStep| step.step).collect())
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
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    step: String,
}

/// The table that a step reads from its first to its last row, if it does.
///
/// What another step has gathered is no table, nor is a row that stands in the question.
#[must_use]
pub fn scanned_table(step: &str) -> Option<&str> {
    const GATHERED: [&str; 7] = ["pieces", "counted", "rules", "grains", "versions", "page", "(subquery"];
    let postgres = step.split_once("Seq Scan on ").map(|(_, rest)| rest);
    let named = postgres.or_else(|| step.strip_prefix("SCAN "))?;
    let table = named.split(' ').next()?;
    (!GATHERED.contains(&table) && !named.contains("CONSTANT ROW")).then_some(table)
}
