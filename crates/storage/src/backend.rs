//! The two databases: how to reach them, and every place where they differ.

pub(crate) mod feed;
pub(crate) mod fulltext;
mod maintain;
pub(crate) mod migrate;
pub(crate) mod pairs;
pub(crate) mod queue;
mod reference_keys;
pub(crate) mod tags;
#[cfg(feature = "testing")]
pub mod testing;

use std::path::PathBuf;

use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::sql_types::{BigInt, Nullable};
use diesel::{Connection, ConnectionResult, PgConnection, QueryResult, SqliteConnection};

/// A connection to either database; queries are written once against it.
#[derive(diesel::MultiConnection)]
pub(crate) enum AnyConnection {
    /// A PostgreSQL session.
    Postgres(PgConnection),
    /// An SQLite file.
    Sqlite(SqliteConnection),
}

/// Runs one expression on whichever connection is inside, for the statements the common type cannot express.
macro_rules! on_each {
    ($conn:expr, |$c:ident| $body:expr) => {
        match $conn {
            $crate::backend::AnyConnection::Postgres($c) => $body,
            $crate::backend::AnyConnection::Sqlite($c) => $body,
        }
    };
}

/// Inserts rows: in one statement where every statement is a round trip, one by one where a kept statement costs nothing.
macro_rules! insert_rows {
    ($conn:expr, $table:expr, $rows:expr) => {
        match $conn {
            $crate::backend::AnyConnection::Postgres(c) => {
                diesel::insert_into($table).values($rows).execute(c)
            }
            $crate::backend::AnyConnection::Sqlite(c) => {
                $rows.iter().map(|row| diesel::insert_into($table).values(row).execute(c)).sum()
            }
        }
    };
    ($conn:expr, $table:expr, $rows:expr, returning $columns:expr) => {
        match $conn {
            $crate::backend::AnyConnection::Postgres(c) => diesel::insert_into($table)
                .values($rows)
                .returning($columns)
                .kept_for($rows.len())
                .get_results(c),
            $crate::backend::AnyConnection::Sqlite(c) => $rows
                .iter()
                .map(|row| diesel::insert_into($table).values(row).returning($columns).get_result(c))
                .collect(),
        }
    };
}

/// Where the data is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(String),
}

/// An address of a kind that is not known here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the database URL must begin with sqlite:// or postgres://")]
pub struct InvalidDatabaseUrl;

impl DatabaseUrl {
    /// Reads an address; the scheme alone decides, so that a misspelt one never creates a file.
    pub fn parse(text: &str) -> Result<Self, InvalidDatabaseUrl> {
        if let Some(path) = text.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(InvalidDatabaseUrl)
    }

    /// The database's name, for people.
    #[must_use]
    pub const fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// The address without its password, for people.
    #[must_use]
    pub fn masked(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite://{}", path.display()),
            Self::Postgres(url) => mask_password(url),
        }
    }

    /// Whether a single writer at a time is served, so that writers share commits instead of contending.
    pub(crate) const fn has_single_writer(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// The place of a file beside the database, if the database is a file.
    pub(crate) fn beside(&self, suffix: &str) -> Option<PathBuf> {
        match self {
            Self::Sqlite(path) => {
                let mut beside = path.as_os_str().to_owned();
                beside.push(suffix);
                Some(PathBuf::from(beside))
            }
            Self::Postgres(_) => None,
        }
    }

    /// Opens a connection and prepares it.
    pub(crate) fn connect(&self) -> ConnectionResult<AnyConnection> {
        match self {
            Self::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(&path.to_string_lossy())?;
                conn.batch_execute(SQLITE_SETTINGS)
                    .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
                Ok(AnyConnection::Sqlite(conn))
            }
            Self::Postgres(url) => {
                let mut conn = PgConnection::establish(url)?;
                conn.batch_execute(POSTGRES_SETTINGS)
                    .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
                Ok(AnyConnection::Postgres(conn))
            }
        }
    }
}

