//! A nightly job with Touchstone as a library: judge what is due, look at yesterday, and wake somebody if it went badly.
//!
//! `cargo run --release -p touchstone-cli --example nightly -- ORGANIZATION LEAST_SUCCESS_PERCENTAGE`; the database comes
//! from `TOUCHSTONE_DATABASE_URL`. It may run beside servers. Exit codes: 0 good, 1 worse than asked for, or a failure.

use std::process::ExitCode;

use evaluation::{Bucket, OverviewQuery, Part, SourceSets};
use kernel::{OrgId, Timestamp, Window};
use touchstone_cli::{Settings, judge_due, wiring::House};

const DAY: i64 = 86_400;

fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let org = OrgId::new(&arguments.next().unwrap_or_else(|| "default".to_owned()))?;
    let least: f64 = arguments.next().unwrap_or_else(|| "60".to_owned()).parse()?;
    let house = House::open(&Settings::read(None)?)?;
    house.database.migrate()?;

    let account = judge_due(&house, &org, &|_| {})?;
    println!("{} judged, {} failed", account.judged, account.failed);

    let midnight = house.now().seconds().div_euclid(DAY) * DAY;
    let [start, end] = [midnight - DAY, midnight - 1].map(Timestamp::from_seconds);
    let yesterday = OverviewQuery {
        window: Window::new(start, end)?,
        bucket: Bucket::Day,
        agent_version: None,
        shadow: Part::LeftOut,
        sessions: Part::LeftOut,
        source_sets: SourceSets::default(),
    };
    let hero = house.read_overview().read(&org, &yesterday)?.hero;
    println!("success yesterday: {:.1} %, interval {:?}", hero.regular_success_rate_pp, hero.ci95);

    // Only a day that is worse beyond its interval wakes somebody.
    let is_worse = hero.ci95.is_some_and(|interval| interval.high < least);
    Ok(if is_worse || account.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
