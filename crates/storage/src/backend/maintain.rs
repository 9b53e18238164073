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
    /// On PostgreSQL this runs beside live servers and locks one table after the other; an SQLite file must not be in
    /// use by a server.
    ///
    /// # Errors
    /// When the database is in use, or failed.
    pub fn maintain(&self) -> Result<(), StoreError> {
        match &mut self.connect()? {
            AnyConnection::Sqlite(conn) => rewrite_file(conn),
            AnyConnection::Postgres(conn) => rewrite_tables(conn).map_err(|error| Failure::of(&error).into()),
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
    let Checkpoint { busy } = diesel::sql_query("SELECT busy FROM pragma_wal_checkpoint('TRUNCATE')")
        .get_result(conn)
        .map_err(failed)?;
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
fn rewrite_tables(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("SET lock_timeout = '5min'")?;
    for table in TABLES.iter().filter(|table| table.holds_user_rows() || table.name == "purge_work") {
        conn.batch_execute(&format!("VACUUM (FULL, ANALYZE) {}", table.name))?;
    }
    conn.batch_execute("VACUUM (FULL) pg_catalog.pg_statistic")?;
    conn.batch_execute("CHECKPOINT").or(Ok(()))
}
