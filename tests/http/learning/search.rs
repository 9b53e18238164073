//! The four search routes, with the database's own full text.

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, on_both};

use crate::activity::{add_agent_playbook, add_profile, add_user_playbook, count, first_id, with};

const ROUTES: [&str; 4] =
    ["/api/search", "/api/search_profiles", "/api/search_user_playbooks", "/api/search_agent_playbooks"];

/// The contents of the profiles that a user's search finds.
fn profiles(caller: &Client, query: &str) -> Vec<String> {
    let answer = caller.post("/api/search_profiles", &json!({ "query": query, "user_id": "u" }));
    assert_eq!(answer.told(), "200", "{query}: {}", answer.text());
    contents(&answer.json(), "user_profiles")
}

fn contents(answer: &Value, list: &str) -> Vec<String> {
    answer[list].as_array().unwrap().iter().map(|row| row["content"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    fn a_search_is_stemmed_blind_to_case_and_takes_the_last_word_as_a_beginning(app) {
        let caller = app.production("acme");
        let _ = add_profile(&caller, "u", "Prefers SHORT answers about refunds");

        for query in ["short", "ShOrT aNsWeR", "answering", "refund", "answers ref", "prefer short answers"] {
            assert_eq!(profiles(&caller, query).len(), 1, "{query}");
        }
        assert_eq!(profiles(&caller, "tall"), Vec::<String>::new());
    }

    fn all_words_come_first_and_any_word_will_do(app) {
        let caller = app.production("acme");
        let _ = add_profile(&caller, "u", "likes tea");
        let _ = add_profile(&caller, "u", "likes tea with milk");

        assert_eq!(profiles(&caller, "tea milk"), ["likes tea with milk"]);
        assert_eq!(profiles(&caller, "milk unicorn"), ["likes tea with milk"]);
    }

    fn a_query_is_text_and_never_syntax(app) {
        let caller = app.production("acme");
        let _ = add_profile(&caller, "u", "quiet \"hours\" start at ten");
        let _ = add_user_playbook(&caller, "u", "quiet");
        let _ = add_agent_playbook(&caller, "quiet", &[]);

        for query in [
            "\"", "'", "(", ")", "*", "NOT", "AND OR NEAR(", "quiet AND", "content:quiet", "{a b}: c", "quiet\"", "-quiet",
            "^quiet", "quiet*", "a & b | !c <-> d", ":*", "';--", "%_\\", "\u{7}", "…", "ユーザー", "🦀", "quiet -- hours",
        ] {
            for route in ROUTES {
                let answer = caller.post(route, &json!({ "query": query, "user_id": "u" }));
                assert_eq!(answer.told(), "200", "{route} {query:?}: {}", answer.text());
            }
        }
        for query in ["quiet AND", "content:quiet", "-quiet", "quiet*", "(quiet"] {
            assert_eq!(profiles(&caller, query).len(), 1, "{query}");
        }
    }

    fn a_query_of_ten_thousand_characters_is_looked_for(app) {
        let caller = app.production("acme");
        let _ = add_profile(&caller, "u", "needle");
        let many = format!("{} needle", "hay ".repeat(2_498));

        for query in [many, "x".repeat(10_000), "\"".repeat(10_000), "a*b ".repeat(2_500)] {
            for route in ROUTES {
                assert_eq!(caller.post(route, &json!({ "query": query, "user_id": "u" })).told(), "200", "{route}");
            }
        }
    }

    fn a_blank_query_is_refused(app) {
        let caller = app.production("acme");
        for route in ROUTES {
            for wrong in [
                json!({ "query": "" }), json!({ "query": " \t" }), json!({}), json!({ "query": null }), json!({ "query": 7 }),
                json!({ "query": "x", "top_k": 0 }), json!({ "query": "x", "top_k": 101 }), json!({ "query": "x", "top_k": "5" }),
                json!({ "query": "x", "user_id": "a\u{7}b" }),
            ] {
                assert_eq!(caller.post(route, &wrong).told(), "422 invalid_request", "{route} {wrong}");
            }
        }
    }

    fn what_is_rejected_expired_or_not_in_use_is_never_found(app) {
        let caller = app.production("acme");
        let agent = first_id(&add_agent_playbook(&caller, "find me", &[]));
        let user = first_id(&add_user_playbook(&caller, "u", "find me"));
        let profile = json!({ "user_id": "u", "content": "find me", "expiration_timestamp": NOW + 10 });
        let _ = caller.post("/api/add_user_profile", &json!({ "user_profiles": [profile] }));
        let search = || caller.post("/api/search", &json!({ "query": "find", "user_id": "u" })).json();
        let found = || ["profiles", "user_playbooks", "agent_playbooks"].map(|list| count(&search(), list));
        assert_eq!(found(), [1, 1, 1]);

        let rejected = json!({ "agent_playbook_id": agent, "playbook_status": "rejected" });
        assert_eq!(caller.send("PUT", "/api/update_agent_playbook_status", Some(&rejected)).told(), "200");
        assert_eq!(found(), [1, 1, 0]);
        let archived = json!({ "user_playbook_id": user, "status": "archived" });
        assert_eq!(caller.send("PUT", "/api/update_user_playbook", Some(&archived)).told(), "200");
        assert_eq!(found(), [1, 0, 0]);
        app.clock.advance(11);
        assert_eq!(found(), [0, 0, 0]);
        for (route, list) in [("/api/search_profiles", "user_profiles"), ("/api/search_user_playbooks", "user_playbooks"), ("/api/search_agent_playbooks", "agent_playbooks")] {
            assert_eq!(count(&caller.post(route, &json!({ "query": "find", "user_id": "u" })).json(), list), 0, "{route}");
        }
    }

    fn a_user_finds_only_what_is_theirs_and_the_organizations(app) {
        let (acme, other) = (app.production("acme"), app.production("other"));
        for (caller, user) in [(&acme, "u"), (&acme, "v"), (&other, "u")] {
            let _ = add_profile(caller, user, "tea");
            let _ = add_user_playbook(caller, user, "tea");
            let _ = add_agent_playbook(caller, "tea", &[]);
        }
        let found = |query: Value| {
            let answer = acme.post("/api/search", &query).json();
            ["profiles", "user_playbooks", "agent_playbooks"].map(|list| count(&answer, list))
        };

        assert_eq!(found(json!({ "query": "tea", "user_id": "u" })), [1, 1, 2]);
        assert_eq!(found(json!({ "query": "tea" })), [0, 0, 2]);
        assert_eq!(found(json!({ "query": "tea", "user_id": "nobody" })), [0, 0, 2]);
    }

    fn filters_come_before_the_limit(app) {
        let caller = app.production("acme");
        for n in 0..20 {
            let (source, tags) = if n == 0 { ("rare", json!(["a", "b"])) } else { ("common", json!(["a"])) };
            let profile = json!({ "user_id": "u", "content": "tea ".repeat(20 - n), "source": source, "tags": tags });
            assert_eq!(caller.post("/api/add_user_profile", &json!({ "user_profiles": [profile] })).told(), "200");
        }
        let found = |filter: Value| {
            let body = with(json!({ "query": "tea", "user_id": "u" }), &filter);
            count(&caller.post("/api/search_profiles", &body).json(), "user_profiles")
        };

        assert_eq!(found(json!({})), 10);
        assert_eq!(found(json!({ "top_k": 3 })), 3);
        assert_eq!(found(json!({ "source": "rare", "top_k": 1 })), 1);
        assert_eq!(found(json!({ "tags": ["b"], "top_k": 1 })), 1);
        assert_eq!(found(json!({ "tags": ["b"], "source": "common" })), 0);
        assert_eq!(count(&caller.post("/api/search", &json!({ "query": "tea", "user_id": "u" })).json(), "profiles"), 5);
    }
}
