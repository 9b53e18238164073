//! What every answer carries: a request id and the headers that protect a browser.

use support::{TestApp, TestDatabase};

fn app() -> TestApp {
    TestApp::on(TestDatabase::sqlite())
}

#[test]
fn a_sane_request_id_comes_back() {
    let app = app();

    for id in ["a", "trace-1_2.3:4", &"x".repeat(128)] {
        let caller = app.anonymous().sending("x-request-id", id);
        assert_eq!(caller.get("/healthz").header("x-request-id"), id);
        assert_eq!(caller.get("/nothing").json()["request_id"], id);
    }
}

#[test]
fn an_insane_request_id_is_replaced() {
    let app = app();

    for id in ["", "a b", "<script>", "ü", &"x".repeat(129)] {
        let answer = app.anonymous().sending("x-request-id", id).get("/healthz");
        let ours = answer.header("x-request-id");
        assert!(ours != id && ours.len() == 36, "{id:?} became {ours:?}");
    }
}

#[test]
fn no_two_answers_share_an_id_of_ours() {
    let caller = app();
    let caller = caller.anonymous();

    assert_ne!(caller.get("/healthz").header("x-request-id"), caller.get("/healthz").header("x-request-id"));
}

#[test]
fn every_answer_protects_a_browser() {
    let app = app();
    let caller = app.production("acme");

    for path in ["/healthz", "/nothing", "/api/retrieval_experiments", "/api/docs/", "/openapi.json"] {
        let answer = caller.get(path);
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("http"), "{path}: {policy}");
    }
}
