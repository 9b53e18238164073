//! User playbooks: numbered, changed and deleted within their organization.

use kernel::{AgentVersion, Source, StoreError, UnitOfWork};
use learning::{
    JsonText, LearningReader, NewUserPlaybook, PlaybookText, Remark, Slice, Start, Status, StatusFilter,
    UserPlaybook, UserPlaybookFilter, UserPlaybookId, UserPlaybookTx,
};
use storage::{Database, on_both};

use super::{name, playbook_text, tag, text, user};
use crate::{at, found, org};

/// A playbook that says the least.
pub(super) fn playbook(of: &str, content: &str) -> NewUserPlaybook {
    NewUserPlaybook {
        user: user(of),
        request_id: Remark::default(),
        text: playbook_text(content),
        source: Source::unstated(),
        source_interaction_ids: vec![],
        created_at: at(10),
        status: Status::Current,
    }
}

fn run<T>(
    database: &Database,
    in_org: &str,
    work: impl FnMut(&mut (dyn UserPlaybookTx + 'static)) -> Result<T, StoreError>,
) -> T {
    let store: &dyn UnitOfWork<dyn UserPlaybookTx> = database;
    store.transact(&org(in_org), work).unwrap()
}

pub(super) fn insert(
    database: &Database,
    in_org: &str,
    playbooks: &[NewUserPlaybook],
) -> Vec<UserPlaybookId> {
    run(database, in_org, |tx| {
        let users: Vec<_> = playbooks.iter().map(|playbook| playbook.user.clone()).collect();
        tx.admit(&users)?;
        tx.insert(playbooks)
    })
}

fn rich() -> NewUserPlaybook {
    NewUserPlaybook {
        request_id: Remark::new("r-1").unwrap(),
        text: PlaybookText {
            trigger: text("asked at length"),
            rationale: text("time is short"),
            structured_data: Some(JsonText::new(r#"{"instruction": "be brief", "z": 1, "a": 2}"#)),
            tags: vec![tag("style")],
            ..playbook_text("be brief")
        },
        source: Source::new("web").unwrap(),
        source_interaction_ids: vec![learning::InteractionId::new(3).unwrap()],
        status: Status::Pending,
        ..playbook("ada", "x")
    }
}

fn listed(database: &Database, filter: &UserPlaybookFilter) -> Vec<String> {
    let slice = Slice { rows: 100, start: Start::default() };
    let rows = LearningReader::user_playbooks(database, &org("acme"), filter, &slice).unwrap();
    rows.iter().map(|row| row.text.content.as_str().to_owned()).collect()
}

on_both! {
    fn a_playbook_is_found_as_it_was_kept(db) {
        found(db, &["acme"]);
        let new = rich();

        let id = insert(&db.database, "acme", std::slice::from_ref(&new))[0];

        let kept = run(&db.database, "acme", |tx| tx.find(id)).unwrap();
        let expected = UserPlaybook {
            user_playbook_id: id,
            user: new.user,
            request_id: new.request_id,
            text: new.text,
            source: new.source,
            source_interaction_ids: new.source_interaction_ids,
            created_at: new.created_at,
            status: new.status,
        };
        assert_eq!(kept, expected);
    }

    fn ids_come_in_the_order_given_and_are_never_given_again(db) {
        found(db, &["acme"]);
        let new: Vec<_> = (0..300).map(|n| playbook("ada", &format!("number {n}"))).collect();

        let ids = insert(&db.database, "acme", &new);

        assert!(ids.is_sorted());
        let last = run(&db.database, "acme", |tx| tx.find(ids[299])).unwrap();
        assert_eq!(last.text.content, text("number 299"));
        run(&db.database, "acme", |tx| {
            tx.admit(&[user("ada")])?;
            tx.delete(ids[299])
        });
        assert!(insert(&db.database, "acme", &new[..1])[0] > ids[299]);
    }

    fn a_replaced_playbook_says_what_is_new_and_forgets_what_was(db) {
        found(db, &["acme"]);
        let id = insert(&db.database, "acme", &[rich()])[0];
        let old = run(&db.database, "acme", |tx| tx.find(id)).unwrap();
        let new = UserPlaybook {
            text: PlaybookText { structured_data: None, ..playbook_text("be kind") },
            status: Status::Archived,
            ..old
        };

        let replaced = run(&db.database, "acme", |tx| {
            tx.admit(&[user("ada")])?;
            tx.replace(&new)
        });

        assert!(replaced);
        assert_eq!(run(&db.database, "acme", |tx| tx.find(id)), Some(new));
        assert_eq!(db.number("SELECT count(*) AS n FROM user_playbook_words WHERE words LIKE '%kind%' AND words NOT LIKE '%length%'"), 1);
    }

    fn another_organization_neither_finds_nor_changes_a_playbook(db) {
        found(db, &["acme", "umbrella"]);
        let id = insert(&db.database, "acme", &[rich()])[0];
        let kept = run(&db.database, "acme", |tx| tx.find(id)).unwrap();

        let (seen, replaced, deleted) = run(&db.database, "umbrella", |tx| {
            tx.admit(&[user("ada")])?;
            Ok((tx.find(id)?, tx.replace(&kept)?, tx.delete(id)?))
        });

        assert_eq!((seen, replaced, deleted), (None, false, false));
        assert_eq!(run(&db.database, "acme", |tx| tx.find(id)), Some(kept));
    }

    fn playbooks_are_listed_newest_first_and_filtered(db) {
        found(db, &["acme", "umbrella"]);
        let version = AgentVersion::new("v2").unwrap();
        let named = PlaybookText { playbook_name: name("other"), agent_version: version.clone(), tags: vec![tag("a")], ..playbook_text("two") };
        insert(&db.database, "acme", &[
            playbook("ada", "one"),
            NewUserPlaybook { text: named, source: Source::new("web").unwrap(), ..playbook("ada", "two") },
            NewUserPlaybook { created_at: at(20), ..playbook("bob", "three") },
            NewUserPlaybook { status: Status::Pending, ..playbook("ada", "four") },
        ]);
        insert(&db.database, "umbrella", &[playbook("ada", "theirs")]);
        let every = UserPlaybookFilter::default;

        let cases = [
            (every(), vec!["three", "two", "one"]),
            (UserPlaybookFilter { user: Some(user("ada")), ..every() }, vec!["two", "one"]),
            (UserPlaybookFilter { agent_version: Some(version), ..every() }, vec!["two"]),
            (UserPlaybookFilter { playbook_name: Some(name("brevity")), ..every() }, vec!["three", "one"]),
            (UserPlaybookFilter { source: Some(Source::new("web").unwrap()), ..every() }, vec!["two"]),
            (UserPlaybookFilter { tags: vec![tag("a")], ..every() }, vec!["two"]),
            (UserPlaybookFilter { statuses: StatusFilter::Only(vec![Status::Pending]), ..every() }, vec!["four"]),
        ];

        for (filter, expected) in cases {
            assert_eq!(listed(&db.database, &filter), expected, "{filter:?}");
        }
    }
}
