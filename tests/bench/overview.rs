//! The overview of a million evaluated sessions, beside one plain scan of them; its plans; and all of them as one CSV stream.

mod plans;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use evaluation::{Bucket, OverviewQuery, Part, ReadOverview, SourceSets};
use kernel::{OrgId, Timestamp, Window};
use storage::testing::{TestDatabase, listen, test_ring};
use storage::{Database, DatabaseUrl, Options};
use support::TestOrganization;
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::evaluated::{BEGIN, SECONDS, fill, hurry, settle};
use crate::figures::median;
use crate::raw::{Raw, Value};
use crate::server::{Memory, Server, drained, patient_client};
use crate::{Section, scale};

pub(crate) const SECTION: Section = Section {
    name: "overview",
    title: "The overview of a million sessions, beside one plain scan of them",
    measure,
};

const LARGE: u32 = 1_000_000;
const SMALL: u32 = 10_000;
const ROUNDS: usize = 9;
const CALLS: usize = 20;
/// Two sums over the sessions in the window, from whatever index suits the database.
const SCAN: &str = "SELECT count(*) + CAST(sum(corrections) AS BIGINT) AS n FROM session_outcomes \
     WHERE org_id = ? AND created_at BETWEEN ? AND ?";

/// One round, in milliseconds.
struct Round {
    scan: f64,
    large: f64,
    small: f64,
    one_day: f64,
}

/// What was measured on one database.
struct Found {
    rounds: Vec<Round>,
    overview: Memory,
    csv: Memory,
    csv_bytes: u64,
    csv_seconds: f64,
    plans: String,
}

fn measure() -> anyhow::Result<String> {
    let (large, small) = (scale::rows(LARGE), scale::rows(SMALL));
    let mut told = format!(
        "{}`ReadOverview` without lists of sessions, over {large} evaluated sessions of ninety days, ten sources, every twentieth with \
         citations of 600 rules; the window begins and ends within an hour. Beside it: one `count` and one `sum` over the same sessions on a \
         connection that is kept open, the same call for an organization of {small} sessions, and the same call for one day. {ROUNDS} rounds in \
         turns. Memory is what the server process holds of its own (RssAnon), idle and at most: during {CALLS} overviews over HTTP, and while \
         all {large} results are read as CSV. Goals: faster than the scan; at most 5 times the small organization; a day costs no more than \
         ninety; less than 50 MB more than idle.\n\n\
         | database | plain scan, ms | overview, ms | beside the scan | beside {small} sessions | one day beside ninety \
         | server during overviews, MiB | server during CSV, MiB | CSV |\n|---|---|---|---|---|---|---|---|---|\n",
        scale::remark()
    );
    let mut plans = String::new();
    for (name, database) in crate::databases()? {
        let found = found(&database)?;
        let of = |figure: fn(&Round) -> f64| median(found.rounds.iter().map(figure));
        writeln!(
            told,
            "| {name} | {:.1} | {:.1} | **{:.2}** | **{:.2}** ({:.1} ms) | **{:.2}** | {:.0} → {:.0} | {:.0} → {:.0} \
             | {} MB in {:.0} s |",
            of(|round| round.scan),
            of(|round| round.large),
            of(|round| round.large / round.scan),
            of(|round| round.large / round.small),
            of(|round| round.small),
            of(|round| round.one_day / round.large),
            found.overview.idle,
            found.overview.peak,
            found.csv.idle,
            found.csv.peak,
            found.csv_bytes / 1_000_000,
            found.csv_seconds,
        )?;
        write!(
            plans,
            "\n<details><summary>How {name} answers it: every query and its plan</summary>\n\n```\n{}```\n\n</details>\n",
            found.plans
        )?;
    }
    Ok(told + &plans)
}

