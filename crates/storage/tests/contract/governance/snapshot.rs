//! A look at a user sees one moment, in order, page by page.

use std::ops::ControlFlow;

use governance::{
    Actor, AgentPlaybookId, AuditEntry, Column, Counts, ExportRow, Form, Operation, Outcome, Owner, Role,
    SubjectReader, SubjectSnapshot, Table, Target, Treatment, Value,
};
use kernel::{Barrier, StoreError};
use storage::on_both;
use storage::testing::TestDatabase;

use super::{open, refs, user, within};
use crate::{at, found, org};

const fn column(name: &'static str, form: Form) -> Column {
    Column { name, form, treatment: Treatment::Delete }
}

static NOTES: Table = Table {
    name: "notes",
    key: &["org_id", "folder", "user_id", "note_id"],
    owner: Owner::Column("user_id"),
    role: Role::Listed(Target::Requests),
    columns: &[
        column("note_id", Form::Integer),
        column("org_id", Form::Text),
        column("user_id", Form::Text),
        column("folder", Form::Text),
        column("score", Form::Real),
        column("is_open", Form::Boolean),
        column("tags", Form::Json),
        column("small", Form::Integer),
    ],
};

static LINKS: Table = Table { role: Role::Link { agent_playbook: "small" }, ..NOTES };

fn notes(db: &TestDatabase) {
    found(db, &["acme"]);
    db.execute(
        "CREATE TABLE notes (org_id TEXT NOT NULL, note_id BIGINT NOT NULL, user_id TEXT, folder TEXT NOT NULL, \
         score DOUBLE PRECISION, is_open BOOLEAN, tags TEXT, small INTEGER)",
    );
}

fn note(db: &TestDatabase, org: &str, author: &str, folder: &str, id: i64) {
    add(db, &[(org, author, folder, id)]);
}

fn add(db: &TestDatabase, notes: &[(&str, &str, &str, i64)]) {
    let row = |(org, author, folder, id): &(&str, &str, &str, i64)| {
        format!("('{org}', {id}, '{author}', '{folder}', 0.1, TRUE, '[1]', {})", id % 3)
    };
    let rows: Vec<_> = notes.iter().map(row).collect();
    db.execute(&format!("INSERT INTO notes VALUES {}", rows.join(", ")));
}

fn look<T>(db: &TestDatabase, mut look: impl FnMut(&mut dyn SubjectSnapshot) -> Result<T, StoreError>) -> T {
    let mut seen = None;
    SubjectReader::look(&db.database, &org("acme"), &mut |snapshot| seen = Some(look(snapshot))).unwrap();
    seen.unwrap().unwrap()
}

fn ids(rows: &[ExportRow]) -> Vec<i64> {
    let id = |row: &ExportRow| match row.0[0].1 {
        Value::Integer(id) => id,
        _ => panic!("{row:?}"),
    };
    rows.iter().map(id).collect()
}

fn read(snapshot: &mut dyn SubjectSnapshot, name: &str) -> Result<Vec<ExportRow>, StoreError> {
    let mut rows = Vec::new();
    snapshot.rows(&user(name), &NOTES, &mut |row| {
        rows.push(row.clone());
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

on_both! {
    fn a_row_shows_every_declared_column_in_declared_order(db) {
        notes(db);
        note(db, "acme", "ada", "f", 5);
        db.execute("INSERT INTO notes VALUES ('acme', 6, 'ada', 'g', NULL, NULL, NULL, NULL)");

        let rows = look(db, |snapshot| read(snapshot, "ada"));

        let text = |text: &str| Value::Text(text.to_owned());
        let full = ExportRow(vec![
            ("note_id", Value::Integer(5)),
            ("org_id", text("acme")),
            ("user_id", text("ada")),
            ("folder", text("f")),
            ("score", Value::Real(0.1)),
            ("is_open", Value::Boolean(true)),
            ("tags", Value::Json("[1]".to_owned())),
            ("small", Value::Integer(2)),
        ]);
        assert_eq!(rows[0], full);
        assert!(rows[1].0[4..].iter().all(|(_, value)| *value == Value::Null));
    }

    fn all_rows_of_the_user_come_in_the_order_of_the_key_however_many_pages_they_fill(db) {
        notes(db);
        let folder = |n| if n % 2 == 0 { "even" } else { "odd" };
        add(db, &(0..250).rev().map(|n| ("acme", "ada", folder(n), n)).collect::<Vec<_>>());
        add(db, &[("acme", "bob", "even", 1000), ("umbrella", "ada", "even", 1001)]);

        let rows = look(db, |snapshot| read(snapshot, "ada"));

        let expected: Vec<i64> = (0..250).filter(|n| n % 2 == 0).chain((0..250).filter(|n| n % 2 == 1)).collect();
        assert_eq!(ids(&rows), expected);
        assert_eq!(look(db, |snapshot| snapshot.count(&user("ada"), &NOTES)), 250);
    }

    fn a_receiver_that_breaks_off_gets_nothing_more(db) {
        notes(db);
        for n in 0..5 {
            note(db, "acme", "ada", "f", n);
        }
        let mut seen = 0;

        look(db, |snapshot| {
            snapshot.rows(&user("ada"), &NOTES, &mut |_| {
                seen += 1;
                if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });

        assert_eq!(seen, 2);
    }

    fn every_read_of_a_look_sees_the_same_moment_and_writers_are_not_held_up(db) {
        notes(db);
        note(db, "acme", "ada", "f", 1);

        let (before, after, rows) = look(db, |snapshot| {
            let before = snapshot.count(&user("ada"), &NOTES)?;
            note(db, "acme", "ada", "f", 2);
            Ok((before, snapshot.count(&user("ada"), &NOTES)?, read(snapshot, "ada")?))
        });

        assert_eq!((before, after, rows.len()), (1, 1, 1));
        assert_eq!(look(db, |snapshot| snapshot.count(&user("ada"), &NOTES)), 2);
    }

    fn linked_playbooks_are_named_once_ascending(db) {
        notes(db);
        for n in [5, 4, 3, 2, 1, 0] {
            note(db, "acme", "ada", "f", n);
        }

        let linked = look(db, |snapshot| snapshot.linked(&user("ada"), &LINKS));

        assert_eq!(linked, [0, 1, 2].map(AgentPlaybookId));
    }

    fn a_look_sees_the_barrier_and_whether_the_ticket_was_exported(db) {
        found(db, &["acme"]);
        let (ticket, other) = (refs("ada", "ticket-1"), refs("ada", "ticket-2"));
        let seen = |db: &TestDatabase| {
            look(db, |snapshot| {
                let barrier = snapshot.barrier(&[refs("x", "x").subject, ticket.subject.clone()])?;
                Ok((barrier, snapshot.exported(&[other.clone(), ticket.clone()])?))
            })
        };
        assert_eq!(seen(db), (None, None));
        let purge = open(&db.database, "ada", "ticket-1");
        within(&db.database, |tx| tx.barriers().raise(&ticket.subject, &purge.id, at(11))).unwrap();
        let (operation, outcome) = (Operation::Export, Outcome::Ok);
        let exported =
            AuditEntry { actor: Actor::operator(), operation, outcome, refs: ticket.clone(), counts: Counts::zero(), at: at(1) };

        within(&db.database, |tx| tx.audit().append(&exported)).unwrap();

        assert_eq!(seen(db), (Some(Barrier::Erasing), Some(ticket.clone())));
    }
}
