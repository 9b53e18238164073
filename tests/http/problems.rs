//! Every refusal is a problem document, whoever refuses.

use serde_json::json;
use support::{TestApp, TestDatabase, on_both};

const PATH: &str = "/api/retrieval_experiments";
const LARGEST: usize = 10 * 1024 * 1024;

on_both! {
    fn an_unknown_route_is_a_problem(app) {
        for path in ["/nothing", "/api", "/api/nothing", "/api/retrieval_experiments/", "//", "/api/docs/nothing"] {
            assert_eq!(app.production("acme").get(path).told(), "404 route_not_found", "{path}");
        }
    }

    fn a_person_who_looks_for_a_page_that_is_not_there_gets_a_page(app) {
        let browser = app.anonymous().sending("accept", "text/html,application/xhtml+xml");

        let missing = browser.get("/nowhere");

        assert_eq!((missing.status, missing.header("content-type")), (404, "text/html; charset=utf-8"));
        assert_eq!(browser.get("/api/nowhere").told(), "404 route_not_found");
    }

    fn a_wrong_method_is_told_which_are_right(app) {
        let caller = app.production("acme");

        for (method, path, allow) in [
            ("DELETE", PATH, "GET, POST"),
            ("GET", "/api/retrieval_experiments/stop", "POST"),
            ("PUT", "/api/auth/session", "GET, POST, DELETE"),
            ("POST", "/healthz", "GET"),
        ] {
            let refused = caller.send(method, path, None);
            assert_eq!(refused.told(), "405 method_not_allowed", "{method} {path}");
            assert_eq!(refused.header("allow"), allow, "{method} {path}");
        }
    }

    fn a_body_that_is_not_json_is_malformed(app) {
        let caller = app.production("acme");

        for body in ["", "{", "nonsense", "{} {}", "{\"experiment_id\": \"\\ud800\"", "\u{feff}{}"] {
            assert_eq!(caller.post_raw(PATH, "application/json", body).told(), "400 malformed_body", "{body:?}");
        }
        let not_text = b"{\"experiment_id\": \"\xff\", \"holdout_percentage\": 5}".to_vec();
        assert_eq!(caller.post_raw(PATH, "application/json", not_text).told(), "400 malformed_body");
    }

    fn a_body_must_be_declared_as_json(app) {
        let caller = app.production("acme");
        let body = r#"{"experiment_id": "e", "holdout_percentage": 5}"#;

        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            assert_eq!(caller.post_raw(PATH, kind, body).told(), "415 unsupported_media_type", "{kind}");
        }
        assert_eq!(caller.post_raw(PATH, "Application/JSON; charset=utf-8", body).told(), "200");
    }

    fn a_body_may_be_ten_mebibytes_and_not_a_byte_more(app) {
        let caller = app.production("acme");
        let body = |size: usize| {
            let frame = r#"{"experiment_id": "e", "holdout_percentage": 5, "x": ""}"#;
            frame.replace("\"\"", &format!("\"{}\"", "x".repeat(size - frame.len())))
        };

        assert_eq!(caller.post_raw(PATH, "application/json", body(LARGEST + 1)).told(), "413 body_too_large");
        assert_eq!(caller.post_raw(PATH, "application/json", body(LARGEST)).told(), "200");
    }

    fn a_problem_repeats_nothing_the_caller_sent(app) {
        let caller = app.production("acme");
        let body = json!({ "experiment_id": { "marker-1": 1 }, "holdout_percentage": "marker-2" });

        let refused = caller.post(&format!("{PATH}?marker-3"), &body);

        assert_eq!(refused.told(), "422 invalid_request");
        assert!(!refused.text().contains("marker"), "{}", refused.text());
    }
}

#[test]
fn a_request_that_cannot_be_read_is_refused() {
    let app = TestApp::on(TestDatabase::sqlite());

    for request in ["GET /\u{1}bad HTTP/1.1\r\nhost: x\r\n\r\n", "NONSENSE\r\n\r\n"] {
        assert!(exchange(&app, request.as_bytes()).starts_with("HTTP/1.1 400 "), "{request:?}");
    }
    let endless = format!("GET / HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "x".repeat(300_000));
    assert!(!exchange(&app, endless.as_bytes()).starts_with("HTTP/1.1 2"));
}

#[test]
fn a_path_with_broken_escapes_is_a_problem() {
    let app = TestApp::on(TestDatabase::sqlite());

    for path in ["/api/%ff%fe", "/api/%00", "/api/%2e%2e/%zz", "/%E0%80"] {
        let answer =
            exchange(&app, format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 40"), "{path}: {answer}");
        assert!(answer.contains("application/problem+json"), "{path}: {answer}");
    }
}

#[test]
fn a_panic_is_a_problem_and_the_server_goes_on() {
    struct Panics;
    impl web::Readiness for Panics {
        fn check(&self) -> Result<(), kernel::StoreError> {
            panic!("secret of the panic")
        }
    }
    let app = TestApp::building(TestDatabase::sqlite()).readiness(Panics).serve();

    let answer = app.anonymous().get("/readyz");

    assert_eq!(answer.told(), "500 internal");
    assert!(!answer.text().contains("secret"));
    assert_eq!(app.anonymous().get("/healthz").status, 200);
}

/// Writes bytes that no well-behaved client would, and reads what comes back.
fn exchange(app: &TestApp, request: &[u8]) -> String {
    use std::io::{Read as _, Write as _};
    let mut connection = std::net::TcpStream::connect(app.address).unwrap();
    connection.set_read_timeout(Some(std::time::Duration::from_secs(15))).unwrap();
    // A server that has read enough may close before all is written.
    let _ = connection.write_all(request);
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}
