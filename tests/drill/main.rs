//! Breaks things on purpose, under load, and tells what callers saw, what was lost and how it came back: `drill [FAULT…]`.
//!
//! Every fault compares what callers were told is kept with what the database holds afterwards. The table goes to standard
//! output and into `docs/RELIABILITY.md`; a fault that loses anything acknowledged ends the drill with an error.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a drill may fail by panicking"
)]

mod away;
mod clock;
mod damage;
mod full;
mod kills;
mod load;
mod migrations;
mod pool;
mod rings;
mod slow;
mod table;

use std::process::ExitCode;

use storage::testing::TestDatabase;
use table::Row;

/// One way to break things.
struct Fault {
    name: &'static str,
    drill: fn() -> Vec<Row>,
}

const FAULTS: [Fault; 9] = [
    Fault { name: "kills", drill: kills::drill },
    Fault { name: "away", drill: away::drill },
    Fault { name: "pool", drill: pool::drill },
    Fault { name: "full", drill: full::drill },
    Fault { name: "slow", drill: slow::drill },
    Fault { name: "clock", drill: clock::drill },
    Fault { name: "rings", drill: rings::drill },
    Fault { name: "migrations", drill: migrations::drill },
    Fault { name: "damage", drill: damage::drill },
];

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |fault: &&Fault| asked.is_empty() || asked.iter().any(|name| name == fault.name);
    let mut rows = Vec::new();
    for fault in FAULTS.iter().filter(is_asked) {
        eprintln!("drilling: {}", fault.name);
        rows.extend((fault.drill)());
    }
    println!("{}", table::text(&rows));
    if asked.is_empty() {
        table::write(&rows);
    }
    let lost: usize = rows.iter().map(|row| row.lost).sum();
    if rows.is_empty() || lost > 0 {
        eprintln!("{lost} acknowledged writes were lost in {} drills", rows.len());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// A new database of each kind that can be had, with its name for people.
fn databases() -> Vec<(&'static str, TestDatabase)> {
    let sqlite = ("SQLite", TestDatabase::sqlite());
    let postgres = TestDatabase::postgres().map(|postgres| ("PostgreSQL", postgres));
    std::iter::once(sqlite).chain(postgres).collect()
}
