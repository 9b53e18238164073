//! Erasing users: what the size of the tables costs, what others notice, and what an export holds in memory.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use governance::{Actor, EraseAnswer, EraseUser, Onlooker, Ticket};
use kernel::{OrgId, RequestId, UserId};
use learning::PublishInteractions;
use storage::testing::{TestDatabase, test_ring};
use storage::{Database, DatabaseUrl, Options};
use support::TestOrganization;
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::activity::{ROWS_OF_A_REQUEST, Whose, fill};
use crate::evaluated::{hurry, settle};
use crate::figures::{Stretch, median, tail};
use crate::publish::{acme, fresh, publication};
use crate::raw::Raw;
use crate::server::{Memory, Server, drained, patient_client};
use crate::{Section, scale};

pub(crate) const SECTION: Section = Section {
    name: "erase",
    title: "Erasing a user: the size of the tables, other users' publishes, and an export's memory",
    measure,
};

/// Requests of other users, before and after the tables grow tenfold.
const FEW: u32 = 1_000_000 / ROWS_OF_A_REQUEST;
const MANY: u32 = 10_000_000 / ROWS_OF_A_REQUEST;
const USERS: u32 = 20_000;
/// Requests of a user with ten thousand rows, and of one with a million.
const ORDINARY: u32 = 10_000 / ROWS_OF_A_REQUEST;
const HEAVY: u32 = 1_000_000 / ROWS_OF_A_REQUEST;
const ERASED: u32 = 5;
const CLIENTS: usize = 4;
const IDLE: Duration = Duration::from_secs(8);

/// What was measured on one database.
struct Found {
    few: Vec<f64>,
    many: Vec<f64>,
    idle: Stretch,
    meanwhile: Stretch,
    heavy_seconds: f64,
    export: Memory,
    export_bytes: u64,
}

fn measure() -> anyhow::Result<String> {
    let (few, many) = (ROWS_OF_A_REQUEST * scale::rows(FEW), ROWS_OF_A_REQUEST * scale::rows(MANY));
    let mut told = format!(
        "{}Through the rule `EraseUser`, barrier, ledger, audit row and final check included. First a user of {} rows (requests, \
         interactions, sessions, work, feed) while the same tables hold {few} rows of {USERS} others, then while they hold {many}: the \
         median of {ERASED} users each. Then a user of {} rows is erased, while {CLIENTS} clients publish requests of four turns for others; their latency beside \
         the same without an erasure. Before that the same user is exported over HTTP from a server whose memory (RssAnon) is watched; on SQLite a connection keeps up \
         to 64 MB of pages of a file larger than 1 GiB. Goals: at most 1.3 times as long in the larger table; p99 of publishes below 5 times; flat memory.\n\n\
         | database | erase among {few}, ms | erase among {many}, ms | larger beside smaller | erasing the large user, s \
         | publish p50 / p99 idle, ms | publish p50 / p99 meanwhile, ms | p99 beside idle | server during export, MiB | export |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        scale::remark(),
        scale::rows(ORDINARY) * ROWS_OF_A_REQUEST,
        scale::rows(HEAVY) * ROWS_OF_A_REQUEST,
    );
    for (name, database) in crate::databases()? {
        row(&mut told, name, &found(&database)?)?;
    }
    Ok(told)
}

fn row(told: &mut String, name: &str, found: &Found) -> anyhow::Result<()> {
    let (few, many) = (median(found.few.clone()), median(found.many.clone()));
    let milliseconds = |stretch: &Stretch| {
        stretch.latencies.iter().map(|one| one.as_secs_f64() * 1_000.0).collect::<Vec<_>>()
    };
    let (idle, meanwhile) = (milliseconds(&found.idle), milliseconds(&found.meanwhile));
    let p99 = |stretch: &Stretch| tail(std::slice::from_ref(stretch)).0;
    writeln!(
        told,
        "| {name} | {few:.0} | {many:.0} | **{:.2}** | {:.1} | {:.1} / {:.1} | {:.1} / {:.1} | **{:.2}** | {:.0} → {:.0} | {} MB |",
        many / few,
        found.heavy_seconds,
        median(idle),
        p99(&found.idle),
        median(meanwhile),
        p99(&found.meanwhile),
        p99(&found.meanwhile) / p99(&found.idle),
        found.export.idle,
        found.export.peak,
        found.export_bytes / 1_000_000,
    )?;
    Ok(())
}

fn found(database: &TestDatabase) -> anyhow::Result<Found> {
    let url = DatabaseUrl::parse(&database.url)?;
    let opened = Database::open(&Options::usual(url.clone(), test_ring()));
    let acme = TestOrganization::found(&opened, Arc::new(SystemClock), "acme");
    let house = House::over(opened, Arc::new(SystemClock));
    let mut filler = Filler::new(&url)?;
    filler.publish(Whose::Many(USERS), scale::rows(FEW))?;
    let few = erasures(&house.erase_user(), &mut filler, "small")?;
    filler.publish(Whose::Many(USERS), scale::rows(MANY) - scale::rows(FEW))?;
    let many = erasures(&house.erase_user(), &mut filler, "large")?;
    filler.publish(Whose::One("heavy"), scale::rows(HEAVY))?;
    settle(&mut filler.raw)?;
    eprintln!("filled in {:.0} s", filler.spent.as_secs_f64());
    let server = Server::on(&database.url)?;
    let (export, export_bytes) = exported(&server, &acme.governance())?;
    server.stop()?;
    let publish = house.publish();
    let began = Instant::now();
    let idle = publishing(&publish, || began.elapsed() < scale::time(IDLE))?;
    let (meanwhile, heavy_seconds) = publishing_during_erasure(&publish, &house.erase_user())?;
    Ok(Found { few, many, idle, meanwhile, heavy_seconds, export, export_bytes })
}

