//! Statements that a connection prepares once and keeps, where the query builder would prepare them anew each time.
//!
//! It keeps no statement whose texts it cannot count: raw SQL, updates, lists of values, inserts of several rows. To parse and
//! plan such a statement may cost more than to run it, and on PostgreSQL it is a round trip of its own. Whoever keeps one
//! vouches that it has few texts.
//!
//! What answers rows is loaded as any query is; what answers none goes by [`Kept::run`], since `execute` looks at a
//! reference to the statement, and references forget that it is kept.

use diesel::backend::Backend;
use diesel::deserialize::{self, QueryableByName};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::LoadQuery;
use diesel::row::NamedRow;
use diesel::{QueryResult, RunQueryDsl};

/// Inserts of more rows are not kept: each number of rows is a text of its own.
const MOST_ROWS: usize = 16;

/// A statement that is kept under its text, if it may be.
#[derive(Debug)]
pub(crate) struct Kept<Q> {
    query: Q,
    is_kept: bool,
}

/// What can be kept.
pub(crate) trait Keep: Sized {
    /// Keeps a statement that has few texts.
    fn kept(self) -> Kept<Self> {
        Kept { query: self, is_kept: true }
    }

    /// Keeps a statement whose text depends on the number of its rows, if these are few.
    fn kept_for(self, rows: usize) -> Kept<Self> {
        Kept { query: self, is_kept: rows <= MOST_ROWS }
    }
}

impl<Q> Keep for Q {}

impl<Q> Kept<Q> {
    /// Runs a statement that answers no rows.
    pub(crate) fn run<'query, Conn>(self, conn: &mut Conn) -> QueryResult<()>
    where
        Self: LoadQuery<'query, Conn, Nothing>,
    {
        self.load::<Nothing>(conn).map(drop)
    }
}

/// The row of a statement that answers none.
pub(crate) struct Nothing;

impl<DB: Backend> QueryableByName<DB> for Nothing {
    fn build<'a>(_row: &impl NamedRow<'a, DB>) -> deserialize::Result<Self> {
        Ok(Self)
    }
}

impl<Q, DB> QueryFragment<DB> for Kept<Q>
where
    DB: Backend,
    Q: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _backend: &DB) -> QueryResult<bool> {
        Ok(self.is_kept)
    }
}

/// Without an id of its own a statement is found by its text.
impl<Q> QueryId for Kept<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for Kept<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, Conn> RunQueryDsl<Conn> for Kept<Q> {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use diesel::connection::InstrumentationEvent;
    use diesel::{Connection as _, SqliteConnection, sql_query};

    use super::*;

    /// A connection, and how many statements it has come to keep.
    fn connection() -> (SqliteConnection, Arc<AtomicUsize>) {
        let (mut conn, kept) =
            (SqliteConnection::establish(":memory:").unwrap(), Arc::<AtomicUsize>::default());
        let count = Arc::clone(&kept);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        (conn, kept)
    }

    #[test]
    fn a_kept_statement_is_prepared_once() {
        let (mut conn, kept) = connection();

        for _ in 0..3 {
            sql_query("SELECT 1").kept().run(&mut conn).unwrap();
        }

        assert_eq!(kept.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn statements_of_many_rows_are_not_kept() {
        let (mut conn, kept) = connection();

        sql_query("SELECT 1").kept_for(MOST_ROWS + 1).run(&mut conn).unwrap();
        sql_query("SELECT 2").kept_for(MOST_ROWS).run(&mut conn).unwrap();

        assert_eq!(kept.load(Ordering::Relaxed), 1);
    }
}
