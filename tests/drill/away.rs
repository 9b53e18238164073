//! PostgreSQL crashes under load and comes back.

use std::time::Instant;

use storage::testing::{TestDatabase, test_ring};
use storage::{Database, DatabaseUrl, Options};
use support::{Cluster, ServerProcess};

use crate::load::{self, Load};
use crate::table::{Row, tally};

const AWAY: &str = "503 storage_unavailable";

/// The database of a cluster of our own.
pub(crate) fn database_of(cluster: &Cluster) -> Database {
    let url = DatabaseUrl::parse(&cluster.url).unwrap();
    Database::open(&Options::usual(url, test_ring()))
}

pub(crate) fn drill() -> Vec<Row> {
    let Some(mut cluster) = Cluster::begin() else {
        eprintln!("skipped: no PostgreSQL is installed that could be stopped");
        return Vec::new();
    };
    let server = ServerProcess::on(&cluster.url);
    let token = load::token(&database_of(&cluster));
    let mut recovery = String::new();
    let told = Load::on(server.anonymous().bearing(&token)).publish(|load| {
        load.wait_for(200);
        cluster.crash();
        load.wait_until_told(AWAY, 20);
        assert_eq!(server.anonymous().get("/healthz").status, 200);
        assert_eq!(server.anonymous().get("/readyz").told(), AWAY);
        let begun = Instant::now();
        cluster.start();
        let started = begun.elapsed();
        load.wait_for(1);
        let found = begun.elapsed().saturating_sub(started);
        load.wait_for(200);
        recovery = format!("by itself, {found:.1?} after PostgreSQL answers again; `/readyz` says 503 meanwhile, `/healthz` 200");
    });
    let db = TestDatabase::over(&cluster.url);
    let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
    let fault = "PostgreSQL crashes and is started again";
    vec![Row { fault, database: "PostgreSQL", seen: tally(&told.seen), acknowledged, lost, recovery }]
}
