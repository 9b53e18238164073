//! The databases without the house: one connection, statements that are prepared once.

use diesel::backend::Backend;
use diesel::connection::SimpleConnection as _;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, Bool, HasSqlType, Integer, Nullable, Text, Untyped};
use diesel::{Connection as _, PgConnection, QueryResult, QueryableByName, RunQueryDsl, SqliteConnection};
use storage::DatabaseUrl;

/// As the house opens its file; contending writers need a longer patience than ours.
const SQLITE: &str = "PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA cache_size = -64000; \
     PRAGMA mmap_size = 1073741824; PRAGMA temp_store = MEMORY;";

/// A connection that is kept open.
pub(crate) enum Raw {
    /// To an SQLite file.
    Sqlite(SqliteConnection),
    /// To a PostgreSQL server.
    Postgres(PgConnection),
}

/// A value of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A text.
    Text(&'a str),
    /// A number.
    Number(i64),
    /// A small number.
    Place(i32),
    /// Yes or no.
    Flag(bool),
    /// A number that is not there.
    NoNumber,
}

/// A number that a statement answers under the name `n`.
#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = BigInt)]
    n: i64,
}

impl Raw {
    /// Connects.
    pub(crate) fn connect(url: &DatabaseUrl) -> anyhow::Result<Self> {
        Ok(match url {
            DatabaseUrl::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(&path.to_string_lossy())?;
                conn.batch_execute(SQLITE)?;
                Self::Sqlite(conn)
            }
            DatabaseUrl::Postgres(url) => Self::Postgres(PgConnection::establish(url)?),
        })
    }

    /// Runs statements without values.
    pub(crate) fn batch(&mut self, sql: &str) -> QueryResult<()> {
        match self {
            Self::Sqlite(conn) => conn.batch_execute(sql),
            Self::Postgres(conn) => conn.batch_execute(sql),
        }
    }

    /// Begins a transaction that writes.
    pub(crate) fn begin(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(conn) => conn.batch_execute("BEGIN IMMEDIATE"),
            Self::Postgres(conn) => conn.batch_execute("BEGIN"),
        }
    }

    /// Runs a statement with a `?` for each of its values, and says how many rows it touched.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> QueryResult<usize> {
        let prepared = Prepared { sql, values };
        match self {
            Self::Sqlite(conn) => prepared.execute(conn),
            Self::Postgres(conn) => prepared.execute(conn),
        }
    }

    /// The numbers that a statement answers, under the name `n`.
    pub(crate) fn numbers(&mut self, sql: &str, values: &[Value<'_>]) -> QueryResult<Vec<i64>> {
        let prepared = Prepared { sql, values };
        let answers: Vec<Answer> = match self {
            Self::Sqlite(conn) => prepared.load(conn)?,
            Self::Postgres(conn) => prepared.load(conn)?,
        };
        Ok(answers.into_iter().map(|answer| answer.n).collect())
    }
}

/// A statement that the connection keeps under its text.
pub(crate) struct Prepared<'a> {
    pub(crate) sql: &'a str,
    pub(crate) values: &'a [Value<'a>],
}

impl<DB> QueryFragment<DB> for Prepared<'_>
where
    DB: Backend + HasSqlType<Text> + HasSqlType<BigInt> + HasSqlType<Integer> + HasSqlType<Bool>,
    str: ToSql<Text, DB>,
    i64: ToSql<BigInt, DB>,
    i32: ToSql<Integer, DB>,
    bool: ToSql<Bool, DB>,
    Option<i64>: ToSql<Nullable<BigInt>, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let mut pieces = self.sql.split('?');
        out.push_sql(pieces.next().unwrap_or_default());
        for (piece, value) in pieces.zip(self.values) {
            match value {
                Value::Text(text) => out.push_bind_param::<Text, str>(text)?,
                Value::Number(number) => out.push_bind_param::<BigInt, i64>(number)?,
                Value::Place(place) => out.push_bind_param::<Integer, i32>(place)?,
                Value::Flag(flag) => out.push_bind_param::<Bool, bool>(flag)?,
                Value::NoNumber => out.push_bind_param::<Nullable<BigInt>, Option<i64>>(&None)?,
            }
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl QueryId for Prepared<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Prepared<'_> {
    type SqlType = Untyped;
}

impl<Conn> RunQueryDsl<Conn> for Prepared<'_> {}
