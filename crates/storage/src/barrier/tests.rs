//! Writers race an erasure: whatever they were told is kept was erased, and everything else was refused.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use diesel::RunQueryDsl as _;
use diesel::sql_types::{BigInt, Text};
use governance::{Actor, EraseAnswer, EraseUser, Holder, Onlooker, Ticket};
use kernel::{Barrier, Clock, OrgId, RequestId, StoreError, Timestamp, UserId, Verdict};

use super::CROWD;
use crate::testing::{TestDatabase, test_ring};
use crate::transaction::OrgTx;
use crate::{Database, DatabaseUrl, Options};

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

#[derive(diesel::QueryableByName)]
struct Held {
    #[diesel(sql_type = BigInt)]
    n: i64,
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

/// A server whose callers wait for a connection however busy the machine is.
fn server(db: &TestDatabase) -> Database {
    let usual = Options::usual(DatabaseUrl::parse(&db.url).unwrap(), test_ring());
    Database::open(&Options { patience: Duration::from_secs(60), ..usual })
}

/// The user, perhaps in a crowd that is locked as a whole.
fn company(user: &UserId, size: usize) -> Vec<UserId> {
    let others = (1..size).map(|n| UserId::new(&format!("other-{n}")).unwrap());
    others.chain([user.clone()]).collect()
}

/// Writes one row of the user behind the gate, as every writer of users' rows does; some linger between the two.
fn write(database: &Database, user: &UserId, number: u64) -> Result<(), StoreError> {
    let linger = if number.is_multiple_of(8) { Duration::from_millis(number % 5) } else { Duration::ZERO };
    // Every tenth comes as one of a crowd.
    let users = company(user, if number.is_multiple_of(10) { CROWD + 1 } else { 1 });
    // Every third leaves out who is behind a barrier, and so must come to nothing when it is the user.
    let pass = if number.is_multiple_of(3) { pass_or_stay } else { OrgTx::pass_gate };
    write_after(database, &acme(), pass, &users, number, &mut || std::thread::park_timeout(linger))
}

/// One of the ways through the gate.
type Pass = fn(&mut OrgTx, &[UserId]) -> Result<(), StoreError>;

/// Passes for those who may; the last of the users must.
fn pass_or_stay(tx: &mut OrgTx, users: &[UserId]) -> Result<(), StoreError> {
    let barred = tx.pass_gate_or_stay(users)?;
    match users.last().filter(|user| barred.contains(*user)) {
        Some(user) => tx.pass_gate(std::slice::from_ref(user)),
        None => Ok(()),
    }
}

fn write_after(
    database: &Database,
    org: &OrgId,
    pass: Pass,
    users: &[UserId],
    number: u64,
    passed: &mut dyn FnMut(),
) -> Result<(), StoreError> {
    let mut outcome = Ok(());
    let insert = INSERTS[usize::try_from(number).unwrap() % INSERTS.len()];
    let user = users.last().unwrap();
    let mut behind_the_gate = |tx: &mut OrgTx| {
        pass(tx, users)?;
        passed();
        tx.must_have_admitted(user)?;
        tx.query(|conn, org| {
            diesel::sql_query(insert)
                .bind::<Text, _>(org)
                .bind::<Text, _>(user.as_str())
                .bind::<BigInt, _>(i64::try_from(number).unwrap())
                .execute(conn)
        })
    };
    database.write(org, &mut |tx| {
        outcome = behind_the_gate(tx).map(drop);
        if outcome.is_ok() { Verdict::Commit } else { Verdict::RollBack }
    })?;
    outcome
}

fn erase(database: &Database, user: &UserId) -> u64 {
    erase_in(database, &acme(), user)
}

fn erase_in(database: &Database, org: &OrgId, user: &UserId) -> u64 {
    let (store, ring) = (Arc::new(database.clone()), test_ring());
    let eraser = EraseUser::new(store.clone(), store, ring, Arc::new(Noon), Holder("race".to_owned()));
    let request = RequestId::new("ticket").unwrap();
    let ticket = Ticket { user: user.clone(), request, actor: Actor::operator() };
    let answer = eraser.erase(org, &ticket, &Patient).unwrap();
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

fn holds(db: &TestDatabase, servers: &[Database; 2]) {
    db.execute("INSERT INTO organizations (org_id, profile, created_at) VALUES ('acme', 'standard', 0)");
    for round in 0..rounds() {
        race(servers, round);
        for table in ["search_exposures", "requests", "profiles", "partner_scores", "evaluation_results"] {
            let left = format!("SELECT count(*) AS n FROM {table} WHERE user_id LIKE 'ada%'");
            assert_eq!(db.number(&left), 0, "{table}, round {round}");
        }
    }
}

/// The writer that passed waits for the erasure, as long as a test may; the erasure must wait for the writer.
///
/// Databases of tests share their locks: an organization of its own keeps this from holding up other tests.
fn waits_for_who_passed(db: &TestDatabase, org: &str, pass: Pass, crowd: usize, erased: &[&str]) {
    db.execute(&format!(
        "INSERT INTO organizations (org_id, profile, created_at) VALUES ('{org}', 'standard', 0)"
    ));
    let (user, servers) = (UserId::new("ada").unwrap(), [server(db), server(db)]);
    let org = &OrgId::new(org).unwrap();
    for user in erased {
        erase_in(&servers[0], org, &UserId::new(user).unwrap());
    }
    let (has_passed, passes) = mpsc::channel();
    let (is_done, end) = mpsc::channel();

    let (written, erased, came_late) = std::thread::scope(|scope| {
        let (user, servers) = (&user, &servers);
        let writer = scope.spawn(move || {
            let mut was_erased = false;
            let written = write_after(&servers[0], org, pass, &company(user, crowd), 1, &mut || {
                has_passed.send(()).unwrap();
                was_erased |= end.recv_timeout(Duration::from_millis(500)).is_ok();
            });
            (written, was_erased)
        });
        passes.recv().unwrap();
        let erased = erase_in(&servers[1], org, user);
        let _ = is_done.send(());
        let (written, was_erased) = writer.join().unwrap();
        (written, erased, was_erased)
    });

    assert_eq!((written, erased, came_late), (Ok(()), 1, false));
}

#[test]
fn an_erasure_waits_for_a_writer_that_passed_the_gate_on_sqlite() {
    waits_for_who_passed(&TestDatabase::sqlite(), "alone", OrgTx::pass_gate, 1, &[]);
}

#[test]
fn an_erasure_waits_for_a_writer_that_passed_the_gate_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        waits_for_who_passed(&db, "alone", OrgTx::pass_gate, 1, &[]);
    }
}

