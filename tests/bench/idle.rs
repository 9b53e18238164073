//! A server that serves the demo: how soon it answers after its start, and how much memory it holds.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use kernel::Clock as _;
use serde_json::json;
use storage::testing::TestDatabase;
use support::{Client, ServerProcess, TestOrganization};
use touchstone_cli::SystemClock;
use touchstone_cli::demo::{ORGANIZATION, Outcome, Size, fill};

use crate::Section;
use crate::figures::median;

pub(crate) const SECTION: Section = Section {
    name: "idle",
    title: "A server with the demo: start, and memory at rest and under load",
    measure,
};

const ROUNDS: usize = 9;
const DAY: i64 = 86_400;
/// What every caller asks for, again and again.
const CALLERS: u32 = 8;
const CALLS: u32 = 100;

fn measure() -> anyhow::Result<String> {
    let mut told = format!(
        "`touchstone demo` fills a new database in process; then the binary serves it. Start: from launching the process on the \
         existing database to the answer of `/readyz`, {ROUNDS} times. Memory: resident, and in brackets the process's own part of it (without file \
         pages, which SQLite's memory map shares with the system's cache); after 5 seconds of rest, and after {CALLERS} callers asked {CALLS} times \
         each for the overview of 90 days. Goals: an answer within a second, and less than 100 MB at rest.\n\n\
         | database | filling the demo, s | start to first answer, median / worst, ms | memory at rest, MB | memory after load, MB |\n\
         |---|---|---|---|---|\n"
    );
    for (name, database) in crate::databases()? {
        let filling = filled(&database)?;
        let starts: Vec<f64> = (0..ROUNDS).map(|_| started(&database)).collect::<anyhow::Result<_>>()?;
        let worst = starts.iter().copied().fold(0.0, f64::max);
        let (rest, load) = remembered(&database)?;
        writeln!(
            told,
            "| {name} | {filling:.1} | **{:.0}** / {worst:.0} | **{}** | {} |",
            median(starts),
            rest.told(),
            load.told()
        )?;
    }
    Ok(told)
}

/// Fills the demo, and says how many seconds that took.
fn filled(database: &TestDatabase) -> anyhow::Result<f64> {
    let began = Instant::now();
    match fill(&database.database, SystemClock.now(), Size::FULL, &|_| {})? {
        Outcome::Filled(_) => Ok(began.elapsed().as_secs_f64()),
        Outcome::AlreadyThere => bail!("a new database held the demo already"),
    }
}

/// Milliseconds from the launch of a server to its first answer.
fn started(database: &TestDatabase) -> anyhow::Result<f64> {
    let began = Instant::now();
    let server = ServerProcess::on(&database.url);
    if server.anonymous().get("/readyz").status != 200 {
        bail!("the server is not ready");
    }
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

/// Memory of a process, in megabytes.
struct Memory {
    resident: f64,
    own: f64,
}

impl Memory {
    fn of(process: u32) -> anyhow::Result<Self> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let megabytes = |name: &str| -> anyhow::Result<f64> {
            let line = status.lines().find(|line| line.starts_with(name)).context("no such line")?;
            let kilobytes: f64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
            Ok(kilobytes * 1_024.0 / 1_000_000.0)
        };
        Ok(Self { resident: megabytes("VmRSS:")?, own: megabytes("RssAnon:")? })
    }

    fn told(&self) -> String {
        format!("{:.0} ({:.0})", self.resident, self.own)
    }
}

/// The memory of a server at rest and after load.
fn remembered(database: &TestDatabase) -> anyhow::Result<(Memory, Memory)> {
    let token = TestOrganization::found(&database.database, Arc::new(SystemClock), ORGANIZATION).dashboard();
    let server = ServerProcess::on(&database.url);
    thread::sleep(Duration::from_secs(5));
    let rest = Memory::of(server.id())?;
    let person = server.anonymous().bearing(&token);
    let now = SystemClock.now().seconds();
    thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| look_around(&person, now));
        }
    });
    Ok((rest, Memory::of(server.id())?))
}

fn look_around(person: &Client, now: i64) {
    let body = json!({ "from_ts": now - 90 * DAY, "to_ts": now, "bucket": "day" });
    for _ in 0..CALLS {
        let answer = person.post("/api/get_evaluation_overview", &body);
        assert!(answer.status == 200, "the overview was refused: {}", answer.text());
    }
}
