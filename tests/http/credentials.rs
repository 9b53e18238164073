//! Bearers: which open a door, and how a refusal looks.

use std::time::Instant;

use kernel::{CredentialKind, Permissions};
use support::app::NOW;
use support::{Answer, Client, on_both};

const GUARDED: &str = "/api/retrieval_experiments";

fn assert_refused(answer: &Answer) {
    assert_eq!(answer.told(), "401 not_authenticated");
    assert_eq!(answer.header("www-authenticate"), "Bearer");
}

/// A server may remember for a second that a bearer opened: a call that begins later than that must be refused, however
/// slow the machine is to answer it.
pub(crate) fn refused_within_a_second(caller: &Client) -> Answer {
    let began = Instant::now();
    loop {
        let asked_after = began.elapsed().as_millis();
        let answer = caller.get(GUARDED);
        if answer.status != 200 {
            return answer;
        }
        assert!(asked_after <= 1_000, "the bearer still opens {asked_after} ms later");
    }
}

on_both! {
    fn without_a_credential_nothing_opens(app) {
        for path in [GUARDED, "/api/get_config", "/api/auth/session"] {
            assert_refused(&app.anonymous().get(path));
        }
    }

    fn garbage_opens_nothing(app) {
        let good = app.organization("acme").production();
        let other_org = good.replace("_acme_", "_umbrella_");
        let other_kind = good.replace("tsp_", "tsd_");
        let other_secret = format!("{}{}", &good[..good.len() - 1], if good.ends_with('0') { '1' } else { '0' });

        for bearer in ["", "garbage", &other_org, &other_kind, &other_secret, &"x".repeat(5_000)] {
            assert_refused(&app.anonymous().bearing(bearer).get(GUARDED));
        }
        for header in [format!("Basic {good}"), good.clone(), format!("Bearer{good}"), "Bearer".to_owned()] {
            assert_refused(&app.anonymous().sending("authorization", header).get(GUARDED));
        }
    }

    fn the_scheme_is_read_whatever_its_case(app) {
        let token = app.organization("acme").production();

        for scheme in ["bearer", "BEARER"] {
            let caller = app.anonymous().sending("authorization", format!("{scheme} {token}"));
            assert_eq!(caller.get(GUARDED).told(), "200");
        }
    }

    fn a_credential_opens_nothing_from_its_expiry_on(app) {
        let short = app.organization("acme").mint(CredentialKind::Production, Permissions::none(), Some(60));
        let caller = app.anonymous().bearing(&short.token.reveal());

        assert_eq!(caller.get("/api/auth/session").json()["expires_at"], NOW + 60);
        app.clock.advance(60);
        assert_refused(&refused_within_a_second(&caller));
    }

    fn a_revocation_is_felt_within_a_second(app) {
        let acme = app.organization("acme");
        let minted = acme.mint(CredentialKind::Production, Permissions::none(), None);
        let caller = app.anonymous().bearing(&minted.token.reveal());
        assert_eq!(caller.get(GUARDED).told(), "200");

        acme.revoke(&minted.credential.id);

        assert_refused(&refused_within_a_second(&caller));
    }

    fn whoever_may_not_call_learns_nothing_about_the_call(app) {
        let acme = app.organization("acme");
        let stranger = app.anonymous().bearing(&acme.production().replace("_acme_", "_umbrella_"));
        let erase = "/api/governance/erase-user";

        assert_refused(&stranger.post_raw(erase, "text/plain", "no"));
        assert_refused(&stranger.post_raw(erase, "application/json", "no"));
        assert_refused(&stranger.post(erase, &serde_json::json!({})));
        assert_refused(&stranger.get("/api/evaluations/shadow_comparisons/recent?limit=no"));
        for _ in 0..5 {
            // A new key each time: nobody remembers it, so that it has to be looked up.
            let agent = app.anonymous().bearing(&acme.production());
            let refused = agent.post_raw(erase, "text/plain", "no");
            assert_eq!(refused.told(), "403 governance_credential_required");
        }
    }

    fn a_refused_write_writes_nothing(app) {
        let body = serde_json::json!({ "experiment_id": "e", "holdout_percentage": 10 });

        assert_refused(&app.anonymous().post(GUARDED, &body));

        assert_eq!(app.database.number("SELECT count(*) AS n FROM experiments"), 0);
    }

    fn one_says_who_one_is(app) {
        let who = |caller: &Client| caller.get("/api/auth/session").json();

        let expected = |kind, permissions: &[&str]| {
            serde_json::json!({ "org_id": "acme", "kind": kind, "permissions": permissions, "expires_at": null })
        };
        assert_eq!(who(&app.production("acme")), expected("production", &[]));
        assert_eq!(who(&app.dashboard("acme")), expected("dashboard", &[]));
        assert_eq!(who(&app.governance("acme")), expected("dashboard", &["governance"]));
    }

    fn a_token_is_kept_only_as_its_digest(app) {
        let token = app.organization("acme").production();
        let secret = token.rsplit('_').next().unwrap();

        let like = format!("SELECT count(*) AS n FROM credentials WHERE token_digest LIKE '%{secret}%'");
        assert_eq!(app.database.number(&like), 0);
    }
}

on_both! {
    fn a_route_for_governors_is_closed_to_everybody_else(app) {
        let ticket = serde_json::json!({ "user_id": "u", "request_id": "r" });

        for caller in [app.production("acme"), app.dashboard("acme")] {
            for path in ["/api/governance/erase-user", "/api/governance/export-user", "/api/governance/erase-preview"] {
                assert_eq!(caller.post(path, &ticket).told(), "403 governance_credential_required", "{path}");
            }
            let purge = "/api/governance/purge-operations/purge_0";
            assert_eq!(caller.get(purge).told(), "403 governance_credential_required");
        }
        assert_eq!(app.database.number("SELECT count(*) AS n FROM subject_barriers"), 0);
        assert_eq!(app.governance("acme").post("/api/governance/erase-preview", &ticket).told(), "200");
    }

    fn a_route_for_people_is_closed_to_an_agents_key(app) {
        let import = |caller: &Client| caller.post("/api/import_evaluation_results", &serde_json::json!({ "results": [] })).told();

        assert_eq!(import(&app.production("acme")), "403 dashboard_credential_required");
        assert_ne!(import(&app.dashboard("acme")), "403 dashboard_credential_required");
    }
}
