//! What a server writes about its callers.

use std::sync::Arc;

use serde_json::{Value, json};
use support::{Client, ServerProcess, TestDatabase, TestOrganization};
use touchstone_cli::SystemClock;

fn call_every_way(server: &Client, tokens: &[String]) {
    for token in tokens {
        let caller = server.bearing(token).sending("x-request-id", "trace-7");
        let _ = caller.get("/api/retrieval_experiments");
        let _ = caller.get(&format!("/api/nothing/{token}?token={token}"));
        let _ = caller.post("/api/update_config", &json!({ "sampling_rate": token }));
        let _ = caller.post("/api/retrieval_experiments/stop", &json!({ "experiment_id": token }));
        let signed_in = server.post("/api/auth/session", &json!({ "token": token }));
        if signed_in.status == 204 {
            let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
            let _ = server.sending("cookie", cookie).get("/api/auth/session");
        }
        let _ = server.sending("authorization", format!("Basic {token}")).get("/api/get_config");
    }
}

#[test]
fn no_token_appears_in_anything_the_server_prints() {
    let database = TestDatabase::sqlite();
    let acme = TestOrganization::found(&database.database, Arc::new(SystemClock), "acme");
    let tokens = [acme.production(), acme.dashboard(), acme.governance(), format!("{}0", acme.production())];
    let mut server = ServerProcess::with(&database.url, &[("TOUCHSTONE_LOG", "trace")]);

    call_every_way(&server.anonymous(), &tokens);
    server.terminate();
    assert!(server.wait().success());

    let printed = server.printed_to_the_end();
    assert!(printed.contains("trace-7"), "the log is silent: {printed}");
    for secret in tokens.iter().map(|token| token.rsplit('_').next().unwrap()) {
        assert!(!printed.contains(secret), "a token was logged");
    }
    assert!(!printed.contains("touchstone_session=tss_"), "a session was logged");
}

#[test]
fn every_line_of_a_request_is_json_and_carries_its_id() {
    let database = TestDatabase::sqlite();
    let mut server = ServerProcess::on(&database.url);

    let _ = server.anonymous().sending("x-request-id", "trace-8").get("/api/retrieval_experiments");
    server.terminate();
    assert!(server.wait().success());

    let printed = server.printed_to_the_end();
    let lines: Vec<Value> = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let answered = lines.iter().find(|line| line["message"] == "answered").unwrap();
    assert_eq!(answered["span"]["request_id"], "trace-8");
    assert_eq!(answered["status"], 401);
}
