//! Signing in with a cookie: `/api/auth/session`.

use serde_json::json;
use support::app::NOW;
use support::{Answer, Client, TestApp, on_both};

use crate::credentials::refused_within_a_second;

const PATH: &str = "/api/auth/session";
const EXPERIMENTS: &str = "/api/retrieval_experiments";

fn sign_in(app: &TestApp, token: &str) -> Answer {
    app.anonymous().post(PATH, &json!({ "token": token }))
}

/// A browser with the cookie that signing in gave it.
fn browser(app: &TestApp, token: &str) -> Client {
    let signed_in = sign_in(app, token);
    assert_eq!(signed_in.status, 204);
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    app.anonymous().sending("cookie", cookie)
}

fn begin(browser: &Client) -> Answer {
    browser.post(EXPERIMENTS, &json!({ "experiment_id": "e", "holdout_percentage": 10 }))
}

on_both! {
    fn the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites(app) {
        let answer = sign_in(app, &app.organization("acme").dashboard());

        assert_eq!((answer.status, answer.body.len()), (204, 0));
        let cookie = answer.header("set-cookie");
        assert!(cookie.starts_with("touchstone_session="), "{cookie}");
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
            assert!(cookie.split("; ").any(|one| one == attribute), "{attribute}: {cookie}");
        }
    }

    fn a_session_has_the_permissions_of_its_bearer_and_ends(app) {
        let visitor = browser(app, &app.organization("acme").governance());

        let who = visitor.get(PATH);

        let expires_at = NOW + 12 * 60 * 60;
        let permissions = ["governance"];
        let told = json!({ "org_id": "acme", "kind": "session", "permissions": permissions, "expires_at": expires_at });
        assert_eq!(who.json(), told);
        app.clock.set(expires_at);
        assert_eq!(refused_within_a_second(&visitor).told(), "401 not_authenticated");
    }

    fn only_a_persons_bearer_signs_in(app) {
        let acme = app.organization("acme");

        assert_eq!(sign_in(app, &acme.production()).told(), "403 dashboard_credential_required");
        for bad in ["", "garbage", &format!("{}0", acme.dashboard())] {
            let refused = sign_in(app, bad);
            assert_eq!(refused.told(), "401 not_authenticated");
            assert_eq!(refused.header("www-authenticate"), "Bearer");
        }
        assert_eq!(app.anonymous().post(PATH, &json!({})).told(), "422 invalid_request");
    }

    fn a_session_cannot_beget_another(app) {
        let signed_in = sign_in(app, &app.organization("acme").dashboard());
        let session = signed_in.header("set-cookie").split(['=', ';']).nth(1).unwrap().to_owned();

        assert_eq!(sign_in(app, &session).told(), "403 dashboard_credential_required");
    }

    fn a_cookie_changes_state_only_from_our_own_pages(app) {
        let visitor = browser(app, &app.organization("acme").dashboard());
        let from = |origin: &str| begin(&visitor.sending("origin", origin)).told();

        assert_eq!(begin(&visitor).told(), "403 origin_mismatch");
        for origin in ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1"] {
            assert_eq!(from(origin), "403 origin_mismatch", "{origin}");
        }
        assert_eq!(from(visitor.origin()), "200");
    }

    fn a_cookie_reads_without_an_origin_and_a_bearer_writes_without_one(app) {
        let acme = app.organization("acme");

        assert_eq!(browser(app, &acme.dashboard()).get(EXPERIMENTS).told(), "200");
        let person = app.anonymous().bearing(&acme.dashboard());
        assert_eq!(begin(&person.sending("origin", "https://elsewhere.example")).told(), "200");
    }

    fn signing_out_ends_the_session_at_once_and_takes_the_cookie_away(app) {
        let visitor = browser(app, &app.organization("acme").dashboard());
        assert_eq!(visitor.get(EXPERIMENTS).told(), "200");
        assert_eq!(visitor.delete(PATH).told(), "403 origin_mismatch");

        let signed_out = visitor.sending("origin", visitor.origin()).delete(PATH);

        assert_eq!(signed_out.status, 204);
        assert!(signed_out.header("set-cookie").contains("Max-Age=0"));
        assert_eq!(visitor.get(EXPERIMENTS).told(), "401 not_authenticated");
    }

    fn a_session_ends_with_the_bearer_it_was_made_from(app) {
        let acme = app.organization("acme");
        let person = acme.mint(kernel::CredentialKind::Dashboard, kernel::Permissions::none(), None);
        let visitor = browser(app, &person.token.reveal());

        acme.revoke(&person.credential.id);

        assert_eq!(visitor.get(EXPERIMENTS).told(), "401 not_authenticated");
    }
}
