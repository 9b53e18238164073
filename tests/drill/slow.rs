//! Hundreds of clients that send a little and then nothing.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use support::ServerProcess;

use crate::load::{self, Load};
use crate::table::{Row, tally};

const CLIENTS: usize = 100;

/// How far a client gets before it falls silent.
#[derive(Clone, Copy)]
enum Silent {
    InTheHead,
    InTheBody,
}

fn begin(server: &ServerProcess, token: &str, silent: Silent) -> TcpStream {
    let mut connection = TcpStream::connect(server.address).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(90))).unwrap();
    let head = "POST /api/publish_interaction HTTP/1.1\r\nhost: x\r\n";
    let sent = match silent {
        Silent::InTheHead => head.to_owned(),
        Silent::InTheBody => format!(
            "{head}authorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{{"
        ),
    };
    connection.write_all(sent.as_bytes()).unwrap();
    connection
}

/// The first line of the answer; empty when the connection was just closed.
fn answer(mut connection: TcpStream) -> String {
    let mut text = String::new();
    let _ = connection.read_to_string(&mut text);
    text.lines().next().unwrap_or("closed").to_owned()
}

pub(crate) fn drill() -> Vec<Row> {
    let drills = crate::databases().into_iter().map(|(database, db)| {
        let token = load::token(&db.database);
        let server = ServerProcess::on(&db.url);
        let mut slow = BTreeMap::new();
        let mut waited = Duration::ZERO;
        let told = Load::on(server.anonymous().bearing(&token)).publish(|load| {
            load.wait_for(100);
            let begun = Instant::now();
            let of = |silent| (0..CLIENTS).map(|_| begin(&server, &token, silent)).collect::<Vec<_>>();
            let silent = of(Silent::InTheHead).into_iter().chain(of(Silent::InTheBody));
            for connection in silent.collect::<Vec<_>>() {
                *slow.entry(answer(connection)).or_default() += 1;
            }
            waited = begun.elapsed();
            load.wait_for(100);
        });
        let refused: usize =
            told.seen.iter().filter(|(outcome, _)| *outcome != "200").map(|(_, times)| times).sum();
        assert_eq!(refused, 0, "others are not held up: {:?}", told.seen);
        let seen = format!("the slow: {}; the others meanwhile: {}", tally(&slow), tally(&told.seen));
        let recovery = format!("all of the slow were sent away within {waited:.0?}");
        let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
        let fault = "100 clients silent in the head, 100 in the body";
        Row { fault, database, seen, acknowledged, lost, recovery }
    });
    drills.collect()
}
