//! A share of requests for each credential.

use support::{TestApp, TestDatabase};

const PATH: &str = "/api/retrieval_experiments";

#[test]
fn a_credential_that_used_up_its_share_is_told_when_to_come_back() {
    let app = TestApp::building(TestDatabase::sqlite()).rate_limit(3).serve();
    let (busy, calm) = (app.production("acme"), app.production("acme"));

    let refused = (0..50).map(|_| busy.get(PATH)).find(|answer| answer.status != 200).unwrap();

    assert_eq!(refused.told(), "429 rate_limited");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(calm.get(PATH).told(), "200");
}

#[test]
fn without_a_limit_nobody_is_refused() {
    let app = TestApp::on(TestDatabase::sqlite());
    let caller = app.production("acme");

    assert!((0..50).all(|_| caller.get(PATH).status == 200));
}

#[test]
fn health_is_not_rationed() {
    let app = TestApp::building(TestDatabase::sqlite()).rate_limit(1).serve();

    assert!((0..10).all(|_| app.anonymous().get("/healthz").status == 200));
}
