//! What the rules of governance may rely on.

mod audit;
mod barriers;
mod coverage;
mod erase;
mod erasure;
mod export;
mod fill;
mod ledger;
mod purges;
mod reader;
mod residue;
mod snapshot;

use governance::{
    Actor, Failure, GovernanceTx, Holder, KeyRing, LEASE_SECONDS, Lease, Purge, PurgeId, TicketRefs,
};
use kernel::{RequestId, StoreError, UnitOfWork, UserId};
use storage::Database;
use storage::testing::{SECRET, TestDatabase};

use crate::{at, org};

fn store(database: &Database) -> &dyn UnitOfWork<dyn GovernanceTx> {
    database
}

/// Runs one piece of work in a transaction of the organization `acme`.
fn within<T>(
    database: &Database,
    work: impl FnMut(&mut (dyn GovernanceTx + 'static)) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    store(database).transact(&org("acme"), work)
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

fn ring() -> KeyRing {
    KeyRing::new(&[SECRET]).unwrap()
}

/// The references of a ticket about a user of `acme`.
fn refs(name: &str, request: &str) -> TicketRefs {
    ring().ticket_refs(&org("acme"), &user(name), &RequestId::new(request).unwrap())
}

fn purge_id(name: &str, request: &str) -> PurgeId {
    refs(name, request).purge_id(&org("acme"))
}

/// A purge that was opened at 10 and is not stored yet.
fn opened(name: &str, request: &str) -> Purge {
    Purge::opened(purge_id(name, request), refs(name, request), Actor::operator(), at(10))
}

/// Stores a new purge.
fn open(database: &Database, name: &str, request: &str) -> Purge {
    let purge = opened(name, request);
    within(database, |tx| tx.purges().insert(&purge, &user(name))).unwrap();
    purge
}

fn stored(database: &Database, purge: &Purge) -> Purge {
    within(database, |tx| tx.purges().find(&purge.id)).unwrap().unwrap()
}

fn holder() -> Holder {
    Holder("this-process".to_owned())
}

fn claim(database: &Database, found: &Purge) -> Result<bool, StoreError> {
    let claimed = Purge { hold: governance::Hold::Free, ..found.clone() }.claimed(at(20)).unwrap();
    within(database, |tx| tx.purges().claim(found, &claimed, &holder(), LEASE_SECONDS))
}

/// Takes a purge, and the lease that goes with it.
fn take(database: &Database, found: &Purge) -> Lease {
    assert_eq!(claim(database, found), Ok(true));
    Lease { purge: found.id.clone(), holder: holder(), fence: stored(database, found).fence }
}

fn fail(database: &Database, lease: &Lease, seconds_to_retry: i64) -> Result<bool, StoreError> {
    let failure = Failure { code: governance::ErrorCode::Internal, detail: "a detail".to_owned() };
    within(database, |tx| {
        let Some(failed) =
            tx.purges().find(&lease.purge)?.and_then(|now| now.failed(failure.clone(), at(30)))
        else {
            return Ok(false);
        };
        tx.purges().fail(lease, &failed, seconds_to_retry)
    })
}

fn complete(database: &Database, lease: &Lease) -> Result<bool, StoreError> {
    within(database, |tx| {
        let found = tx.purges().find(&lease.purge)?.unwrap();
        let complete = found.completed(at(40)).unwrap_or(found);
        if complete.is_complete() { tx.purges().complete(lease, &complete) } else { Ok(false) }
    })
}

/// Lets all leases and waiting times run out, as if so many seconds had passed.
fn pass_time(db: &TestDatabase, seconds: i64) {
    db.execute(&format!("UPDATE purge_operations SET due_at = due_at - {seconds} WHERE due_at IS NOT NULL"));
}
