//! Health, readiness and metrics.

use serde_json::json;
use support::{Client, TestApp, TestDatabase, on_both};

const OPERATIONS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

on_both! {
    fn health_readiness_and_metrics_need_no_credential(app) {
        for path in OPERATIONS {
            assert_eq!(app.anonymous().get(path).status, 200, "{path}");
        }
    }

    fn a_schema_that_is_not_ours_is_not_ready(app) {
        app.database.execute("DELETE FROM __diesel_schema_migrations");

        let answer = app.anonymous().get("/readyz");

        assert_eq!(answer.told(), "503 storage_unavailable");
        assert!(!answer.header("retry-after").is_empty());
        assert_eq!(app.anonymous().get("/healthz").status, 200);
    }
}

#[test]
fn metrics_count_by_route_and_never_name_a_user_session_or_experiment() {
    let app = TestApp::on(TestDatabase::sqlite());
    let caller = app.production("marker-org");
    let body = json!({ "experiment_id": "marker-experiment", "holdout_percentage": 5 });
    let _ = caller.post("/api/retrieval_experiments", &body);
    let _ = caller.post("/api/retrieval_experiments/stop", &json!({ "experiment_id": "marker-other" }));
    let _ = caller.get("/api/marker-path?marker-query");
    let _ = caller.send("MARKER-METHOD", "/api/get_config", None);

    let metrics = app.anonymous().get("/metrics").text();

    let counted =
        r#"touchstone_http_requests_total{method="POST",route="/api/retrieval_experiments",status="200"}"#;
    assert!(metrics.contains(counted), "{metrics}");
    assert!(metrics.contains("touchstone_http_request_seconds_bucket"), "{metrics}");
    assert!(!metrics.to_lowercase().contains("marker"), "{metrics}");
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        let labels = line.split(['{', '}']).nth(1).unwrap_or_default();
        for label in labels.split(',').filter_map(|label| label.split('=').next()) {
            assert!(["method", "route", "status", "le", ""].contains(&label), "{label}: {line}");
        }
    }
}

#[test]
fn a_listener_of_their_own_takes_health_and_metrics_off_the_main_one() {
    let app = TestApp::building(TestDatabase::sqlite()).operations_listener().serve();
    let operations = Client::of(app.operations);

    for path in OPERATIONS {
        assert_eq!(operations.get(path).status, 200, "{path}");
        assert_eq!(app.anonymous().get(path).told(), "404 route_not_found", "{path}");
    }
    assert_eq!(operations.get("/api/retrieval_experiments").told(), "404 route_not_found");
}
