//! One-row commits through a rule, beside the database's own on the same disk with the same settings.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, RunQueryDsl as _, SqliteConnection};
use kernel::OrgId;
use organization::{FoundOrganization, Profile};
use storage::testing::TestDatabase;
use storage::testing::test_ring;
use storage::{Database, DatabaseUrl, Options};
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::Section;
use crate::figures::{Stretch, median, tail};
use crate::load::repeat;

pub(crate) const SECTION: Section =
    Section { name: "commits", title: "One-row commits through a rule, beside the database's own", measure };

const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const MANY: usize = 64;
/// As the house opens its file: what is acknowledged is on the disk. Contending writers need a longer patience than ours.
const SQLITE: &str = "PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

/// Everything measured on one database, a stretch per round.
#[derive(Default)]
struct Found {
    raw_one: Vec<Stretch>,
    raw_many: Vec<Stretch>,
    rule_one: Vec<Stretch>,
    rule_many: Vec<Stretch>,
}

fn measure() -> anyhow::Result<String> {
    let mut told = format!(
        "Each commit makes one organization: through the rule `FoundOrganization` (a unit of work: serializable on PostgreSQL, a shared \
         commit on SQLite), and as a plain `INSERT` that commits by itself, a connection per client. Synchronous to the disk both ways. \
         {ROUNDS} rounds in turns; latencies over all rounds. Goal: {MANY} clients on SQLite beat a single raw connection, and none waits \
         100 ms.\n\n\
         | database | clients | raw, commits/s | rule, commits/s | rule beside raw | rule beside one raw connection | raw p99 / worst, ms \
         | rule p99 / worst, ms |\n|---|---|---|---|---|---|---|---|\n"
    );
    for (name, database) in crate::databases()? {
        let found = found(&database)?;
        row(&mut told, name, 1, (&found.raw_one, &found.rule_one), &found.raw_one)?;
        row(&mut told, name, MANY, (&found.raw_many, &found.rule_many), &found.raw_one)?;
    }
    Ok(told)
}

fn row(
    told: &mut String,
    name: &str,
    clients: usize,
    (raw, rule): (&[Stretch], &[Stretch]),
    single: &[Stretch],
) -> anyhow::Result<()> {
    let rate = |stretches: &[Stretch]| median(stretches.iter().map(Stretch::rate));
    let beside = |other: &[Stretch]| median(rule.iter().zip(other).map(|(a, b)| a.rate() / b.rate()));
    let ((raw_p99, raw_worst), (p99, worst)) = (tail(raw), tail(rule));
    writeln!(
        told,
        "| {name} | {clients} | {:.0} | {:.0} | {:.2} | **{:.2}** | {raw_p99:.1} / {raw_worst:.0} | {p99:.1} / {worst:.0} |",
        rate(raw),
        rate(rule),
        beside(raw),
        beside(single),
    )?;
    Ok(())
}

fn found(database: &TestDatabase) -> anyhow::Result<Found> {
    let url = DatabaseUrl::parse(&database.url)?;
    let house = House::over(Database::open(&Options::usual(url.clone(), test_ring())), Arc::new(SystemClock));
    let rule = house.found_organization();
    let mut found = Found::default();
    for number in 0..=ROUNDS {
        let round = [
            through_raw(&url, 1)?,
            through_rule(&rule, 1)?,
            through_raw(&url, MANY)?,
            through_rule(&rule, MANY)?,
        ];
        // The first round warms everything up.
        if number > 0 {
            let [raw_one, rule_one, raw_many, rule_many] = round;
            found.raw_one.push(raw_one);
            found.rule_one.push(rule_one);
            found.raw_many.push(raw_many);
            found.rule_many.push(rule_many);
        }
    }
    Ok(found)
}

/// A name that nobody has had yet.
fn fresh() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("org-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn through_rule(rule: &FoundOrganization, clients: usize) -> anyhow::Result<Stretch> {
    repeat(clients, ROUND, |_| {
        Ok(|| {
            rule.found(&OrgId::new(&fresh())?, Profile::Standard)?;
            Ok(())
        })
    })
}

fn through_raw(url: &DatabaseUrl, clients: usize) -> anyhow::Result<Stretch> {
    match url {
        DatabaseUrl::Sqlite(path) => repeat(clients, ROUND, |_| {
            let mut conn = SqliteConnection::establish(&path.to_string_lossy())?;
            conn.batch_execute(SQLITE)?;
            Ok(move || {
                let sql = "INSERT INTO organizations (org_id, profile, created_at) VALUES (?, 'standard', 0)";
                diesel::sql_query(sql).bind::<diesel::sql_types::Text, _>(fresh()).execute(&mut conn)?;
                Ok(())
            })
        }),
        DatabaseUrl::Postgres(url) => repeat(clients, ROUND, |_| {
            let mut conn = PgConnection::establish(url)?;
            Ok(move || {
                let sql =
                    "INSERT INTO organizations (org_id, profile, created_at) VALUES ($1, 'standard', 0)";
                diesel::sql_query(sql).bind::<diesel::sql_types::Text, _>(fresh()).execute(&mut conn)?;
                Ok(())
            })
        }),
    }
}
