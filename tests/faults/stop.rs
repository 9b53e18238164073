//! A server that is asked to stop finishes what it has begun.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::on_both;
use storage::testing::TestDatabase;
use support::{ServerProcess, TestOrganization};
use touchstone_cli::SystemClock;

const PATH: &str = "/api/retrieval_experiments";
const BODY: &str = r#"{"experiment_id": "slow", "holdout_percentage": 10}"#;

fn token(database: &TestDatabase) -> String {
    TestOrganization::found(&database.database, Arc::new(SystemClock), "acme").production()
}

/// A request whose body has come only halfway.
fn half_sent(server: &ServerProcess, token: &str) -> TcpStream {
    let mut connection = TcpStream::connect(server.address).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let length = BODY.len();
    write!(
        connection,
        "POST {PATH} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nexpect: 100-continue\r\n\r\n",
        server.address
    )
    .unwrap();
    // The server's `100 Continue` says that it has read the head and now waits for the body.
    let mut continued = [0; 25];
    connection.read_exact(&mut continued).unwrap();
    assert!(continued.starts_with(b"HTTP/1.1 100"));
    connection.write_all(&BODY.as_bytes()[..length / 2]).unwrap();
    connection
}

fn rest(mut connection: TcpStream) -> String {
    connection.write_all(&BODY.as_bytes()[BODY.len() / 2..]).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

on_both! {
    fn a_request_in_flight_is_finished_before_the_server_stops(db) {
        let token = token(db);
        let mut server = ServerProcess::on(&db.url);
        let connection = half_sent(&server, &token);

        server.terminate();
        server.wait_until_printed("told to stop");
        let answer = rest(connection);

        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert!(server.wait().success());
        assert_eq!(db.number("SELECT count(*) AS n FROM experiments WHERE experiment_id = 'slow'"), 1);
    }
}

#[test]
fn an_idle_connection_does_not_hold_up_the_stop() {
    let database = TestDatabase::sqlite();
    let mut server = ServerProcess::on(&database.url);
    let mut idle = TcpStream::connect(server.address).unwrap();
    write!(idle, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    assert!(idle.read(&mut [0; 1024]).unwrap() > 0);

    server.terminate();
    let asked = Instant::now();

    assert!(server.wait().success());
    assert!(asked.elapsed() < Duration::from_secs(15), "the grace of a request in flight was waited out");
}

#[test]
fn a_server_that_was_asked_to_stop_takes_no_new_connections() {
    let database = TestDatabase::sqlite();
    let token = token(&database);
    let mut server = ServerProcess::on(&database.url);
    let connection = half_sent(&server, &token);
    server.terminate();
    server.wait_until_printed("told to stop");

    let asked = Instant::now();
    while server.anonymous().try_send("GET", "/healthz", None).is_ok() {
        assert!(asked.elapsed() < Duration::from_secs(15), "it still takes new connections");
    }

    assert!(rest(connection).starts_with("HTTP/1.1 200 OK"));
    assert!(server.wait().success());
}
