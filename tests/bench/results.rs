//! The results of a large experiment, beside one plain aggregate scan over the same sessions.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection, PgConnection, QueryResult, QueryableByName, RunQueryDsl as _, SqliteConnection};
use experiments::ReadResults;
use kernel::{ExperimentId, OrgId};
use storage::testing::{TestDatabase, test_ring};
use storage::{Database, DatabaseUrl, Options};
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::Section;
use crate::figures::median;

pub(crate) const SECTION: Section = Section {
    name: "results",
    title: "The results of a large experiment, beside one plain scan of its sessions",
    measure,
};

const SESSIONS: u32 = 1_000_000;
const USERS: u32 = 100_000;
/// Sessions in a statement while the tables are filled.
const CHUNK: u32 = 20_000;
const ROUNDS: usize = 9;

/// As the house opens its file.
const SQLITE: &str = "PRAGMA busy_timeout = 5000; PRAGMA cache_size = -64000; PRAGMA mmap_size = 1073741824; \
     PRAGMA temp_store = MEMORY;";
/// Two sums over the sessions in the experiment's window, from whatever index suits the database.
const SCAN: &str = "SELECT count(*) AS n, count(CASE WHEN is_success THEN 1 END) AS successes FROM session_outcomes \
     WHERE org_id = 'acme' AND created_at BETWEEN 0 AND 4102444800";

#[derive(QueryableByName)]
struct Scanned {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    n: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    successes: i64,
}

/// A connection that is kept open for the plain scan.
enum Raw {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

fn measure() -> anyhow::Result<String> {
    let mut told = format!(
        "Everything `GET …/results` reads (sums of both arms, coverage, exposures, health) for an experiment with {SESSIONS} evaluated \
         sessions of {USERS} users, each exposed, through the rule `ReadResults`; beside one `count` and one conditional `count` over the same \
         sessions on a connection that is kept open. {ROUNDS} rounds in turns. Goal: within 5 times the scan, and memory that does not grow \
         with the sessions.\n\n\
         | database | plain scan, ms | results, ms | results beside the scan | memory of the process, before → after, MiB |\n\
         |---|---|---|---|---|\n"
    );
    for (name, database) in crate::databases()? {
        furnish(&database);
        let before = resident_mebibytes()?;
        let rounds = rounds(&database)?;
        let of = |figure: fn(&(f64, f64)) -> f64| median(rounds.iter().map(figure));
        writeln!(
            told,
            "| {name} | {:.0} | {:.0} | **{:.2}** | {before:.0} → {:.0} |",
            of(|round| round.0),
            of(|round| round.1),
            of(|round| round.1 / round.0),
            resident_mebibytes()?,
        )?;
    }
    Ok(told)
}

fn rounds(database: &TestDatabase) -> anyhow::Result<Vec<(f64, f64)>> {
    let url = DatabaseUrl::parse(&database.url)?;
    let mut raw = Raw::connect(&url)?;
    let house = House::over(Database::open(&Options::usual(url, test_ring())), Arc::new(SystemClock));
    let (read, org, id) = (house.read_results(), OrgId::new("acme")?, ExperimentId::new("exp")?);
    let mut rounds = Vec::new();
    for number in 0..=ROUNDS {
        let scan = timed(|| raw.scan())?;
        let results = timed(|| read_all(&read, &org, &id))?;
        // The first round warms both up.
        if number > 0 {
            rounds.push((scan, results));
        }
    }
    Ok(rounds)
}

fn read_all(read: &ReadResults, org: &OrgId, id: &ExperimentId) -> anyhow::Result<()> {
    let results = read.read(org, id)?;
    let evaluated = results.arms.treatment.evaluated_sessions + results.arms.holdout.evaluated_sessions;
    anyhow::ensure!(evaluated == u64::from(SESSIONS), "{evaluated} sessions were added up");
    Ok(())
}

/// How long the work took, in milliseconds.
fn timed(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

impl Raw {
    fn connect(url: &DatabaseUrl) -> anyhow::Result<Self> {
        Ok(match url {
            DatabaseUrl::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(&path.to_string_lossy())?;
                conn.batch_execute(SQLITE)?;
                Self::Sqlite(conn)
            }
            DatabaseUrl::Postgres(url) => Self::Postgres(PgConnection::establish(url)?),
        })
    }

    fn scan(&mut self) -> anyhow::Result<()> {
        let scanned: QueryResult<Scanned> = match self {
            Self::Sqlite(conn) => diesel::sql_query(SCAN).get_result(conn),
            Self::Postgres(conn) => diesel::sql_query(SCAN).get_result(conn),
        };
        let scanned = scanned?;
        anyhow::ensure!(scanned.n == i64::from(SESSIONS) && scanned.successes > 0, "{} sessions", scanned.n);
        Ok(())
    }
}

/// An experiment, its sessions, their outcomes and exposures; totals follow by themselves.
fn furnish(database: &TestDatabase) {
    database.execute(
        "INSERT INTO organizations (org_id, profile, created_at) VALUES ('acme', 'standard', 0); \
         INSERT INTO experiments (org_id, experiment_id, holdout_percentage, started_at) \
         VALUES ('acme', 'exp', 10, 0)",
    );
    for first in (0..SESSIONS).step_by(usize::try_from(CHUNK).unwrap_or(1)) {
        database.execute(&sessions(first, first + CHUNK - 1));
    }
    // As its own housekeeping would, sooner or later.
    if database.url.starts_with("postgres") {
        database.execute("VACUUM ANALYZE");
    }
}

/// Sessions `first` to `last`, scattered over users and time: a session's number times a prime, cut to size.
fn sessions(first: u32, last: u32) -> String {
    let numbers = format!(
        "WITH RECURSIVE numbers (i) AS (SELECT CAST({first} AS BIGINT) UNION ALL \
         SELECT i + 1 FROM numbers WHERE i < {last}), \
         drawn AS (SELECT i, (i * 7919) % {USERS} AS u, 1700000000 + (i * 104729) % 2419200 AS t, \
         (i * 31) % 100 AS chance FROM numbers)"
    );
    let arm = "CASE WHEN u % 10 = 0 THEN 'holdout' ELSE 'treatment' END";
    format!(
        "INSERT INTO experiment_sessions (org_id, user_id, session_id, experiment_id, arm, first_tagged_at, \
         first_tagged_id, last_tagged_at, output_tokens, uncounted_turns, is_contaminated) {numbers} \
         SELECT 'acme', 'user-' || u, 'session-' || i, 'exp', {arm}, t, 'request-' || i, t, chance * 20, 0, false \
         FROM drawn; \
         INSERT INTO session_outcomes (org_id, user_id, session_id, result_id, created_at, source, is_success, \
         corrections, turns, is_escalated, is_system_error, is_agent_success, judged_at) {numbers} \
         SELECT 'acme', 'user-' || u, 'session-' || i, i, t, 'web', chance < 70, chance % 4, \
         CASE WHEN chance < 70 THEN 1 + chance % 7 END, chance % 10 = 0, false, true, t FROM drawn; \
         INSERT INTO search_exposures (org_id, experiment_id, user_id, session_id, arm, exposed_at) {numbers} \
         SELECT 'acme', 'exp', 'user-' || u, 'session-' || i, {arm}, t FROM drawn"
    )
}

/// The memory that this process holds.
fn resident_mebibytes() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1_024.0)
}
