//! Searching: the same visible rules on both databases.

use kernel::{AgentVersion, Period, Source};
use learning::{
    AgentPlaybookScope, Match, MatchMode, NewAgentPlaybook, NewUserPlaybook, PlaybookStatus, PlaybookText,
    Profile, ProfileScope, Retrieval, SearchText, Status, TopK, UserPlaybookScope,
};
use storage::testing::TestDatabase;
use storage::{Database, on_both};

use super::{agent_playbooks, name, playbook_text, profiles, tag, text, user, user_playbooks};
use crate::{at, found, org};

fn wanted(query: &str, mode: MatchMode) -> Match {
    Match { text: SearchText::new(query).unwrap(), mode, top_k: TopK::new(100).unwrap() }
}

fn of_ada() -> ProfileScope {
    ProfileScope { user: user("ada"), source: None, tags: vec![], period: Period::default(), live_at: at(50) }
}

fn ids(database: &Database, wanted: &Match, scope: &ProfileScope) -> Vec<String> {
    let rows = Retrieval::profiles(database, &org("acme"), wanted, scope).unwrap();
    rows.iter().map(|row| row.profile_id.to_string()).collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

/// Keeps ada's profiles in acme: an id and its content each.
fn keep(database: &Database, contents: &[(&str, &str)]) {
    for (id, content) in contents {
        profiles::put(database, "acme", &profiles::profile(id, "ada", content));
    }
}

on_both! {
    fn words_match_in_any_case_and_form_and_the_last_by_its_beginning(db) {
        found(db, &["acme"]);
        keep(&db.database, &[
            ("refund", "Refunds are processed within 5 DAYS, not later."),
            ("mail", "Write to Ada.Lovelace@example.com about O'Neil's re-deployment v3 of 3.14"),
            ("unicode", "Besucht gern Zürich und 東京; naïve"),
            ("running", "She was running deployments for configuration"),
        ]);

        let cases = [
            ("refund", vec!["refund"]),
            ("REFUNDED", vec!["refund"]),
            ("processing refund", vec!["refund"]),
            ("refunds day", vec!["refund"]),
            ("the refunds", vec![]),
            ("are refunds", vec!["refund"]),
            ("5 days", vec!["refund"]),
            ("days re", vec!["refund"]),
            ("ada lovelace", vec!["mail"]),
            ("ada.lovelace@example.com", vec!["mail"]),
            ("lovelace exam", vec!["mail"]),
            ("example co", vec!["mail"]),
            ("3.14", vec!["mail"]),
            ("14 v3", vec!["mail"]),
            ("3.1", vec!["mail"]),
            ("4", vec![]),
            ("deployment", vec!["mail", "running"]),
            ("deploym", vec!["mail", "running"]),
            ("configurat", vec!["running"]),
            ("runn", vec!["running"]),
            ("runni", vec!["running"]),
            ("ran", vec![]),
            ("zürich", vec!["unicode"]),
            ("ZÜRICH 東", vec!["unicode"]),
            ("naïve", vec!["unicode"]),
            ("naive", vec![]),
            ("efund", vec![]),
            ("refund tea", vec![]),
        ];

        for (query, expected) in cases {
            let found = sorted(ids(&db.database, &wanted(query, MatchMode::AllWords), &of_ada()));
            assert_eq!(found, expected, "{query}");
        }
    }

    fn any_word_will_do_when_asked_and_more_words_rank_higher(db) {
        found(db, &["acme"]);
        keep(&db.database, &[
            ("both", "green tea"),
            ("one", "black coffee and green salad"),
            ("none", "water"),
        ]);

        assert_eq!(ids(&db.database, &wanted("green tea", MatchMode::AllWords), &of_ada()), ["both"]);
        assert_eq!(ids(&db.database, &wanted("green tea", MatchMode::AnyWord), &of_ada()), ["both", "one"]);
        assert_eq!(ids(&db.database, &wanted("tea xylophone", MatchMode::AnyWord), &of_ada()), ["both"]);
    }

    fn a_query_is_text_and_never_syntax(db) {
        found(db, &["acme"]);
        keep(&db.database, &[("p", "near the not and or words")]);
        let long = "near ".repeat(2000);
        let many: Vec<_> = (0..3000).map(|n| format!("w{n}")).collect();
        let queries = [
            "\"near\" AND not*", "NEAR(the, 2)", "-near :words", "near & | ! words <-> the:*", "' OR 1=1 --",
            "words:* near", "{near} ^words", "NOT near", "\\near\\ 'words", &long, &many.join(" "), "ﬁ İ ŉ ß",
            &"x".repeat(10_000), "near\u{0}words",
        ];

        for query in queries {
            for mode in [MatchMode::AllWords, MatchMode::AnyWord] {
                let asked = wanted(query, mode);
                if !asked.text.is_empty() {
                    ids(&db.database, &asked, &of_ada());
                }
            }
        }
        assert_eq!(ids(&db.database, &wanted("NOT near AND words", MatchMode::AllWords), &of_ada()), ["p"]);
    }

    fn profiles_are_found_for_their_user_alone_while_they_hold(db) {
        found(db, &["acme", "umbrella"]);
        let tea = |id: &str| profiles::profile(id, "ada", "tea");
        for kept in [
            tea("current"),
            Profile { status: Status::Pending, ..tea("pending") },
            Profile { status: Status::Archived, ..tea("archived") },
            Profile { expires_at: Some(at(50)), ..tea("expired") },
            Profile { expires_at: Some(at(51)), ..tea("holds") },
            profiles::profile("bobs", "bob", "tea"),
        ] {
            profiles::put(&db.database, "acme", &kept);
        }
        profiles::put(&db.database, "umbrella", &tea("theirs"));

        let found = sorted(ids(&db.database, &wanted("tea", MatchMode::AllWords), &of_ada()));

        assert_eq!(found, ["current", "holds"]);
    }

    fn filters_come_before_the_limit(db) {
        found(db, &["acme"]);
        let web = Source::new("web").unwrap();
        for n in 0..20 {
            let best = Profile { content: text("tea"), ..profiles::profile(&format!("x{n}"), "ada", "") };
            profiles::put(&db.database, "acme", &best);
        }
        let worst = Profile {
            source: web.clone(),
            tags: vec![tag("a"), tag("b")],
            last_modified: at(5),
            ..profiles::profile("worst", "ada", "tea among very many other words that nobody looks for")
        };
        profiles::put(&db.database, "acme", &worst);
        let one = Match { top_k: TopK::new(1).unwrap(), ..wanted("tea", MatchMode::AllWords) };

        for scope in [
            ProfileScope { source: Some(web), ..of_ada() },
            ProfileScope { tags: vec![tag("b")], ..of_ada() },
            ProfileScope { tags: vec![tag("b"), tag("a")], ..of_ada() },
            ProfileScope { period: Period::new(None, Some(at(5))).unwrap(), ..of_ada() },
            ProfileScope { period: Period::new(Some(at(5)), Some(at(5))).unwrap(), ..of_ada() },
        ] {
            assert_eq!(ids(&db.database, &one, &scope), ["worst"], "{scope:?}");
        }
        assert_eq!(ids(&db.database, &one, &ProfileScope { tags: vec![tag("c")], ..of_ada() }), Vec::<String>::new());
        assert_eq!(ids(&db.database, &one, &of_ada()).len(), 1);
    }

    fn what_changed_or_went_is_not_found_by_its_old_words(db) {
        found(db, &["acme"]);
        keep(&db.database, &[("p", "green tea"), ("q", "green tea")]);
        keep(&db.database, &[("p", "black coffee")]);
        db.execute("DELETE FROM profiles WHERE profile_id = 'q'");

        assert_eq!(ids(&db.database, &wanted("tea", MatchMode::AllWords), &of_ada()), Vec::<String>::new());
        assert_eq!(ids(&db.database, &wanted("coffee", MatchMode::AllWords), &of_ada()), ["p"]);
    }

    fn a_word_that_went_leaves_no_trace_in_the_index(db) {
        found(db, &["acme"]);
        keep(&db.database, &[("p", "zyzzyva"), ("q", "tea")]);
        let traces = |db: &TestDatabase| match db.database.engine() {
            "sqlite" => db.number("SELECT count(*) AS n FROM profile_index_data WHERE instr(block, CAST('zyzzyva' AS BLOB)) > 0"),
            _ => db.number("SELECT count(*) AS n FROM profile_words WHERE CAST(vector AS TEXT) LIKE '%zyzzyva%'"),
        };
        assert_eq!(traces(db), 1);

        db.execute("DELETE FROM profiles WHERE profile_id = 'p'");

        assert_eq!(traces(db), 0);
    }

    fn of_equal_matches_the_newest_comes_first(db) {
        found(db, &["acme"]);
        for (id, changed) in [("a", 10), ("b", 30), ("c", 20), ("d", 20)] {
            profiles::put(&db.database, "acme", &Profile { last_modified: at(changed), ..profiles::profile(id, "ada", "tea") });
        }

        assert_eq!(ids(&db.database, &wanted("tea", MatchMode::AllWords), &of_ada()), ["b", "d", "c", "a"]);
    }

    fn user_playbooks_are_found_by_all_they_say_and_filtered(db) {
        found(db, &["acme", "umbrella"]);
        let version = AgentVersion::new("v2").unwrap();
        let rich = PlaybookText {
            playbook_name: name("escalation"),
            agent_version: version.clone(),
            trigger: text("angry customers"),
            rationale: text("patience pays"),
            tags: vec![tag("style")],
            ..playbook_text("apologize")
        };
        user_playbooks::insert(&db.database, "acme", &[
            NewUserPlaybook { text: rich, source: Source::new("web").unwrap(), ..user_playbooks::playbook("ada", "") },
            user_playbooks::playbook("ada", "apologize often"),
            user_playbooks::playbook("bob", "apologize"),
            NewUserPlaybook { status: Status::Pending, ..user_playbooks::playbook("ada", "apologize") },
        ]);
        user_playbooks::insert(&db.database, "umbrella", &[user_playbooks::playbook("ada", "apologize")]);
        let every = UserPlaybookScope {
            user: user("ada"),
            agent_version: None,
            playbook_name: None,
            source: None,
            tags: vec![],
            period: Period::default(),
        };
        let count = |query: &str, scope: &UserPlaybookScope| {
            Retrieval::user_playbooks(&db.database, &org("acme"), &wanted(query, MatchMode::AllWords), scope).unwrap().len()
        };

        for (query, expected) in [("apologizing", 2), ("escalations", 1), ("angry customer", 1), ("patience", 1), ("tea", 0)] {
            assert_eq!(count(query, &every), expected, "{query}");
        }
        for (scope, expected) in [
            (UserPlaybookScope { agent_version: Some(version), ..every.clone() }, 1),
            (UserPlaybookScope { playbook_name: Some(name("brevity")), ..every.clone() }, 1),
            (UserPlaybookScope { source: Some(Source::new("web").unwrap()), ..every.clone() }, 1),
            (UserPlaybookScope { tags: vec![tag("style")], ..every.clone() }, 1),
            (UserPlaybookScope { tags: vec![tag("other")], ..every.clone() }, 0),
            (UserPlaybookScope { period: Period::new(Some(at(11)), None).unwrap(), ..every.clone() }, 0),
            (UserPlaybookScope { user: user("bob"), ..every.clone() }, 1),
        ] {
            assert_eq!(count("apologize", &scope), expected, "{scope:?}");
        }
    }

    fn agent_playbooks_are_found_in_the_organization_unless_they_were_rejected(db) {
        found(db, &["acme", "umbrella"]);
        let new = |content: &str, decided| NewAgentPlaybook { playbook_status: decided, ..agent_playbooks::playbook(content) };
        let approved = agent_playbooks::insert(&db.database, "acme", &new("apologize", PlaybookStatus::Approved));
        let pending = agent_playbooks::insert(&db.database, "acme", &new("apologize", PlaybookStatus::Pending));
        agent_playbooks::insert(&db.database, "acme", &new("apologize", PlaybookStatus::Rejected));
        agent_playbooks::insert(&db.database, "acme", &NewAgentPlaybook { status: Status::Archived, ..new("apologize", PlaybookStatus::Approved) });
        agent_playbooks::insert(&db.database, "umbrella", &new("apologize", PlaybookStatus::Approved));
        let found = |scope: &AgentPlaybookScope| {
            let rows =
                Retrieval::agent_playbooks(&db.database, &org("acme"), &wanted("apology apolog", MatchMode::AnyWord), scope).unwrap();
            rows.iter().map(|row| row.agent_playbook_id).collect::<Vec<_>>()
        };
        let of = |decided| AgentPlaybookScope { playbook_status: Some(decided), ..AgentPlaybookScope::default() };

        assert_eq!(found(&AgentPlaybookScope::default()), [pending, approved]);
        assert_eq!(found(&of(PlaybookStatus::Approved)), [approved]);
        assert_eq!(found(&of(PlaybookStatus::Rejected)), []);
        assert_eq!(found(&AgentPlaybookScope { playbook_name: Some(name("x")), ..AgentPlaybookScope::default() }), []);
    }

    fn a_learning_of_the_greatest_length_is_kept_and_found(db) {
        found(db, &["acme"]);
        let words: Vec<_> = (0..130_000).map(|n| format!("w{n}")).collect();
        let longest: String = words.join(" ").chars().take(1_000_000).collect();

        keep(&db.database, &[("p", &longest), ("q", &"ü".repeat(1_000_000))]);

        assert_eq!(ids(&db.database, &wanted("w100 w7", MatchMode::AllWords), &of_ada()), ["p"]);
    }
}