/// The busy timeout comes first, so that switching to WAL can wait. FULL: an acknowledged write survives a power loss;
/// commits shared by waiting writers pay for it.
const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA cache_size = -64000; \
     PRAGMA mmap_size = 1073741824; PRAGMA temp_store = MEMORY;";

const POSTGRES_SETTINGS: &str = "SET application_name = 'touchstone'; SET lock_timeout = '10s'; \
     SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = 'warning';";

/// Begins a transaction that may write: the write lock is taken first, or every read is watched for races.
pub(crate) fn begin_write(conn: &mut AnyConnection) -> QueryResult<()> {
    match conn {
        AnyConnection::Postgres(c) => {
            AnsiTransactionManager::begin_transaction_sql(c, "BEGIN ISOLATION LEVEL SERIALIZABLE")
        }
        AnyConnection::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE"),
    }
}

/// Makes a write transaction that has asked nothing yet see what is committed by each of its statements instead of one moment.
///
/// Its reads are then watched by nobody, so that it makes no other transaction run again. Rows that two change are still changed
/// one after the other.
pub(crate) fn stay_out_of_races(conn: &mut AnyConnection) -> QueryResult<()> {
    match conn {
        AnyConnection::Postgres(c) => c.batch_execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
        AnyConnection::Sqlite(_) => Ok(()),
    }
}

/// Begins a transaction whose reads all see one moment.
pub(crate) fn begin_snapshot(conn: &mut AnyConnection) -> QueryResult<()> {
    match conn {
        AnyConnection::Postgres(c) => AnsiTransactionManager::begin_transaction_sql(
            c,
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        ),
        AnyConnection::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN DEFERRED"),
    }
}

/// Lets a snapshot outlast a receiver that takes its rows slowly, up to ten minutes between two reads.
pub(crate) fn outlast_slow_receivers(conn: &mut AnyConnection) -> QueryResult<()> {
    match conn {
        AnyConnection::Postgres(c) => {
            c.batch_execute("SET LOCAL idle_in_transaction_session_timeout = '10min'")
        }
        AnyConnection::Sqlite(_) => Ok(()),
    }
}

/// The database's clock in whole seconds, as SQL: the one clock that all servers share.
pub(crate) const fn clock(conn: &AnyConnection) -> &'static str {
    match conn {
        AnyConnection::Postgres(_) => "CAST(floor(extract(epoch FROM clock_timestamp())) AS BIGINT)",
        AnyConnection::Sqlite(_) => "unixepoch()",
    }
}

/// The database's now.
pub(crate) fn now(conn: &AnyConnection) -> SqlLiteral<BigInt> {
    sql(clock(conn))
}

/// So many seconds from the database's now, where there must be a time.
pub(crate) fn moment_from_now(conn: &AnyConnection, seconds: i64) -> SqlLiteral<BigInt> {
    sql(&format!("{} + {seconds}", clock(conn)))
}

/// So many seconds from the database's now.
pub(crate) fn seconds_from_now(conn: &AnyConnection, seconds: i64) -> SqlLiteral<Nullable<BigInt>> {
    sql(&format!("{} + {seconds}", clock(conn)))
}

/// Makes this transaction go through indexes where there are any, whatever the planner thinks of the share of a table
/// that one user or one organization has.
///
/// Who erases by a scan of a whole table would meet all that was deleted before again and again, and would watch every
/// other user's writes.
pub(crate) fn go_through_indexes(conn: &mut AnyConnection) -> QueryResult<()> {
    match conn {
        AnyConnection::Postgres(c) => c.batch_execute("SET LOCAL enable_seqscan = off"),
        AnyConnection::Sqlite(_) => Ok(()),
    }
}