#[test]
fn an_erasure_waits_for_a_writer_of_many_users_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        waits_for_who_passed(&db, "crowd", OrgTx::pass_gate, CROWD + 1, &[]);
    }
}

#[test]
fn an_erasure_waits_for_a_writer_that_left_others_out_on_sqlite() {
    waits_for_who_passed(&TestDatabase::sqlite(), "some", pass_or_stay, 2, &["other-1"]);
}

#[test]
fn an_erasure_waits_for_a_writer_that_left_others_out_on_postgres() {
    for crowd in [2, CROWD + 1] {
        if let Some(db) = TestDatabase::postgres() {
            waits_for_who_passed(&db, "some", pass_or_stay, crowd, &["other-1"]);
        }
    }
}

/// Who of ada and bob is left out while somebody else holds one of their locks alone.
///
/// Databases of tests share their locks: an organization of its own keeps this from holding up other tests.
fn left_out_while_held(db: &TestDatabase, org: &OrgId, held: &UserId) -> Result<Vec<String>, StoreError> {
    let (is_held, holding) = mpsc::channel();
    let (is_done, end) = mpsc::channel::<()>();
    let servers = [server(db), server(db)];
    std::thread::scope(|scope| {
        let (servers, users) = (&servers, [UserId::new("ada").unwrap(), UserId::new("bob").unwrap()]);
        scope.spawn(move || {
            servers[0].written(org, |tx| {
                tx.close_gate(held)?;
                let _ = is_held.send(());
                let _ = end.recv();
                Ok(())
            })
        });
        holding.recv().unwrap();
        let barred = servers[1].written(org, |tx| tx.pass_gate_or_stay(&users));
        drop(is_done);
        barred.map(|users| users.iter().map(|user| user.as_str().to_owned()).collect())
    })
}

#[test]
fn who_is_behind_a_barrier_is_left_out_without_a_lock_on_postgres() {
    let Some(db) = TestDatabase::postgres() else { return };
    db.execute("INSERT INTO organizations (org_id, profile, created_at) VALUES ('umbrella', 'standard', 0)");
    let (org, [ada, bob]) =
        (OrgId::new("umbrella").unwrap(), ["ada", "bob"].map(|id| UserId::new(id).unwrap()));
    erase_in(&server(&db), &org, &bob);

    assert_eq!(left_out_while_held(&db, &org, &bob), Ok(vec!["bob".to_owned()]));
    assert_eq!(left_out_while_held(&db, &org, &ada), Err(StoreError::Contended));
}

#[test]
fn a_writer_of_many_users_holds_one_lock_on_postgres() {
    let Some(db) = TestDatabase::postgres() else { return };
    let users: Vec<_> = (0..20_000).map(|n| UserId::new(&format!("user-{n}")).unwrap()).collect();
    let mut locks = 0;

    server(&db)
        .written(&acme(), |tx| {
            tx.pass_gate(&users)?;
            let held =
                "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";
            locks = tx.query(|conn, _| diesel::sql_query(held).get_result::<Held>(conn))?.n;
            Ok(())
        })
        .unwrap();

    assert_eq!(locks, 1);
}

#[test]
fn no_row_slips_in_behind_an_erasure_on_sqlite() {
    let db = TestDatabase::sqlite();
    holds(&db, &[server(&db), server(&db)]);
}

#[test]
fn no_row_slips_in_behind_an_erasure_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        holds(&db, &[server(&db), server(&db)]);
    }
}
