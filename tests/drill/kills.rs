//! The server is killed, again and again, in the middle of its work.

use std::time::Duration;

use support::ServerProcess;

use crate::load::{self, Load};
use crate::table::{Row, tally};

const KILLS: usize = 10;

pub(crate) fn drill() -> Vec<Row> {
    let drills = crate::databases().into_iter().map(|(database, db)| {
        let token = load::token(&db.database);
        let mut server = ServerProcess::on(&db.url);
        let mut slowest = Duration::ZERO;
        let told = Load::on(server.anonymous().bearing(&token)).publish(|load| {
            for _ in 0..KILLS {
                load.wait_for(100);
                server.kill();
                let killed = std::time::Instant::now();
                server = ServerProcess::on(&db.url);
                load.turn_to(server.anonymous().bearing(&token));
                load.wait_for(1);
                slowest = slowest.max(killed.elapsed());
            }
        });
        let recovery = format!(
            "by starting again; first answer at most {slowest:.1?} after the kill, nothing to repair"
        );
        let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
        Row {
            fault: "kill -9 under load, ten times",
            database,
            seen: tally(&told.seen),
            acknowledged,
            lost,
            recovery,
        }
    });
    drills.collect()
}