fn found(database: &TestDatabase) -> anyhow::Result<Found> {
    let url = DatabaseUrl::parse(&database.url)?;
    let opened = Database::open(&Options::usual(url.clone(), test_ring()));
    let acme = TestOrganization::found(&opened, Arc::new(SystemClock), "acme");
    let _small = TestOrganization::found(&opened, Arc::new(SystemClock), "small");
    let mut raw = Raw::connect(&url)?;
    let began = Instant::now();
    hurry(&mut raw)?;
    fill(&mut raw, "acme", scale::rows(LARGE), BEGIN)?;
    fill(&mut raw, "small", scale::rows(SMALL), BEGIN)?;
    settle(&mut raw)?;
    eprintln!("filled in {:.0} s", began.elapsed().as_secs_f64());
    let mut raw = Raw::connect(&url)?;
    let read = House::over(opened, Arc::new(SystemClock)).read_overview();
    let rounds = rounds(&read, &mut raw)?;
    listen();
    let again = Database::open(&Options::usual(url, test_ring()));
    let plans = plans::told(&House::over(again, Arc::new(SystemClock)).read_overview(), database, &mut raw)?;
    let server = Server::on(&database.url)?;
    let overview = overviews(&server, &acme.dashboard())?;
    let (csv, (csv_bytes, csv_seconds)) = all_as_csv(&server, &acme.dashboard())?;
    server.stop()?;
    Ok(Found { rounds, overview, csv, csv_bytes, csv_seconds, plans })
}

fn rounds(read: &ReadOverview, raw: &mut Raw) -> anyhow::Result<Vec<Round>> {
    let (large, small) = (OrgId::new("acme")?, OrgId::new("small")?);
    let (ninety, day) = (query(window(90)?), query(window(1)?));
    let overview = |org: &OrgId, query: &OverviewQuery| {
        let read = read.read(org, query)?;
        anyhow::ensure!(!read.rule_attribution.is_empty(), "no rule was cited");
        Ok(())
    };
    let mut rounds = Vec::new();
    for number in 0..=ROUNDS {
        let round = Round {
            scan: timed(|| scan(raw))?,
            large: timed(|| overview(&large, &ninety))?,
            small: timed(|| overview(&small, &ninety))?,
            one_day: timed(|| overview(&large, &day))?,
        };
        // The first round warms everything up.
        if number > 0 {
            rounds.push(round);
        }
    }
    Ok(rounds)
}

/// The last so many days, less a bit of an hour on either side.
fn window(days: i64) -> anyhow::Result<Window> {
    let end = BEGIN + SECONDS - 1_000;
    let start = BEGIN.max(end - days * 86_400) + 1_000;
    Ok(Window::new(Timestamp::from_seconds(start), Timestamp::from_seconds(end))?)
}

pub(crate) fn query(window: Window) -> OverviewQuery {
    OverviewQuery {
        window,
        agent_version: None,
        bucket: Bucket::Day,
        shadow: Part::Included,
        sessions: Part::LeftOut,
        source_sets: SourceSets::default(),
    }
}

fn scan(raw: &mut Raw) -> anyhow::Result<()> {
    let window = window(90)?;
    let (start, end) = (Value::Number(window.start().seconds()), Value::Number(window.end().seconds()));
    let sums = raw.numbers(SCAN, &[Value::Text("acme"), start, end])?;
    anyhow::ensure!(sums.first().is_some_and(|sum| *sum > i64::from(scale::rows(LARGE)) / 2), "{sums:?}");
    Ok(())
}

/// How long the work took, in milliseconds.
fn timed(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

/// The server's memory while it answers overviews; the first warms it up.
fn overviews(server: &Server, token: &str) -> anyhow::Result<Memory> {
    let (client, window) = (patient_client()?, window(90)?);
    let body = serde_json::json!({
        "from_ts": window.start().seconds(), "to_ts": window.end().seconds(), "bucket": "day", "include_sessions": false,
    });
    let ask = || {
        let url = format!("http://{}/api/get_evaluation_overview", server.address);
        drained(&mut client.post(url).bearer_auth(token).json(&body).send()?)
    };
    ask()?;
    let (memory, ()) = server.watched(|| (0..CALLS).try_for_each(|_| ask().map(drop)))?;
    Ok(memory)
}

fn all_as_csv(server: &Server, token: &str) -> anyhow::Result<(Memory, (u64, f64))> {
    let client = patient_client()?;
    let began = Instant::now();
    let (memory, (bytes, lines)) = server.watched(|| {
        let url = format!("http://{}/api/evaluations/results.csv", server.address);
        drained(&mut client.get(url).bearer_auth(token).send()?)
    })?;
    anyhow::ensure!(lines == u64::from(scale::rows(LARGE)) + 1, "{lines} lines came");
    Ok((memory, (bytes, began.elapsed().as_secs_f64())))
}
