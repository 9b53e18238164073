//! Profiles: one per id, kept for their user alone.

use kernel::{Period, Source, StoreError, UnitOfWork};
use learning::{
    LearningReader, Profile, ProfileFilter, ProfileId, ProfileTx, Put, Remark, Slice, Start, Status,
    StatusFilter,
};
use storage::{Database, on_both};

use super::{tag, text, user};
use crate::{at, found, org};

/// A profile that says the least.
pub(super) fn profile(id: &str, of: &str, content: &str) -> Profile {
    Profile {
        profile_id: ProfileId::new(id).unwrap(),
        user: user(of),
        content: text(content),
        source: Source::unstated(),
        generated_from_request_id: Remark::default(),
        time_to_live: Remark::default(),
        tags: vec![],
        last_modified: at(10),
        expires_at: None,
        status: Status::Current,
    }
}

pub(super) fn put(database: &Database, in_org: &str, profile: &Profile) -> Put {
    let store: &dyn UnitOfWork<dyn ProfileTx> = database;
    let kept: Result<Put, StoreError> = store.transact(&org(in_org), |tx| {
        tx.admit(std::slice::from_ref(&profile.user))?;
        tx.put(profile)
    });
    kept.unwrap()
}

fn find(database: &Database, in_org: &str, id: &str) -> Option<Profile> {
    let store: &dyn UnitOfWork<dyn ProfileTx> = database;
    let found: Result<_, StoreError> =
        store.transact(&org(in_org), |tx| tx.find(&ProfileId::new(id).unwrap()));
    found.unwrap()
}

fn delete(database: &Database, in_org: &str, of: &str, id: &str) -> bool {
    let store: &dyn UnitOfWork<dyn ProfileTx> = database;
    let deleted: Result<bool, StoreError> = store.transact(&org(in_org), |tx| {
        tx.admit(&[user(of)])?;
        tx.delete(&ProfileId::new(id).unwrap())
    });
    deleted.unwrap()
}

fn listed(database: &Database, filter: &ProfileFilter) -> Vec<String> {
    let slice = Slice { rows: 100, start: Start::default() };
    let rows = database.profiles(&org("acme"), filter, &slice).unwrap();
    rows.iter().map(|row| row.profile_id.to_string()).collect()
}

on_both! {
    fn a_profile_is_found_as_it_was_kept(db) {
        found(db, &["acme"]);
        let rich = Profile {
            source: Source::new("web").unwrap(),
            generated_from_request_id: Remark::new("r-1").unwrap(),
            time_to_live: Remark::new("one_month").unwrap(),
            tags: vec![tag("style"), tag("\"quoted\", [x]"), tag("東京")],
            expires_at: Some(at(99)),
            status: Status::Pending,
            ..profile("p", "ada", "Likes\ttea\n\u{1}")
        };

        assert_eq!(put(&db.database, "acme", &rich), Put::Kept);

        assert_eq!(find(&db.database, "acme", "p"), Some(rich));
    }

    fn a_repeat_replaces_the_same_users_profile(db) {
        found(db, &["acme"]);
        put(&db.database, "acme", &Profile { expires_at: Some(at(1)), ..profile("p", "ada", "tea") });
        let new = Profile { tags: vec![tag("x")], last_modified: at(20), ..profile("p", "ada", "coffee") };

        assert_eq!(put(&db.database, "acme", &new), Put::Kept);

        assert_eq!(find(&db.database, "acme", "p"), Some(new));
        assert_eq!(db.number("SELECT count(*) AS n FROM profiles"), 1);
        assert_eq!(db.number("SELECT count(*) AS n FROM profile_words WHERE words LIKE '%coffee%' AND words NOT LIKE '%tea%'"), 1);
    }

    fn another_users_id_is_refused_and_nothing_changes(db) {
        found(db, &["acme", "umbrella"]);
        let kept = profile("p", "ada", "tea");
        put(&db.database, "acme", &kept);

        assert_eq!(put(&db.database, "acme", &profile("p", "bob", "coffee")), Put::OwnedByAnother);

        assert_eq!(find(&db.database, "acme", "p"), Some(kept));
        assert_eq!(find(&db.database, "umbrella", "p"), None);
        assert_eq!(put(&db.database, "umbrella", &profile("p", "bob", "coffee")), Put::Kept);
    }

    fn a_deleted_profile_is_gone_with_its_words(db) {
        found(db, &["acme", "umbrella"]);
        put(&db.database, "acme", &profile("p", "ada", "tea"));

        assert!(!delete(&db.database, "umbrella", "ada", "p"));
        assert!(delete(&db.database, "acme", "ada", "p"));
        assert!(!delete(&db.database, "acme", "ada", "p"));
        assert_eq!(db.number("SELECT count(*) AS n FROM profile_words"), 0);
    }

    fn profiles_are_listed_newest_first_and_filtered(db) {
        found(db, &["acme", "umbrella"]);
        let web = Source::new("web").unwrap();
        let kept = [
            Profile { source: web.clone(), tags: vec![tag("a"), tag("b")], last_modified: at(30), ..profile("p1", "ada", "x") },
            Profile { tags: vec![tag("a,b")], last_modified: at(30), ..profile("p2", "ada", "x") },
            Profile { tags: vec![tag("b")], last_modified: at(20), ..profile("p3", "bob", "x") },
            Profile { status: Status::Archived, last_modified: at(40), ..profile("p4", "ada", "x") },
            Profile { last_modified: at(40), expires_at: Some(at(1)), ..profile("p5", "ada", "x") },
        ];
        for one in &kept {
            put(&db.database, "acme", one);
        }
        put(&db.database, "umbrella", &profile("p9", "ada", "x"));
        let every = ProfileFilter::default;
        let span = |start, end| Period::new(Some(at(start)), Some(at(end))).unwrap();

        let cases = [
            (every(), vec!["p5", "p2", "p1", "p3"]),
            (ProfileFilter { user: Some(user("ada")), ..every() }, vec!["p5", "p2", "p1"]),
            (ProfileFilter { source: Some(web), ..every() }, vec!["p1"]),
            (ProfileFilter { source: Some(Source::unstated()), ..every() }, vec!["p5", "p2", "p3"]),
            (ProfileFilter { tags: vec![tag("b")], ..every() }, vec!["p1", "p3"]),
            (ProfileFilter { tags: vec![tag("b"), tag("a")], ..every() }, vec!["p1"]),
            (ProfileFilter { tags: vec![tag(",")], ..every() }, vec![]),
            (ProfileFilter { statuses: StatusFilter::Any, ..every() }, vec!["p5", "p4", "p2", "p1", "p3"]),
            (ProfileFilter { statuses: StatusFilter::Only(vec![Status::Archived]), ..every() }, vec!["p4"]),
            (ProfileFilter { statuses: StatusFilter::Only(vec![]), ..every() }, vec![]),
            (ProfileFilter { period: span(20, 30), ..every() }, vec!["p2", "p1", "p3"]),
        ];

        for (filter, expected) in cases {
            assert_eq!(listed(&db.database, &filter), expected, "{filter:?}");
        }
    }
}
