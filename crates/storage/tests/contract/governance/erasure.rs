//! Deletes, blanks and unlinks in bounded chunks, on tables declared for the purpose.

use governance::{AgentPlaybookId, Column, ErasureTx, Form, Owner, Role, Table, Target, Treatment};
use kernel::StoreError;
use storage::on_both;
use storage::testing::TestDatabase;

use super::{user, within};
use crate::found;

const fn column(name: &'static str, treatment: Treatment) -> Column {
    Column { name, form: Form::Text, treatment }
}

static NOTES: Table = Table {
    name: "notes",
    key: &["org_id", "note_id"],
    owner: Owner::Column("author"),
    role: Role::Attached(Target::Requests),
    columns: &[
        column("org_id", Treatment::Delete),
        column("note_id", Treatment::Delete),
        column("author", Treatment::Delete),
        column("content", Treatment::Delete),
    ],
};

static BLANKED: Table = Table {
    role: Role::Blanked,
    columns: &[
        column("org_id", Treatment::Keep("of the organization")),
        column("note_id", Treatment::Keep("of the organization")),
        column("author", Treatment::Blank),
        column("content", Treatment::Blank),
    ],
    ..NOTES
};

static LINKS: Table = Table { role: Role::Link { agent_playbook: "note_id" }, ..NOTES };

/// Two notes of Bob's, one of Ada's in another organization, and so many of Ada's own.
fn notes(db: &TestDatabase, of_ada: u32) {
    found(db, &["acme"]);
    db.execute(
        "CREATE TABLE notes (org_id TEXT NOT NULL, note_id BIGINT NOT NULL, author TEXT, content TEXT, \
         PRIMARY KEY (org_id, note_id)); \
         INSERT INTO notes VALUES ('acme', 900, 'bob', 'b'), ('acme', 901, 'bob', 'b'), ('umbrella', 1, 'ada', 'u');",
    );
    for n in 0..of_ada {
        db.execute(&format!("INSERT INTO notes VALUES ('acme', {n}, 'ada', 'a')"));
    }
}

fn others(db: &TestDatabase) -> i64 {
    db.number(
        "SELECT count(*) AS n FROM notes WHERE (author = 'bob' OR org_id <> 'acme') AND content IS NOT NULL",
    )
}

fn each<T>(
    db: &TestDatabase,
    act: impl Fn(&mut dyn ErasureTx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    within(&db.database, |tx| act(tx.rows()))
}

on_both! {
    fn a_delete_takes_up_to_its_limit_until_none_are_left(db) {
        notes(db, 7);
        let delete = |limit| each(db, |rows| rows.delete(&user("ada"), &NOTES, limit));

        assert_eq!([delete(3), delete(3), delete(3), delete(3)], [Ok(3), Ok(3), Ok(1), Ok(0)]);

        assert_eq!(each(db, |rows| rows.is_empty(&user("ada"), &NOTES)), Ok(true));
        assert_eq!(others(db), 3);
    }

    fn a_blank_leaves_the_row_without_what_names_the_user(db) {
        notes(db, 3);
        let blank = |limit| each(db, |rows| rows.blank(&user("ada"), &BLANKED, limit));

        assert_eq!([blank(2), blank(2), blank(2)], [Ok(2), Ok(1), Ok(0)]);

        let blanked = "SELECT count(*) AS n FROM notes WHERE org_id = 'acme' AND author IS NULL AND content IS NULL";
        assert_eq!(db.number(blanked), 3);
        assert_eq!(others(db), 3);
    }

    fn an_unlink_names_the_agent_playbook_of_each_link_it_deletes(db) {
        notes(db, 3);
        let mut named: Vec<AgentPlaybookId> = Vec::new();
        for taken in [2, 1, 0] {
            let some = each(db, |rows| rows.unlink(&user("ada"), &LINKS, 2)).unwrap();
            assert_eq!(some.len(), taken);
            named.extend(some);
        }

        named.sort_unstable();
        assert_eq!(named, [0, 1, 2].map(AgentPlaybookId));
        assert_eq!(others(db), 3);
    }

    fn a_table_is_empty_for_a_user_only_when_no_row_of_the_user_is_left(db) {
        notes(db, 1);
        let is_empty = |name: &str| each(db, |rows| rows.is_empty(&user(name), &NOTES));

        assert_eq!((is_empty("ada"), is_empty("bob"), is_empty("nobody")), (Ok(false), Ok(false), Ok(true)));
    }

    fn a_user_id_that_reads_like_sql_is_only_a_user_id(db) {
        notes(db, 1);

        let deleted = each(db, |rows| rows.delete(&user("ada' OR '1'='1"), &NOTES, 100));

        assert_eq!(deleted, Ok(0));
        assert_eq!(db.number("SELECT count(*) AS n FROM notes"), 4);
    }

    fn a_table_that_belongs_to_nobody_is_never_deleted_from(db) {
        notes(db, 1);
        let kept = Table { owner: Owner::Nobody, ..NOTES };

        assert!(matches!(each(db, |rows| rows.delete(&user("ada"), &kept, 9)), Err(StoreError::Failed(_))));
        assert_eq!(db.number("SELECT count(*) AS n FROM notes"), 4);
    }
}
