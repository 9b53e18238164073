//! Every connection is taken: on PostgreSQL by writers that wait for a lock, on SQLite the only one that writes.

use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, SqliteConnection};
use storage::testing::TestDatabase;
use support::ServerProcess;

use crate::load::{self, Load};
use crate::table::{Row, tally};

/// Keeps every writer waiting until it is dropped.
enum Grip {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Grip {
    fn on(db: &TestDatabase) -> Self {
        if let Some(path) = db.url.strip_prefix("sqlite://") {
            let mut conn = SqliteConnection::establish(path).unwrap();
            conn.batch_execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE").unwrap();
            return Self::Sqlite(conn);
        }
        let mut conn = PgConnection::establish(&db.url).unwrap();
        conn.batch_execute("BEGIN; LOCK TABLE requests IN ACCESS EXCLUSIVE MODE").unwrap();
        Self::Postgres(conn)
    }

    fn release(self) {
        match self {
            Self::Sqlite(mut conn) => conn.batch_execute("ROLLBACK").unwrap(),
            Self::Postgres(mut conn) => conn.batch_execute("ROLLBACK").unwrap(),
        }
    }
}

pub(crate) fn drill() -> Vec<Row> {
    let drills = crate::databases().into_iter().map(|(database, db)| {
        let token = load::token(&db.database);
        let server = ServerProcess::with(&db.url, &[("TOUCHSTONE_DATABASE_POOL_SIZE", "4")]);
        let mut found = Duration::ZERO;
        let told = Load::on(server.anonymous().bearing(&token)).publish(|load| {
            load.wait_for(100);
            let grip = Grip::on(&db);
            load.wait_until_told("503 storage_unavailable", 8);
            assert_eq!(server.anonymous().get("/healthz").status, 200);
            grip.release();
            found = load.wait_for(1);
            load.wait_for(100);
        });
        let recovery = format!("by itself, {found:.1?} after a connection is free");
        let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
        let fault = "every connection of the pool taken (4), or the write lock held";
        Row { fault, database, seen: tally(&told.seen), acknowledged, lost, recovery }
    });
    drills.collect()
}
