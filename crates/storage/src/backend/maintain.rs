//! The maintenance step after which no erased byte is left in the database's own files.
//!
//! A delete marks bytes as free; whoever can read the files can read them until they are written over. This step writes
//! them over. What it cannot reach are copies: backups, replicas, and write-ahead logs that a server archives.

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use governance::TABLES;
use kernel::StoreError;

use crate::backend::AnyConnection;
use crate::database::Database;
use crate::outcome::Failure;

/// Looks for transactions that must end first: one every tenth of a second, for a minute.
const MOST_LOOKS: u32 = 600;

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = BigInt)]
    busy: i64,
}

impl Database {
    /// Rewrites whatever held users' rows, so that nothing erased can be read from the database's files.
    ///
    /// On PostgreSQL this runs beside live servers: it waits for the transactions that run, then locks one table after
    /// the other. An SQLite file must not be in use by a server.
    ///
    /// # Errors
    /// When the database is in use, or failed.
    pub fn maintain(&self) -> Result<(), StoreError> {
        match &mut self.connect()? {
            AnyConnection::Sqlite(conn) => rewrite_file(conn),
            AnyConnection::Postgres(conn) => rewrite_tables(conn),
        }
    }
}

/// The log is emptied last: everything before it goes through the log.
fn rewrite_file(conn: &mut SqliteConnection) -> Result<(), StoreError> {
    let failed = |error| StoreError::from(Failure::of(&error));
    // Rewriting in memory would need as much of it as there is data.
    conn.batch_execute("PRAGMA temp_store = FILE").map_err(failed)?;
    for Name { name } in word_indexes(conn).map_err(failed)? {
        // One segment is left, made of what is there now.
        conn.batch_execute(&format!("INSERT INTO {name} ({name}) VALUES ('optimize')")).map_err(failed)?;
    }
    if has_statistics(conn).map_err(failed)? {
        // They hold samples of values.
        conn.batch_execute("ANALYZE").map_err(failed)?;
    }
    conn.batch_execute("VACUUM").map_err(failed)?;
    let Checkpoint { busy } =
        diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(conn).map_err(failed)?;
    if busy == 0 {
        return Ok(());
    }
    Err(StoreError::Unavailable("another process reads the database: stop it and try again".to_owned()))
}

fn word_indexes(conn: &mut SqliteConnection) -> QueryResult<Vec<Name>> {
    diesel::sql_query("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%USING fts5%'")
        .load(conn)
}

fn has_statistics(conn: &mut SqliteConnection) -> QueryResult<bool> {
    let names: Vec<Name> =
        diesel::sql_query("SELECT name FROM sqlite_master WHERE name LIKE 'sqlite\\_stat%' ESCAPE '\\'")
            .load(conn)?;
    Ok(!names.is_empty())
}

/// `FULL`, because a plain vacuum leaves old bytes in pages that live rows share. The statistics are made anew, because they
/// hold samples of values, and then their own table is rewritten.
fn rewrite_tables(conn: &mut PgConnection) -> Result<(), StoreError> {
    let failed = |error| StoreError::from(Failure::of(&error));
    conn.batch_execute("SET lock_timeout = '5min'").map_err(failed)?;
    outlast_older_snapshots(conn)?;
    // All of them: totals, too, had rows that told of one user alone.
    for table in TABLES {
        forget_statistics(conn, table.name);
        conn.batch_execute(&format!("VACUUM (FULL, ANALYZE) {}", table.name)).map_err(failed)?;
    }
    conn.batch_execute("VACUUM (FULL) pg_catalog.pg_statistic").map_err(failed)
}

/// Rows that a running transaction may still see survive a vacuum, so those older than this step must end first.
fn outlast_older_snapshots(conn: &mut PgConnection) -> Result<(), StoreError> {
    let failed = |error| StoreError::from(Failure::of(&error));
    let Name { name: now } = diesel::sql_query("SELECT pg_current_xact_id()::xid::text AS name")
        .get_result(conn)
        .map_err(failed)?;
    for _ in 0..MOST_LOOKS {
        let older: Vec<Name> = diesel::sql_query(
            "SELECT pid::text AS name FROM pg_stat_activity WHERE datname = current_database() \
             AND pid <> pg_backend_pid() AND age(backend_xmin) > age(CAST($1 AS xid))",
        )
        .bind::<Text, _>(&now)
        .load(conn)
        .map_err(failed)?;
        if older.is_empty() {
            return Ok(());
        }
        conn.batch_execute("SELECT pg_sleep(0.1)").map_err(failed)?;
    }
    Err(StoreError::Unavailable("an older transaction still runs: end it and try again".to_owned()))
}

/// A new analysis replaces the samples of a table unless it has become empty; only a superuser can drop those.
fn forget_statistics(conn: &mut PgConnection, table: &str) {
    let forget = format!("DELETE FROM pg_catalog.pg_statistic WHERE starelid = '{table}'::regclass");
    if conn.batch_execute(&forget).is_err() {
        tracing::warn!(
            table,
            "statistics can only be made anew, not dropped: if the table is empty, old samples stay"
        );
    }
}
