//! Everything at once for a while, on each database: publishers, searchers, dashboards, judges, erasures and exports.
//!
//! `TOUCHSTONE_SOAK_SECONDS` says how long on each database (600). Traffic goes to this machine's loopback only and ends by
//! itself. At the end the invariants are checked: every acknowledged write is there, no row crossed an organization, no row
//! of an erased user is left. The report goes to standard output and into `docs/RELIABILITY.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a soak may fail by panicking"
)]

mod callers;
mod invariants;
mod latency;
mod memory;
mod report;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use callers::{Caller, Crowd};
use memory::Sample;
use report::Soaked;
use serde_json::json;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, StubJudge, TestOrganization, eventually};
use touchstone_cli::SystemClock;

/// The organizations; each does all of it, beside the others.
const ORGANIZATIONS: [&str; 3] = ["acme", "globex", "initech"];
/// How many callers of each kind an organization has.
const CREW: [(Caller, usize); 6] = [
    (Caller::Publisher, 3),
    (Caller::Learner, 1),
    (Caller::Searcher, 2),
    (Caller::Reader, 1),
    (Caller::Eraser, 1),
    (Caller::Exporter, 1),
];

fn duration() -> Duration {
    let asked = std::env::var("TOUCHSTONE_SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(asked.unwrap_or(600))
}

fn main() -> ExitCode {
    let sqlite = ("SQLite", TestDatabase::sqlite_in(std::path::Path::new("/var/tmp")));
    let postgres = TestDatabase::postgres().map(|postgres| ("PostgreSQL", postgres));
    let mut soaked = Vec::new();
    for (name, db) in std::iter::once(sqlite).chain(postgres) {
        eprintln!("soaking {name} for {:?}", duration());
        soaked.push(soak(name, &db));
    }
    println!("{}", report::text(&soaked));
    if std::env::var_os("TOUCHSTONE_SOAK_SECONDS").is_none() {
        report::write(&soaked);
    }
    let violations: usize = soaked.iter().map(|one| one.violations.len()).sum();
    if violations == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn soak(database: &'static str, db: &TestDatabase) -> Soaked {
    let judge = StubJudge::begin();
    judge.take(Duration::from_millis(20));
    let organizations =
        ORGANIZATIONS.map(|id| TestOrganization::found(&db.database, Arc::new(SystemClock), id));
    let tokens = organizations.each_ref().map(TestOrganization::governance);
    let server = ServerProcess::on(&db.url);
    let callers: Vec<Client> = tokens.iter().map(|token| server.anonymous().bearing(token)).collect();
    for caller in &callers {
        let body = json!({ "group_evaluation_delay_seconds": 1, "sampling_rate": 1.0, "judge": judge.configuration() });
        assert_eq!(caller.post("/api/update_config", &body).told(), "200");
    }
    let crowds: Vec<Crowd> =
        ORGANIZATIONS.iter().zip(callers).map(|(org, caller)| Crowd::of(org, caller)).collect();
    let (begun, memory) = (Instant::now(), run(&server, &crowds));
    let elapsed = begun.elapsed();
    drain(db);
    let violations = invariants::violations(db, &crowds);
    Soaked {
        database,
        elapsed,
        memory,
        tallies: callers::tallies(&crowds),
        judged: judge.calls(),
        violations,
    }
}

/// Lets all crowds loose until the time is over; tells the server's memory meanwhile.
fn run(server: &ServerProcess, crowds: &[Crowd]) -> Vec<Sample> {
    let (is_over, end) = (AtomicBool::new(false), Instant::now() + duration());
    std::thread::scope(|scope| {
        for crowd in crowds {
            for (caller, how_many) in CREW {
                for number in 0..how_many {
                    let is_over = &is_over;
                    scope.spawn(move || crowd.work(caller, number, is_over));
                }
            }
        }
        let samples = memory::watch(server, end);
        is_over.store(true, Ordering::SeqCst);
        samples
    })
}

/// Waits until the judges have worked off what is due, so that what is counted stands still.
fn drain(db: &TestDatabase) {
    let left = "SELECT count(*) AS n FROM work_items WHERE state = 'waiting'";
    eventually(|| (db.number(left) == 0).then_some(()));
}
