//! An SQLite file is overwritten in places.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use storage::testing::TestDatabase;
use support::{Client, ServerProcess, run};

use crate::load::{self, Told};
use crate::table::{Row, tally};

fn overwrite(path: &Path, from: u64, bytes: usize) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(from)).unwrap();
    file.write_all(&vec![0x5a; bytes]).unwrap();
}

fn publish_some(caller: &Client, told: &mut Told, from: usize, to: usize) {
    for n in from..to {
        let id = format!("0-{n}");
        let outcome = load::publish(caller, &load::request(0, &id, "words that fill a page"));
        if outcome == "200" {
            told.acknowledged.push(id);
        }
        *told.seen.entry(outcome).or_default() += 1;
    }
}

pub(crate) fn drill() -> Vec<Row> {
    let db = TestDatabase::sqlite();
    let path = Path::new(db.url.trim_start_matches("sqlite://")).to_owned();
    let token = load::token(&db.database);
    let mut told = Told::default();
    let mut server = ServerProcess::on(&db.url);
    publish_some(&server.anonymous().bearing(&token), &mut told, 0, 300);
    server.terminate();
    server.wait();
    let backup = path.with_extension("backup");
    db.execute(&format!("VACUUM INTO '{}'", backup.display()));

    // The pages in the middle: tables and indexes.
    let middle = std::fs::metadata(&path).unwrap().len() / 2 / 4096 * 4096;
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    overwrite(&path, middle / 2, usize::try_from(middle).unwrap());
    let mut damaged = Told::default();
    match ServerProcess::try_with(&db.url, &[]) {
        Ok(server) => {
            let caller = server.anonymous().bearing(&token);
            publish_some(&caller, &mut damaged, 300, 320);
        }
        Err(_) => *damaged.seen.entry("the server does not start".to_owned()).or_default() += 1,
    }
    let doctor = run(&db.url, &[], &["doctor"]);
    // The first page: no database any more.
    overwrite(&path, 0, 4096);
    let refused = ServerProcess::try_with(&db.url, &[]).err().unwrap();
    assert!(refused.contains("not a database") && !refused.contains("panicked"), "{refused}");

    std::fs::rename(&backup, &path).unwrap();
    let server = ServerProcess::on(&db.url);
    publish_some(&server.anonymous().bearing(&token), &mut told, 400, 410);
    let seen = format!(
        "pages overwritten: {}, `doctor` exits {}; first page overwritten: the server does not start and says that \
         the file is not a database",
        tally(&damaged.seen),
        doctor.status.code().unwrap_or(-1)
    );
    let recovery = "by putting a backup in its place (`.backup` or `VACUUM INTO`); what came after the backup is gone with \
                    the file"
        .to_owned();
    let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
    vec![Row { fault: "damaged file", database: "SQLite", seen, acknowledged, lost, recovery }]
}
