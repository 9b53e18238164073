//! Agent playbooks: the organization's own, with links to what they were distilled from.

use kernel::{AgentVersion, Period, StoreError, UnitOfWork};
use learning::{
    AgentPlaybook, AgentPlaybookFilter, AgentPlaybookId, AgentPlaybookScope, AgentPlaybookTx, InteractionId,
    JsonText, LearningReader, Match, MatchMode, NewAgentPlaybook, PlaybookStatus, PlaybookText, Retrieval,
    SearchText, Slice, SourceWindow, Start, Status, TopK, UserPlaybookId, UserPlaybookTx,
};
use storage::{Database, on_both};

use super::user_playbooks;
use super::{name, playbook_text, tag, text, user};
use crate::{at, found, org};

/// A playbook that says the least.
pub(super) fn playbook(content: &str) -> NewAgentPlaybook {
    NewAgentPlaybook {
        text: playbook_text(content),
        playbook_status: PlaybookStatus::Pending,
        metadata: learning::FreeText::default(),
        created_at: at(10),
        status: Status::Current,
        source_windows: vec![],
    }
}

fn run<T>(
    database: &Database,
    in_org: &str,
    work: impl FnMut(&mut (dyn AgentPlaybookTx + 'static)) -> Result<T, StoreError>,
) -> T {
    let store: &dyn UnitOfWork<dyn AgentPlaybookTx> = database;
    store.transact(&org(in_org), work).unwrap()
}

pub(super) fn insert(database: &Database, in_org: &str, new: &NewAgentPlaybook) -> AgentPlaybookId {
    run(database, in_org, |tx| {
        tx.admit(&[user("ada"), user("bob")])?;
        tx.insert(new)
    })
}

fn find(database: &Database, in_org: &str, id: AgentPlaybookId) -> Option<AgentPlaybook> {
    run(database, in_org, |tx| tx.find(id))
}

fn window(playbook: UserPlaybookId, turns: &[i64]) -> SourceWindow {
    let turns = turns.iter().map(|turn| InteractionId::new(*turn).unwrap()).collect();
    SourceWindow { user_playbook_id: playbook, source_interaction_ids: turns }
}

/// A playbook in acme that was distilled from one of ada's and one of bob's.
fn distilled(database: &Database) -> (AgentPlaybookId, NewAgentPlaybook) {
    let sources = user_playbooks::insert(
        database,
        "acme",
        &[user_playbooks::playbook("ada", "x"), user_playbooks::playbook("bob", "y")],
    );
    let new = NewAgentPlaybook {
        text: PlaybookText {
            trigger: text("asked at length"),
            rationale: text("time is short"),
            structured_data: Some(JsonText::new("{}")),
            tags: vec![tag("style")],
            ..playbook_text("be brief")
        },
        playbook_status: PlaybookStatus::Approved,
        metadata: text("made by hand"),
        status: Status::Archived,
        source_windows: vec![window(sources[1], &[5, 4]), window(sources[0], &[]), window(sources[1], &[9])],
        ..playbook("x")
    };
    (insert(database, "acme", &new), new)
}

on_both! {
    fn a_playbook_is_found_as_it_was_kept_with_its_windows_in_order(db) {
        found(db, &["acme"]);

        let (id, new) = distilled(&db.database);

        let expected = AgentPlaybook {
            agent_playbook_id: id,
            text: new.text,
            playbook_status: new.playbook_status,
            metadata: new.metadata,
            created_at: new.created_at,
            status: new.status,
            source_windows: new.source_windows,
        };
        assert_eq!(find(&db.database, "acme", id), Some(expected));
        assert_eq!(db.number("SELECT count(*) AS n FROM playbook_source_links WHERE user_id = 'bob'"), 2);
    }

    fn a_search_finds_a_playbook_as_it_was_kept_with_its_windows_in_order(db) {
        found(db, &["acme"]);
        let (id, _) = distilled(&db.database);
        let plain = insert(&db.database, "acme", &playbook("be brief"));
        db.execute("UPDATE agent_playbooks SET status = 'current'");

        let any = AgentPlaybookScope {
            playbook_status: None, agent_version: None, playbook_name: None, tags: vec![], period: Period::default(),
        };
        let text = SearchText::new("brief").unwrap();
        let wanted = Match { text, mode: MatchMode::AllWords, top_k: TopK::IN_ONE };
        let mut hits = Retrieval::agent_playbooks(&db.database, &org("acme"), &wanted, &any).unwrap();

        hits.sort_by_key(|hit| hit.agent_playbook_id);
        assert_eq!(hits, [find(&db.database, "acme", id).unwrap(), find(&db.database, "acme", plain).unwrap()]);
    }

    fn owners_are_those_of_the_organizations_own_playbooks(db) {
        found(db, &["acme", "umbrella"]);
        let ours = user_playbooks::insert(&db.database, "acme", &[user_playbooks::playbook("ada", "x")])[0];
        let theirs = user_playbooks::insert(&db.database, "umbrella", &[user_playbooks::playbook("ada", "x")])[0];
        let missing = UserPlaybookId::new(i64::MAX).unwrap();

        let owners = run(&db.database, "acme", |tx| tx.owners(&[ours, theirs, missing]));

        assert_eq!(owners, [learning::PlaybookOwner { playbook: ours, user: user("ada") }]);
    }

    fn a_change_of_the_text_leaves_the_links_of_users_who_were_not_admitted(db) {
        found(db, &["acme"]);
        let (id, _) = distilled(&db.database);
        let kept = find(&db.database, "acme", id).unwrap();
        let new = AgentPlaybook { text: PlaybookText { structured_data: None, ..playbook_text("be kind") }, ..kept };

        assert!(run(&db.database, "acme", |tx| tx.replace(&new)));

        assert_eq!(find(&db.database, "acme", id), Some(new));
        assert_eq!(db.number("SELECT count(*) AS n FROM agent_playbook_words WHERE words LIKE '%kind%' AND words NOT LIKE '%length%'"), 1);
    }

    fn a_change_of_the_windows_replaces_all_of_them(db) {
        found(db, &["acme"]);
        let (id, new) = distilled(&db.database);
        let kept = find(&db.database, "acme", id).unwrap();
        let changed = AgentPlaybook { source_windows: vec![new.source_windows[1].clone()], ..kept };

        let replaced = run(&db.database, "acme", |tx| {
            tx.admit(&[user("ada")])?;
            tx.replace(&changed)
        });

        assert!(replaced);
        assert_eq!(find(&db.database, "acme", id), Some(changed));
        assert_eq!(db.number("SELECT count(*) AS n FROM playbook_source_links WHERE user_id = 'bob'"), 0);
    }

    fn a_decision_is_recorded(db) {
        found(db, &["acme", "umbrella"]);
        let (id, _) = distilled(&db.database);

        assert!(!run(&db.database, "umbrella", |tx| tx.set_status(id, PlaybookStatus::Rejected)));
        assert!(run(&db.database, "acme", |tx| tx.set_status(id, PlaybookStatus::Rejected)));
        assert!(run(&db.database, "acme", |tx| tx.set_status(id, PlaybookStatus::Rejected)));

        assert_eq!(find(&db.database, "acme", id).unwrap().playbook_status, PlaybookStatus::Rejected);
    }

    fn a_deleted_user_playbook_takes_its_links_and_leaves_the_agent_playbook(db) {
        found(db, &["acme"]);
        let (id, new) = distilled(&db.database);
        let store: &dyn UnitOfWork<dyn UserPlaybookTx> = &db.database;

        let deleted: Result<bool, StoreError> = store.transact(&org("acme"), |tx| {
            tx.admit(&[user("bob")])?;
            tx.delete(new.source_windows[0].user_playbook_id)
        });

        assert_eq!(deleted, Ok(true));
        let left = find(&db.database, "acme", id).unwrap();
        assert_eq!(left.source_windows, [new.source_windows[1].clone()]);
        assert_eq!(left.text, new.text);
    }

    fn a_deleted_playbook_is_gone_with_its_links_and_words(db) {
        found(db, &["acme", "umbrella"]);
        let (id, _) = distilled(&db.database);

        assert!(!run(&db.database, "umbrella", |tx| tx.delete(id)));
        assert_eq!(find(&db.database, "acme", id).unwrap().source_windows.len(), 3);
        assert!(run(&db.database, "acme", |tx| tx.delete(id)));
        assert!(!run(&db.database, "acme", |tx| tx.delete(id)));

        for table in ["agent_playbooks", "playbook_source_links", "agent_playbook_words"] {
            assert_eq!(db.number(&format!("SELECT count(*) AS n FROM {table}")), 0, "{table}");
        }
        assert_eq!(db.number("SELECT count(*) AS n FROM user_playbooks"), 2);
    }

    fn playbooks_are_listed_newest_first_and_filtered(db) {
        found(db, &["acme", "umbrella"]);
        let version = AgentVersion::new("v2").unwrap();
        let named = PlaybookText { playbook_name: name("other"), agent_version: version.clone(), tags: vec![tag("a")], ..playbook_text("two") };
        insert(&db.database, "acme", &playbook("one"));
        insert(&db.database, "acme", &NewAgentPlaybook { text: named, ..playbook("two") });
        insert(&db.database, "acme", &NewAgentPlaybook { created_at: at(5), playbook_status: PlaybookStatus::Rejected, ..playbook("three") });
        insert(&db.database, "acme", &NewAgentPlaybook { status: Status::Archived, ..playbook("four") });
        insert(&db.database, "umbrella", &playbook("theirs"));
        let listed = |filter: &AgentPlaybookFilter| {
            let slice = Slice { rows: 100, start: Start::default() };
            let rows = LearningReader::agent_playbooks(&db.database, &org("acme"), filter, &slice).unwrap();
            rows.iter().map(|row| row.text.content.as_str().to_owned()).collect::<Vec<_>>()
        };
        let every = AgentPlaybookFilter::default;

        let cases = [
            (every(), vec!["two", "one", "three"]),
            (AgentPlaybookFilter { agent_version: Some(version), ..every() }, vec!["two"]),
            (AgentPlaybookFilter { playbook_name: Some(name("other")), ..every() }, vec!["two"]),
            (AgentPlaybookFilter { playbook_status: Some(PlaybookStatus::Rejected), ..every() }, vec!["three"]),
            (AgentPlaybookFilter { tags: vec![tag("a")], ..every() }, vec!["two"]),
        ];

        for (filter, expected) in cases {
            assert_eq!(listed(&filter), expected, "{filter:?}");
        }
    }
}
