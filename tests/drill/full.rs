//! The disk is full, and then it is not.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use storage::testing::TestDatabase;
use support::{Client, Cluster, ServerProcess};

use crate::away::database_of;
use crate::load::{self, Told};
use crate::table::{Row, tally};

const FAULT: &str = "disk full";

/// A small file system in memory; it is gone with this value.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None`, after saying so, where mounting is not allowed.
    fn mount(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path()).output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: a small disk cannot be mounted here; run `make faults` as root to fill one");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn grow(&self, megabytes: u32) {
        let size = format!("remount,size={megabytes}m");
        assert!(Command::new("mount").args(["-o", &size]).arg(self.path()).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Publishes until ten requests in a row were refused; each carries four megabytes that cannot be compressed, in turns of users,
/// whose tokens nobody counts.
fn fill(caller: &Client, told: &mut Told) {
    let content: String = (0..30_000).map(|_| uuid::Uuid::new_v4().simple().to_string()).collect();
    let mut refused = 0;
    for n in 0..2_000 {
        let id = format!("full-{n}");
        let mut body = load::request(0, &id, &content);
        for turn in body["interaction_data_list"].as_array_mut().unwrap() {
            turn["role"] = "User".into();
        }
        let outcome = load::publish(caller, &body);
        if outcome == "200" {
            told.acknowledged.push(id);
            refused = 0;
        } else {
            refused += 1;
        }
        *told.seen.entry(outcome).or_default() += 1;
        if refused == 10 {
            return;
        }
    }
    panic!("the disk was never full");
}

fn goes_on(caller: &Client, told: &mut Told) -> Duration {
    let begun = std::time::Instant::now();
    loop {
        let outcome = load::publish(caller, &load::request(1, "after", "a turn"));
        if outcome == "200" {
            told.acknowledged.push("after".to_owned());
            return begun.elapsed();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not go on: {outcome}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn drill() -> Vec<Row> {
    [on_sqlite(), on_postgres()].into_iter().flatten().collect()
}

fn on_sqlite() -> Option<Row> {
    let disk = SmallDisk::mount(24)?;
    let db = TestDatabase::sqlite_in(disk.path());
    let token = load::token(&db.database);
    let server = ServerProcess::on(&db.url);
    let (caller, mut told) = (server.anonymous().bearing(&token), Told::default());
    fill(&caller, &mut told);
    assert_eq!(caller.post("/api/get_requests", &serde_json::json!({})).told(), "200", "reading goes on");
    disk.grow(256);
    let waited = goes_on(&caller, &mut told);
    let recovery = format!("by itself, {waited:.1?} after there is room; reading goes on meanwhile");
    let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
    Some(Row { fault: FAULT, database: "SQLite", seen: tally(&told.seen), acknowledged, lost, recovery })
}

fn on_postgres() -> Option<Row> {
    let disk = SmallDisk::mount(160)?;
    let mut cluster = Cluster::begin_in(Some(disk.path()))?;
    let server = ServerProcess::on(&cluster.url);
    let token = load::token(&database_of(&cluster));
    let (caller, mut told) = (server.anonymous().bearing(&token), Told::default());
    fill(&caller, &mut told);
    disk.grow(1_024);
    let how = if cluster.is_running() {
        "by itself"
    } else {
        cluster.start();
        "PostgreSQL had ended itself for want of room; started again, the server finds it by itself"
    };
    let waited = goes_on(&caller, &mut told);
    let db = TestDatabase::over(&cluster.url);
    let recovery = format!("{how}, {waited:.1?} after there is room");
    let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
    Some(Row { fault: FAULT, database: "PostgreSQL", seen: tally(&told.seen), acknowledged, lost, recovery })
}
