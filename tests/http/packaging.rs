//! What lies in `packaging/` names only what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{TestApp, TestDatabase, run};

fn packaged(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging").join(file)).unwrap()
}

/// The words of a text that begin like this.
fn words<'a>(text: &'a str, beginning: &str) -> BTreeSet<&'a str> {
    let parts = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    parts.filter(|word| word.starts_with(beginning)).collect()
}

/// What a server exports once it was asked for something.
fn metrics() -> String {
    let app = TestApp::on(TestDatabase::sqlite());
    assert_eq!(app.production("acme").get("/api/get_config").status, 200);
    app.anonymous().get("/metrics").text()
}

#[test]
fn every_metric_on_the_dashboard_and_in_the_alerts_is_exported() {
    let exported = metrics();
    let exported = words(&exported, "touchstone_");

    for file in ["grafana-dashboard.json", "alerts.yaml"] {
        let text = packaged(file);
        let named = words(&text, "touchstone_");

        assert!(!named.is_empty());
        for name in named {
            assert!(exported.contains(name), "{file} names {name}");
        }
    }
}

#[test]
fn every_route_on_the_dashboard_and_in_the_alerts_is_one_of_ours() {
    let app = TestApp::on(TestDatabase::sqlite());
    let document = app.anonymous().get("/openapi.json").json();
    let routes: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();

    for file in ["grafana-dashboard.json", "alerts.yaml"] {
        for path in packaged(file).split('"').filter(|text| text.starts_with("/api/")) {
            let path = path.trim_end_matches('\\');
            for alternative in path.replace("(erase|export)", "erase").replace(".*", "").split('|') {
                assert!(routes.iter().any(|route| route.starts_with(alternative)), "{file}: {alternative}");
            }
        }
    }
}

#[test]
fn the_dashboard_is_a_document_whose_panels_all_ask_something() {
    let dashboard: Value = serde_json::from_str(&packaged("grafana-dashboard.json")).unwrap();

    for panel in dashboard["panels"].as_array().unwrap() {
        let asked = panel["targets"].as_array().unwrap();
        assert!(!asked.is_empty() && asked.iter().all(|target| target["expr"] != json!("")), "{panel}");
    }
}

#[test]
fn every_setting_in_the_unit_and_the_containers_is_documented() {
    let operations =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/OPERATIONS.md")).unwrap();
    let documented = words(&operations, "TOUCHSTONE_");

    for file in ["Dockerfile", "compose.yaml", "touchstone.service"] {
        for name in words(&packaged(file), "TOUCHSTONE_") {
            let name = name.trim_end_matches("_FILE");
            assert!(documented.contains(name), "{file} names {name}");
        }
    }
}

#[test]
fn the_image_keeps_its_health_by_a_command_that_says_whether_the_storage_is_there() {
    let database = TestDatabase::sqlite();

    let well = run(&database.url, &[], &["doctor"]);
    let away = run("postgres://nobody@127.0.0.1:1/none", &[], &["doctor"]);

    assert!(well.status.success());
    assert!(!away.status.success());
}
