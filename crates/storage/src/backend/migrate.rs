//! Bringing a database's schema up to this binary's.

use std::fs::{File, OpenOptions};

use diesel::connection::SimpleConnection as _;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use kernel::StoreError;

use crate::backend::AnyConnection;
use crate::database::Database;

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Any number will do, as long as every server asks for the same.
const MIGRATION_LOCK: i64 = 7_706_385_114;

/// How a database's schema relates to this binary's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schema {
    /// They agree.
    Current,
    /// This many migrations are still to be run.
    Behind(usize),
}

impl Database {
    /// Runs the migrations that are missing, alone: other servers that start meanwhile wait.
    pub fn migrate(&self) -> Result<usize, StoreError> {
        let (mut conn, _alone) = self.connect_alone()?;
        let run = match &mut conn {
            AnyConnection::Sqlite(c) => c.run_pending_migrations(SQLITE).map(|run| run.len()),
            AnyConnection::Postgres(c) => c.run_pending_migrations(POSTGRES).map(|run| run.len()),
        };
        run.map_err(|error| failed(&error))
    }

    /// A connection whose holder is alone among all who begin; others wait until both are given up.
    pub(super) fn connect_alone(&self) -> Result<(AnyConnection, Option<File>), StoreError> {
        let lock = self.lock_file()?;
        let mut conn = self.connect()?;
        if let AnyConnection::Postgres(c) = &mut conn {
            let locked = c.batch_execute(&format!("SELECT pg_advisory_lock({MIGRATION_LOCK})"));
            locked.map_err(|error| failed(&error))?;
        }
        Ok((conn, lock))
    }

    /// Undoes every migration, newest first.
    #[doc(hidden)]
    pub fn unmigrate(&self) -> Result<(), StoreError> {
        match &mut self.connect()? {
            AnyConnection::Sqlite(c) => c.revert_all_migrations(SQLITE).map(|_| ()),
            AnyConnection::Postgres(c) => c.revert_all_migrations(POSTGRES).map(|_| ()),
        }
        .map_err(|error| failed(&error))
    }

    /// Whether the schema is this binary's.
    pub fn schema(&self) -> Result<Schema, StoreError> {
        let pending = match &mut self.connect()? {
            AnyConnection::Sqlite(c) => c.pending_migrations(SQLITE).map(|pending| pending.len()),
            AnyConnection::Postgres(c) => c.pending_migrations(POSTGRES).map(|pending| pending.len()),
        };
        match pending.map_err(|error| failed(&error))? {
            0 => Ok(Schema::Current),
            missing => Ok(Schema::Behind(missing)),
        }
    }

    /// A file database has no lock that outlives a transaction, so a file beside it serves.
    fn lock_file(&self) -> Result<Option<File>, StoreError> {
        let Some(beside) = self.inner.url.beside(".migration-lock") else { return Ok(None) };
        let unavailable = |error: std::io::Error| {
            StoreError::Unavailable(format!("cannot lock {} for migration: {error}", beside.display()))
        };
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&beside).map_err(unavailable)?;
        file.lock().map_err(unavailable)?;
        Ok(Some(file))
    }
}

fn failed(error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Failed(format!("migration: {error}"))
}
