//! A database that goes away and comes back, under a server that stays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, SqliteConnection};
use serde_json::json;
use storage::testing::test_ring;
use storage::{Database, DatabaseUrl, Options};
use support::{Answer, Client, ServerProcess, TestApp, TestDatabase, TestOrganization};
use touchstone_cli::SystemClock;

const PATH: &str = "/api/retrieval_experiments";
/// Routes that read what a room keeps.
const READING: [&str; 3] =
    ["/api/search", "/api/get_agent_success_evaluation_results", "/api/get_evaluation_overview"];

fn start(caller: &Client) -> Answer {
    caller.post(PATH, &json!({ "experiment_id": "e", "holdout_percentage": 10 }))
}

fn assert_away(answer: &Answer) {
    assert_eq!(answer.told(), "503 storage_unavailable");
    assert!(answer.header("retry-after").parse::<u64>().unwrap() >= 1);
}

/// A whole PostgreSQL database that can be shut for everybody and opened again.
struct Shuttable {
    admin: PgConnection,
    name: String,
    url: String,
}

impl Shuttable {
    fn on_the_test_server() -> Option<Self> {
        let Ok(server) = std::env::var("TEST_DATABASE_URL") else {
            // The same rule for all: skip, or fail where a server is demanded.
            return TestDatabase::postgres().map(|_| unreachable!());
        };
        let name = format!("t_{}", uuid::Uuid::new_v4().simple());
        let (address, parameters) = server.split_once('?').unwrap_or((&server, ""));
        let (host, _) = address.rsplit_once('/').unwrap();
        let url = format!("{host}/{name}?{parameters}");
        let mut admin = PgConnection::establish(&server).unwrap();
        admin.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        Some(Self { admin, name, url })
    }

    fn shut(&mut self) {
        let name = &self.name;
        let end_all =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        self.admin
            .batch_execute(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false; {end_all}"))
            .unwrap();
    }

    fn open(&mut self) {
        self.admin.batch_execute(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name)).unwrap();
    }
}

impl Drop for Shuttable {
    fn drop(&mut self) {
        let _ = self.admin.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

#[test]
fn a_postgres_that_is_away_is_told_and_found_again_without_a_restart() {
    let Some(mut database) = Shuttable::on_the_test_server() else { return };
    let server = ServerProcess::on(&database.url);
    let store = Database::open(&Options::usual(DatabaseUrl::parse(&database.url).unwrap(), test_ring()));
    let token = TestOrganization::found(&store, Arc::new(SystemClock), "acme").production();
    let caller = server.anonymous().bearing(&token);
    assert_eq!(start(&caller).told(), "200");

    database.shut();
    assert_away(&caller.get(PATH));
    assert_away(&start(&caller));
    for path in READING {
        assert_away(&caller.post(path, &json!({ "query": "x", "from_ts": 1, "to_ts": 2 })));
    }
    assert_away(&caller.get("/api/evaluations/shadow_comparisons/recent"));
    assert_away(&server.anonymous().get("/readyz"));
    assert_eq!(server.anonymous().get("/healthz").status, 200);
    database.open();

    assert_eq!(start(&caller).told(), "409 experiment_already_active");
    assert_eq!(caller.get("/api/evaluations/shadow_comparisons/recent").told(), "200");
    assert_eq!(server.anonymous().get("/readyz").status, 200);
}

#[test]
fn an_sqlite_file_whose_write_lock_is_held_is_told_and_found_again_without_a_restart() {
    let app = TestApp::on(TestDatabase::sqlite());
    let caller = app.production("acme");
    assert_eq!(caller.get(PATH).told(), "200");
    let mut other = SqliteConnection::establish(app.database.url.trim_start_matches("sqlite://")).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();

    let asked = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert_away(&start(&caller)));
        }
    });
    assert!(
        asked.elapsed() < Duration::from_secs(20),
        "each waited for what the one before it had found out"
    );
    assert_eq!(caller.get(PATH).told(), "200", "readers are not held up");
    other.batch_execute("ROLLBACK").unwrap();

    assert_eq!(start(&caller).told(), "200");
}
