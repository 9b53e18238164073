//! After an erasure and the maintenance step no byte of the user is left in the database's files.

use std::path::Path;

use governance::{SubjectReader, TABLES};
use kernel::StoreError;
use storage::testing::TestDatabase;

use super::erase::erase;
use super::fill::{fill, mark};
use super::user;
use crate::{found, org};

const USER: &str = "residentada";
const TICKET: &str = "residentticket";

/// The files of an SQLite database that hold these bytes.
fn files_with(db: &TestDatabase, bytes: &str) -> Vec<String> {
    let path = db.url.strip_prefix("sqlite://").unwrap();
    let files = ["", "-wal", "-shm", "-journal"].map(|suffix| format!("{path}{suffix}"));
    let holds = |file: &String| {
        let content = if Path::new(file).exists() { std::fs::read(file).unwrap() } else { Vec::new() };
        content.windows(bytes.len()).any(|window| window == bytes.as_bytes())
    };
    files.into_iter().filter(holds).collect()
}

/// The tables and indexes of this schema, and the statistics, whose files hold these bytes.
fn relations_with(db: &TestDatabase, bytes: &str) -> Vec<String> {
    db.execute("CHECKPOINT");
    db.texts(&format!(
        "WITH mine AS (SELECT oid, reltoastrelid FROM pg_class \
            WHERE relnamespace = current_schema()::regnamespace OR oid = 'pg_catalog.pg_statistic'::regclass), \
         tables AS (SELECT oid FROM mine UNION SELECT reltoastrelid FROM mine WHERE reltoastrelid <> 0), \
         stored AS (SELECT oid FROM tables UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM tables)) \
         SELECT oid::regclass::text AS t FROM stored WHERE pg_relation_filepath(oid) IS NOT NULL \
         AND position('{bytes}'::bytea IN pg_read_binary_file(pg_relation_filepath(oid), 0, 1000000000, true)) > 0"
    ))
}

/// The tables of this schema that hold these bytes in a row, as a dump would show them.
fn dumped_with(db: &TestDatabase, bytes: &str) -> Vec<String> {
    let tables = db.texts(
        "SELECT relname::text AS t FROM pg_class \
         WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'",
    );
    let holds = |table: &String| {
        db.number(&format!("SELECT count(*) AS n FROM {table} AS one WHERE one::text LIKE '%{bytes}%'")) > 0
    };
    tables.into_iter().filter(holds).collect()
}

fn erase_the_user(db: &TestDatabase) {
    found(db, &["acme"]);
    fill(db, USER, 30, 1_000);
    fill(db, "bob", 30, 5_000);
    db.execute("ANALYZE");
    erase(&db.database, USER, TICKET).unwrap();
}

#[test]
fn nothing_erased_is_left_in_an_sqlite_file_or_its_log() {
    let db = TestDatabase::sqlite();
    erase_the_user(&db);
    assert_ne!(files_with(&db, USER), Vec::<String>::new(), "the step has nothing to do");

    db.database.maintain().unwrap();

    for bytes in [USER, TICKET, &mark(USER)] {
        assert_eq!(files_with(&db, bytes), Vec::<String>::new(), "{bytes}");
    }
    assert_ne!(files_with(&db, &mark("bob")), Vec::<String>::new(), "the search finds nothing at all");
}

#[test]
fn nothing_erased_is_left_in_the_heap_the_indexes_or_a_dump_of_postgres() {
    let Some(db) = TestDatabase::postgres() else { return };
    erase_the_user(&db);
    assert_ne!(relations_with(&db, USER), Vec::<String>::new(), "the step has nothing to do");

    db.database.maintain().unwrap();

    for bytes in [USER, TICKET, &mark(USER)] {
        assert_eq!(relations_with(&db, bytes), Vec::<String>::new(), "{bytes}");
        assert_eq!(dumped_with(&db, bytes), Vec::<String>::new(), "{bytes}");
    }
    assert_ne!(relations_with(&db, &mark("bob")), Vec::<String>::new(), "the search finds nothing at all");
    assert_ne!(dumped_with(&db, &mark("bob")), Vec::<String>::new(), "the search finds nothing at all");
}

#[test]
fn maintenance_is_refused_while_another_reads_an_sqlite_file() {
    let db = TestDatabase::sqlite();
    found(&db, &["acme"]);
    fill(&db, "ada", 3, 100);
    let mut refused = None;

    SubjectReader::look(&db.another_server(), &org("acme"), &mut |snapshot| {
        snapshot.count(&user("ada"), TABLES.first().unwrap()).unwrap();
        refused = Some(db.database.maintain());
    })
    .unwrap();

    assert!(matches!(refused, Some(Err(StoreError::Unavailable(_)))), "{refused:?}");
    assert_eq!(db.database.maintain(), Ok(()));
}
