//! Fresh, migrated databases for tests, on either engine.

mod asked;

use std::path::Path;
use std::sync::Arc;

use diesel::RunQueryDsl as _;
use governance::KeyRing;

#[cfg(test)]
pub(crate) use self::asked::steps;
pub use self::asked::{Asked, asked_by, listen, scanned_table};
use crate::{Database, DatabaseUrl, Options};

/// A database of its own for one test; it vanishes with this value.
pub struct TestDatabase {
    /// The database, migrated and empty.
    pub database: Database,
    /// Where it is, for a second handle on it.
    pub url: String,
    _home: Home,
}

enum Home {
    Folder { _keeps: tempfile::TempDir },
    Schema { server: String, name: String },
    Elsewhere,
}

impl TestDatabase {
    /// An SQLite file in a new folder.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn sqlite() -> Self {
        Self::sqlite_in(&std::env::temp_dir())
    }

    /// An SQLite file in a new folder inside this one, for a measurement that must lie on a disk.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    #[expect(clippy::unwrap_used, reason = "a test without its database cannot go on")]
    pub fn sqlite_in(place: &Path) -> Self {
        let folder = tempfile::tempdir_in(place).unwrap();
        let url = format!("sqlite://{}", folder.path().join("touchstone.db").display());
        Self::migrated(url, Home::Folder { _keeps: folder })
    }

    /// A schema of its own on the test server; `None`, after saying so, where there is no server and none is demanded.
    ///
    /// # Panics
    /// When it cannot be made, or `CI` is set and there is no server.
    #[must_use]
    pub fn postgres() -> Option<Self> {
        let Ok(server) = std::env::var("TEST_DATABASE_URL") else {
            assert!(std::env::var_os("CI").is_none(), "TEST_DATABASE_URL is not set: run `make test`");
            eprintln!("skipped: TEST_DATABASE_URL is not set; `make test` runs this on PostgreSQL");
            return None;
        };
        let name = format!("t_{}", uuid::Uuid::new_v4().simple());
        execute(&server, &format!("CREATE SCHEMA {name}"));
        let joint = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{joint}options=-csearch_path%3D{name}");
        Some(Self::migrated(url, Home::Schema { server, name }))
    }

    /// A database that is somebody else's to make and to take away.
    ///
    /// # Panics
    /// When it cannot be reached.
    #[must_use]
    pub fn over(url: &str) -> Self {
        Self::migrated(url.to_owned(), Home::Elsewhere)
    }

    #[expect(clippy::unwrap_used, reason = "a test without its database cannot go on")]
    fn migrated(url: String, home: Home) -> Self {
        let database = opened(&url);
        database.migrate().unwrap();
        Self { database, url, _home: home }
    }

    /// A second handle, with connections of its own, as another server process would have.
    ///
    /// # Panics
    /// When the address has become unreadable.
    #[must_use]
    pub fn another_server(&self) -> Database {
        opened(&self.url)
    }

    /// Runs raw SQL, for what no port offers.
    ///
    /// # Panics
    /// When the database refuses it.
    pub fn execute(&self, sql: &str) {
        execute(&self.url, sql);
    }

    /// The one number that a raw query answers, under the name `n`.
    ///
    /// # Panics
    /// When the database refuses it.
    #[must_use]
    #[expect(clippy::unwrap_used, reason = "a test cannot go on without its answer")]
    pub fn number(&self, sql: &str) -> i64 {
        let mut conn = DatabaseUrl::parse(&self.url).unwrap().connect().unwrap();
        diesel::sql_query(sql).get_result::<Number>(&mut conn).unwrap().n
    }

    /// The texts that a raw query answers, under the name `t`.
    ///
    /// # Panics
    /// When the database refuses it.
    #[must_use]
    #[expect(clippy::unwrap_used, reason = "a test cannot go on without its answer")]
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let mut conn = DatabaseUrl::parse(&self.url).unwrap().connect().unwrap();
        let texts: Vec<OneText> = diesel::sql_query(sql).load(&mut conn).unwrap();
        texts.into_iter().map(|text| text.t).collect()
    }
}

/// The secret of test databases.
pub const SECRET: &str = "a secret for tests of 32 characters and more";

/// The key ring of test databases.
///
/// # Panics
/// Never: the secret is long enough.
#[must_use]
#[expect(clippy::unwrap_used, reason = "the secret is long enough")]
pub fn test_ring() -> Arc<KeyRing> {
    Arc::new(KeyRing::new(&[SECRET]).unwrap())
}

#[expect(clippy::unwrap_used, reason = "a test without its database cannot go on")]
fn opened(url: &str) -> Database {
    let ring = test_ring();
    let usual = Options::usual(DatabaseUrl::parse(url).unwrap(), ring);
    Database::open(&Options { pool_size: 8, ..usual })
}

#[derive(diesel::QueryableByName)]
struct OneText {
    #[diesel(sql_type = diesel::sql_types::Text)]
    t: String,
}

#[derive(diesel::QueryableByName)]
struct Number {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    n: i64,
}

#[expect(clippy::unwrap_used, reason = "a test cannot go on without it")]
fn execute(url: &str, sql: &str) {
    let mut conn = DatabaseUrl::parse(url).unwrap().connect().unwrap();
    diesel::connection::SimpleConnection::batch_execute(&mut conn, sql).unwrap();
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Self::Schema { server, name } = self {
            execute(server, &format!("DROP SCHEMA {name} CASCADE"));
        }
    }
}

/// Runs one test body on both databases: `on_both! { fn a_sentence(db) { … } }`.
#[macro_export]
macro_rules! on_both {
    ($($(#[$attribute:meta])* fn $name:ident($db:ident) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$attribute])*
            fn holds($db: &$crate::testing::TestDatabase) $body

            #[test]
            fn on_sqlite() {
                holds(&$crate::testing::TestDatabase::sqlite());
            }

            #[test]
            fn on_postgres() {
                if let Some(database) = $crate::testing::TestDatabase::postgres() {
                    holds(&database);
                }
            }
        }
    )+};
}
