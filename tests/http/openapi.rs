//! The OpenAPI document tells of every route, and of no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use support::{TestApp, TestDatabase};

/// The types of the pages, made from the document.
const TYPES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/web/dashboard/src/api/generated.ts"));

type Routes = BTreeMap<String, BTreeSet<String>>;

/// Routes for people who browse the document, which does not tell of itself.
const UNTOLD: [&str; 3] = ["/openapi.json", "/api/docs", "/api/docs/{file:.*}"];

fn app() -> TestApp {
    TestApp::on(TestDatabase::sqlite())
}

fn document(app: &TestApp) -> Value {
    app.anonymous().get("/openapi.json").json()
}

fn documented(document: &Value) -> Routes {
    let methods =
        |item: &Value| item.as_object().unwrap().keys().map(|method| method.to_uppercase()).collect();
    document["paths"].as_object().unwrap().iter().map(|(path, item)| (path.clone(), methods(item))).collect()
}

/// The texts of all files below a folder.
fn sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(
            |path| if path.is_dir() { sources(&path) } else { vec![std::fs::read_to_string(path).unwrap()] },
        )
        .collect()
}

/// Every `resource("path", "METHODS")` of the routes, read from their source: the framework does not list them.
fn registered() -> Routes {
    let mut routes = Routes::new();
    for source in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/web/src/routes")) {
        for call in source.split("resource(").skip(1) {
            let mut texts = call.split('"').skip(1).step_by(2);
            let (Some(path), Some(allow)) = (texts.next(), texts.next()) else { continue };
            let methods = allow.split(", ").map(str::to_owned).collect();
            assert!(routes.insert(path.to_owned(), methods).is_none(), "{path} is registered twice");
        }
    }
    routes
}

/// A path with something in the place of each parameter.
fn filled(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect::<Vec<_>>().join("/")
}

#[test]
fn every_registered_route_is_told_of_and_every_told_route_is_registered() {
    let told = documented(&document(&app()));
    let mut registered = registered();
    registered.retain(|path, _| !UNTOLD.contains(&path.as_str()));

    assert_eq!(told, registered);
    assert!(told.len() >= 8, "{told:?}");
}

#[test]
fn every_told_method_is_answered_and_every_other_is_told_the_same_list() {
    let app = app();
    let caller = app.governance("acme");

    for (path, methods) in documented(&document(&app)) {
        for method in &methods {
            assert_ne!(caller.send(method, &filled(&path), None).status, 405, "{method} {path}");
        }
        let refused = caller.send("PATCH", &filled(&path), None);
        let allowed: BTreeSet<_> = refused.header("allow").split(", ").map(str::to_owned).collect();
        assert_eq!(allowed, methods, "{path}");
    }
}

#[test]
fn every_told_route_but_health_and_sign_in_needs_a_credential() {
    let app = app();
    let open = [("POST", "/api/auth/session"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")];

    for (path, methods) in documented(&document(&app)) {
        for method in methods.iter().filter(|method| !open.contains(&(method.as_str(), path.as_str()))) {
            let answer = app.anonymous().send(method, &filled(&path), Some(&serde_json::json!({})));
            assert_eq!(answer.told(), "401 not_authenticated", "{method} {path}");
        }
    }
}

#[test]
fn the_document_is_openapi_3_1_and_tells_of_problems_on_every_route() {
    let document = document(&app());

    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for status in ["401", "422", "503"] {
                let content = &operation["responses"][status]["content"]["application/problem+json"];
                assert!(content.is_object(), "{method} {path} {status}");
            }
        }
    }
}

#[test]
fn the_page_that_browses_the_document_asks_no_outside_host() {
    let app = app();

    assert_eq!(app.anonymous().get("/api/docs").header("location"), "/api/docs/");
    let page = app.anonymous().get("/api/docs/");
    assert!(page.header("content-type").starts_with("text/html"));
    let links = page.text().split(['"', '\'']).filter(|text| text.contains("://")).count();
    assert_eq!(links, 0, "{}", page.text());
    assert_eq!(app.anonymous().get("/api/docs/swagger-ui-bundle.js").status, 200);
    assert!(app.anonymous().get("/api/docs/swagger-initializer.js").text().contains("/openapi.json"));
}

#[test]
fn the_types_of_the_pages_are_those_of_the_document() {
    let text = web::openapi::text();

    let named = hex::encode(Sha256::digest(text.as_bytes()));

    assert!(
        TYPES.contains(&format!("// document: {named}\n")),
        "run `npm run types` in crates/web/dashboard and commit what it writes"
    );
}