/// A condition that picks up to `$3` of the rows that meet `filter`, by their place in the table.
///
/// Joining a table with itself by its key would let a planner read all of it.
pub(crate) fn some_rows(conn: &AnyConnection, table: &str, filter: &str) -> String {
    match conn {
        AnyConnection::Postgres(_) => {
            format!("ctid = ANY (ARRAY (SELECT ctid FROM {table} WHERE {filter} LIMIT $3))")
        }
        AnyConnection::Sqlite(_) => format!("rowid IN (SELECT rowid FROM {table} WHERE {filter} LIMIT $3)"),
    }
}

/// Begins a nested transaction that can be undone alone.
pub(crate) fn begin_nested(conn: &mut AnyConnection) -> QueryResult<()> {
    on_each!(conn, |c| AnsiTransactionManager::begin_transaction(c))
}

/// Ends the innermost transaction and keeps its changes.
pub(crate) fn commit(conn: &mut AnyConnection) -> QueryResult<()> {
    on_each!(conn, |c| AnsiTransactionManager::commit_transaction(c))
}

/// Ends the innermost transaction and undoes its changes.
pub(crate) fn roll_back(conn: &mut AnyConnection) -> QueryResult<()> {
    on_each!(conn, |c| AnsiTransactionManager::rollback_transaction(c))
}

/// Whether a transaction is open or its state is unknown, so that the connection must not be handed on.
pub(crate) fn is_unclean(conn: &mut AnyConnection) -> bool {
    on_each!(conn, |c| {
        use diesel::connection::TransactionManagerStatus;
        match <AnsiTransactionManager as TransactionManager<_>>::transaction_manager_status_mut(c) {
            TransactionManagerStatus::Valid(status) => status.transaction_depth().is_some(),
            TransactionManagerStatus::InError => true,
        }
    })
}

fn mask_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres://…".to_owned() };
    let authority = rest.split('/').next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else {
        return format!("{scheme}://{}", mask_parameters(rest));
    };
    let (_, place) = rest.split_at(user.len() + 1);
    let name = user.split([':', '?']).next().unwrap_or_default();
    let secret = if name.len() < user.len() { ":****" } else { "" };
    format!("{scheme}://{name}{secret}@{}", mask_parameters(place))
}

/// A password may also stand among the parameters: `password`, `sslpassword`.
fn mask_parameters(place: &str) -> String {
    let Some((address, parameters)) = place.split_once('?') else { return place.to_owned() };
    let masked = parameters.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if name.contains("password") => format!("{name}=****"),
        _ => parameter.to_owned(),
    });
    format!("{address}?{}", masked.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_alone_decides_which_database_is_meant() {
        assert_eq!(DatabaseUrl::parse("sqlite://data/x.db"), Ok(DatabaseUrl::Sqlite("data/x.db".into())));
        assert!(matches!(DatabaseUrl::parse("postgres://h/db"), Ok(DatabaseUrl::Postgres(_))));
        for text in ["", "sqlite://", "x.db", "mysql://h/db", "postgres:/h"] {
            assert_eq!(DatabaseUrl::parse(text), Err(InvalidDatabaseUrl), "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        for (url, masked) in [
            ("postgres://ada:s3cret@db.internal:5432/main", "postgres://ada:****@db.internal:5432/main"),
            ("postgres://ada:s3?cret@db.internal/main", "postgres://ada:****@db.internal/main"),
            ("postgres://ada@h/main?sslmode=require", "postgres://ada@h/main?sslmode=require"),
            ("postgres:///main?host=/run/pg&password=s3cret", "postgres:///main?host=/run/pg&password=****"),
            ("postgres://h?password=s3cret@x&user=ada", "postgres://h:****@x&user=ada"),
            (
                "postgres://ada@h/main?sslpassword=s3cret&sslmode=require",
                "postgres://ada@h/main?sslpassword=****&sslmode=require",
            ),
        ] {
            assert_eq!(DatabaseUrl::parse(url).unwrap().masked(), masked);
        }
    }
}
