//! Writers race an erasure: whatever they were told is kept was erased, and everything else was refused.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use diesel::RunQueryDsl as _;
use diesel::sql_types::{BigInt, Text};
use governance::{Actor, EraseAnswer, EraseUser, Holder, KeyRing, Onlooker, Ticket};
use kernel::{Barrier, Clock, OrgId, RequestId, StoreError, Timestamp, UserId, Verdict};

use crate::Database;
use crate::testing::{SECRET, TestDatabase};
use crate::transaction::OrgTx;

const WRITERS: u64 = 50;
const BYSTANDERS: u64 = 4;

/// What writers write: of each kind of user's row one.
const INSERTS: [&str; 5] = [
    "INSERT INTO search_exposures (org_id, user_id, session_id, experiment_id, arm, exposed_at) \
     VALUES ($1, $2, CAST($3 AS TEXT), 'race', 'holdout', 1)",
    "INSERT INTO requests (org_id, user_id, request_id, session_id, created_at, source, agent_version, \
     evaluation_only, body_digest) VALUES ($1, $2, $2 || ':' || CAST($3 AS TEXT), 'session', 1, '', '', FALSE, '')",
    "INSERT INTO profiles (org_id, user_id, profile_id, content, source, generated_from_request_id, time_to_live, \
     tags, last_modified_timestamp, status) \
     VALUES ($1, $2, $2 || ':' || CAST($3 AS TEXT), 'content', '', '', '', '[]', 1, 'current')",
    "INSERT INTO partner_scores (org_id, user_id, source_run_id, scorer_name, value, ts) \
     VALUES ($1, $2, $2 || ':' || CAST($3 AS TEXT), 'scorer', 0.5, 1)",
    "INSERT INTO evaluation_results (org_id, user_id, session_id, agent_version, evaluation_name, is_success, \
     failure_reason, number_of_correction_per_session, is_escalated, source, created_at, judged_at) \
     VALUES ($1, $2, CAST($3 AS TEXT), '', 'race', TRUE, '', 0, FALSE, '', 1, 1)",
];

/// `TOUCHSTONE_RACE_ROUNDS` asks for more.
fn rounds() -> u64 {
    std::env::var("TOUCHSTONE_RACE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5)
}

fn acme() -> OrgId {
    OrgId::new("acme").unwrap()
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(43_200)
    }
}

struct Patient;

impl Onlooker for Patient {
    fn advanced(&self, _rows: u64) {}

    fn goes_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Writes one row of the user behind the gate, as every writer of users' rows does.
fn write(database: &Database, user: &UserId, number: u64) -> Result<(), StoreError> {
    let mut outcome = Ok(());
    let insert = INSERTS[usize::try_from(number).unwrap() % INSERTS.len()];
    let behind_the_gate = |tx: &mut OrgTx| {
        tx.pass_gate(std::slice::from_ref(user))?;
        tx.must_have_admitted(user)?;
        tx.query(|conn, org| {
            diesel::sql_query(insert)
                .bind::<Text, _>(org)
                .bind::<Text, _>(user.as_str())
                .bind::<BigInt, _>(i64::try_from(number).unwrap())
                .execute(conn)
        })
    };
    database.write(&acme(), &mut |tx| {
        outcome = behind_the_gate(tx).map(drop);
        if outcome.is_ok() { Verdict::Commit } else { Verdict::RollBack }
    })?;
    outcome
}

fn erase(database: &Database, user: &UserId) -> u64 {
    let (store, ring) = (Arc::new(database.clone()), Arc::new(KeyRing::new(&[SECRET]).unwrap()));
    let eraser = EraseUser::new(store.clone(), store, ring, Arc::new(Noon), Holder("race".to_owned()));
    let request = RequestId::new("ticket").unwrap();
    let ticket = Ticket { user: user.clone(), request, actor: Actor::operator() };
    let answer = eraser.erase(&acme(), &ticket, &Patient).unwrap();
    let EraseAnswer::Complete(report) = answer else { panic!("{answer:?}") };
    report.deleted.total()
}

/// Writes until refused, and says how often it was told that a row is kept.
fn write_until_refused(database: &Database, user: &UserId, next: &AtomicU64, kept: &AtomicU64) -> Barrier {
    loop {
        match write(database, user, next.fetch_add(1, Ordering::Relaxed)) {
            Ok(()) => kept.fetch_add(1, Ordering::Relaxed),
            Err(StoreError::Barred(barrier)) => return barrier,
            Err(StoreError::Contended) => 0,
            Err(other) => panic!("{other:?}"),
        };
    }
}

fn race(servers: &[Database; 2], round: u64) {
    let user = UserId::new(&format!("ada-{round}")).unwrap();
    let (next, kept, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let erased = std::thread::scope(|scope| {
        for server in (0..WRITERS).map(|n| &servers[usize::from(n % 2 == 0)]) {
            scope.spawn(|| write_until_refused(server, &user, &next, &kept));
        }
        for n in 0..BYSTANDERS {
            let other = UserId::new(&format!("bob-{round}-{n}")).unwrap();
            let (server, is_over) = (&servers[usize::from(n % 2 == 0)], &is_over);
            scope.spawn(move || {
                let mut number = 0;
                while !is_over.load(Ordering::Relaxed) {
                    write(server, &other, number).unwrap();
                    number += 1;
                }
            });
        }
        while kept.load(Ordering::Relaxed) < WRITERS {
            std::thread::yield_now();
        }
        let erased = erase(&servers[0], &user);
        is_over.store(true, Ordering::Relaxed);
        erased
    });

    assert_eq!(erased, kept.load(Ordering::Relaxed), "round {round}");
    assert_eq!(write(&servers[1], &user, u64::MAX >> 1), Err(StoreError::Barred(Barrier::Erased)));
}

fn holds(db: &TestDatabase) {
    db.execute("INSERT INTO organizations (org_id, profile, created_at) VALUES ('acme', 'standard', 0)");
    let servers = [db.another_server(), db.another_server()];
    for round in 0..rounds() {
        race(&servers, round);
        for table in ["search_exposures", "requests", "profiles", "partner_scores", "evaluation_results"] {
            let left = format!("SELECT count(*) AS n FROM {table} WHERE user_id LIKE 'ada%'");
            assert_eq!(db.number(&left), 0, "{table}, round {round}");
        }
    }
}

#[test]
fn no_row_slips_in_behind_an_erasure_on_sqlite() {
    holds(&TestDatabase::sqlite());
}

#[test]
fn no_row_slips_in_behind_an_erasure_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        holds(&db);
    }
}
