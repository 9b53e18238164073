//! The contract suite: every sentence of the ports' documentation, on SQLite and on PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

mod credentials;
mod evaluation;
mod experiments;
mod exposures;
mod governance;
mod judging;
mod learning;
mod migrations;
mod organizations;
mod transactions;

use kernel::{OrgId, Timestamp};

fn org(id: &str) -> OrgId {
    OrgId::new(id).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

/// Makes organizations, so that rows may belong to them.
fn found(db: &storage::testing::TestDatabase, orgs: &[&str]) {
    use kernel::UnitOfWork;
    use organization::{OrganizationTx, Profile};
    let store: &dyn UnitOfWork<dyn OrganizationTx> = &db.database;
    for id in orgs {
        store.transact(&org(id), |tx| tx.found(Profile::Standard, at(0))).unwrap();
    }
}