/// Fills tables and counts what was filled.
struct Filler {
    raw: Raw,
    next: u32,
    spent: Duration,
}

impl Filler {
    fn new(url: &DatabaseUrl) -> anyhow::Result<Self> {
        let mut raw = Raw::connect(url)?;
        hurry(&mut raw)?;
        Ok(Self { raw, next: 0, spent: Duration::ZERO })
    }

    fn publish(&mut self, whose: Whose<'_>, requests: u32) -> anyhow::Result<()> {
        let began = Instant::now();
        fill(&mut self.raw, whose, self.next, self.next + requests - 1)?;
        self.next += requests;
        self.spent += began.elapsed();
        Ok(())
    }
}

/// How long it takes to erase each of some users, in milliseconds.
fn erasures(erase: &EraseUser, filler: &mut Filler, name: &str) -> anyhow::Result<Vec<f64>> {
    let users: Vec<_> = (0..=ERASED).map(|number| format!("{name}-{number}")).collect();
    for user in &users {
        filler.publish(Whose::One(user), scale::rows(ORDINARY))?;
    }
    settle(&mut filler.raw)?;
    let times: anyhow::Result<Vec<_>> = users
        .iter()
        .map(|user| {
            let began = Instant::now();
            erase_all(erase, user, scale::rows(ORDINARY))?;
            Ok(began.elapsed().as_secs_f64() * 1_000.0)
        })
        .collect();
    // The first warms everything up.
    Ok(times?.into_iter().skip(1).collect())
}

/// Waits for as long as it takes.
struct Unhurried;

impl Onlooker for Unhurried {
    fn advanced(&self, _rows: u64) {}

    fn goes_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn erase_all(erase: &EraseUser, user: &str, requests: u32) -> anyhow::Result<()> {
    let ticket =
        Ticket { user: UserId::new(user)?, request: RequestId::new("ticket")?, actor: Actor::operator() };
    let EraseAnswer::Complete(report) = erase.erase(&OrgId::new("acme")?, &ticket, &Unhurried)? else {
        anyhow::bail!("{user} was not erased");
    };
    let deleted = report.deleted.total();
    anyhow::ensure!(deleted >= u64::from(requests) * 5, "only {deleted} rows were erased of {user}");
    Ok(())
}

/// Lets a few clients publish for other users while a condition holds.
fn publishing(publish: &PublishInteractions, goes_on: impl Fn() -> bool + Sync) -> anyhow::Result<Stretch> {
    let org = acme()?;
    let client = || {
        let mut latencies = Vec::new();
        while goes_on() {
            let publication = publication(fresh())?;
            let began = Instant::now();
            publish.publish(&org, publication)?;
            latencies.push(began.elapsed());
        }
        anyhow::Ok(latencies)
    };
    let began = Instant::now();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        let mut stretch = Stretch::default();
        for one in running {
            stretch.latencies.extend(one.join().map_err(|_| anyhow::anyhow!("a client panicked"))??);
        }
        stretch.elapsed = began.elapsed();
        Ok(stretch)
    })
}

fn publishing_during_erasure(
    publish: &PublishInteractions,
    erase: &EraseUser,
) -> anyhow::Result<(Stretch, f64)> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let erasing = scope.spawn(|| {
            let began = Instant::now();
            let erased = erase_all(erase, "heavy", scale::rows(HEAVY));
            is_over.store(true, Ordering::Relaxed);
            erased.map(|()| began.elapsed().as_secs_f64())
        });
        let stretch = publishing(publish, || !is_over.load(Ordering::Relaxed))?;
        let seconds = erasing.join().map_err(|_| anyhow::anyhow!("the erasure panicked"))??;
        Ok((stretch, seconds))
    })
}

/// Exports the large user; a small one warms the server up.
fn exported(server: &Server, token: &str) -> anyhow::Result<(Memory, u64)> {
    let client = patient_client()?;
    let export = |user: &str| {
        let url = format!("http://{}/api/governance/export-user", server.address);
        let ticket = serde_json::json!({ "user_id": user, "request_id": "export" });
        drained(&mut client.post(url).bearer_auth(token).json(&ticket).send()?)
    };
    export("user-1")?;
    let (memory, (bytes, _)) = server.watched(|| export("heavy"))?;
    anyhow::ensure!(bytes > u64::from(scale::rows(HEAVY)) * 500, "the export has {bytes} bytes only");
    Ok((memory, bytes))
}
