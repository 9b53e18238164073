//! The first page that a person sees: the overview of a million sessions in a real browser, from the start of the server on.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use kernel::Clock as _;
use storage::DatabaseUrl;
use storage::testing::TestDatabase;
use support::{ServerProcess, TestOrganization};
use touchstone_cli::SystemClock;

use crate::evaluated::{SECONDS, fill, hurry, settle};
use crate::figures::median;
use crate::raw::Raw;
use crate::{Section, scale};

pub(crate) const SECTION: Section = Section {
    name: "page",
    title: "The overview page of a million sessions, from the start of the server to a page that can be used",
    measure,
};

const SESSIONS: u32 = 1_000_000;
const ROUNDS: usize = 5;
/// What the page shows when nothing else is asked for, and all there is.
const RANGES: [&str; 2] = ["28d", "90d"];
/// Root may empty the system's cache of files through this one.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// One round, in seconds.
struct Round {
    /// From launching the server.
    in_all: f64,
    /// From opening the page.
    page: f64,
}

fn measure() -> anyhow::Result<String> {
    let sessions = scale::rows(SESSIONS);
    let caches = if are_caches_emptied() {
        "the system's cache of files is emptied before each round"
    } else {
        "the system's cache of files could not be emptied before each round"
    };
    let mut told = format!(
        "{}{sessions} evaluated sessions of ninety days. `touchstone serve` is launched on the existing database ({caches}; PostgreSQL itself \
         goes on running), and a headless Chromium that is running already opens the link that signs in, as a visitor who was never \
         here. The page can be used when nothing on it is loading any more. {ROUNDS} rounds. Goal: within 2.5 s of the launch.\n\n\
         | database | range | launch to usable page, median / worst, s | of it the page, median / worst, s |\n|---|---|---|---|\n",
        scale::remark()
    );
    let mut browser = Browser::open()?;
    for (name, database) in crate::databases()? {
        let token = filled(&database)?;
        for range in RANGES {
            let rounds: Vec<Round> = (0..ROUNDS)
                .map(|_| round(&mut browser, &database.url, range, &token))
                .collect::<anyhow::Result<_>>()?;
            let figures = |figure: fn(&Round) -> f64| {
                let worst = rounds.iter().map(figure).fold(0.0, f64::max);
                (median(rounds.iter().map(figure)), worst)
            };
            let ((in_all, slowest), (page, slowest_page)) =
                (figures(|one| one.in_all), figures(|one| one.page));
            writeln!(
                told,
                "| {name} | {range} | **{in_all:.2}** / {slowest:.2} | {page:.2} / {slowest_page:.2} |"
            )?;
        }
    }
    browser.close()?;
    Ok(told)
}

/// Fills an organization with sessions up to now, and mints a person's bearer for it.
fn filled(database: &TestDatabase) -> anyhow::Result<String> {
    let acme = TestOrganization::found(&database.database, Arc::new(SystemClock), "acme");
    let mut raw = Raw::connect(&DatabaseUrl::parse(&database.url)?)?;
    hurry(&mut raw)?;
    fill(&mut raw, "acme", scale::rows(SESSIONS), SystemClock.now().seconds() - SECONDS)?;
    settle(&mut raw)?;
    Ok(acme.dashboard())
}

fn round(browser: &mut Browser, database: &str, range: &str, token: &str) -> anyhow::Result<Round> {
    are_caches_emptied();
    let began = Instant::now();
    let server = ServerProcess::on(database);
    let page = browser.visit(&format!("http://{}/?range={range}#token={token}", server.address))?;
    Ok(Round { in_all: began.elapsed().as_secs_f64(), page })
}

fn are_caches_emptied() -> bool {
    Command::new("sync").status().is_ok_and(|status| status.success()) && fs::write(DROP_CACHES, "3").is_ok()
}

/// A browser that opens pages; it ends when its input does.
struct Browser {
    child: Child,
    addresses: Option<ChildStdin>,
    said: Lines<BufReader<ChildStdout>>,
}

impl Browser {
    fn open() -> anyhow::Result<Self> {
        let dashboard = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/web/dashboard");
        let mut child = Command::new("node")
            .arg("scripts/open-pages.mjs")
            .current_dir(dashboard)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the page is measured with Node and Chromium: run `make bench`")?;
        let addresses = child.stdin.take();
        let said = BufReader::new(child.stdout.take().context("no output")?).lines();
        let mut browser = Self { child, addresses, said };
        if browser.hear()? != "ready" {
            bail!("the browser did not start");
        }
        Ok(browser)
    }

    /// Opens a page, and says after how many seconds it could be used.
    fn visit(&mut self, address: &str) -> anyhow::Result<f64> {
        writeln!(self.addresses.as_mut().context("the browser is closed")?, "{address}")?;
        let heard = self.hear()?;
        let (milliseconds, answer) = heard.split_once(' ').context("the page says nothing")?;
        anyhow::ensure!(answer.contains('%'), "the page does not show how well the agent does: {answer}");
        Ok(milliseconds.parse::<f64>()? / 1_000.0)
    }

    fn hear(&mut self) -> anyhow::Result<String> {
        Ok(self.said.next().context("the browser has ended")??)
    }

    fn close(mut self) -> anyhow::Result<()> {
        drop(self.addresses.take());
        self.child.wait()?;
        Ok(())
    }
}
