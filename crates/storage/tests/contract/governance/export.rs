//! Whole exports by rule, on a real store.

use std::sync::Arc;

use governance::{
    Counts, ExportHead, ExportRow, ExportSink, ExportUser, GovernanceError, KeyRing, PreviewErase,
    ReceiverGone, Target,
};
use storage::testing::{SECRET, TestDatabase};
use storage::{Database, on_both};

use super::erase::{Noon, erase, ticket};
use super::fill::fill;
use super::{open, refs, ring, user, within};
use crate::{at, found, org};

#[derive(Default)]
struct Collected {
    head: Option<ExportHead>,
    lists: Vec<(Target, Vec<ExportRow>)>,
    is_finished: bool,
}

impl ExportSink for Collected {
    fn begin(&mut self, head: &ExportHead) -> Result<(), ReceiverGone> {
        self.head = Some(head.clone());
        Ok(())
    }

    fn list(&mut self, target: Target) -> Result<(), ReceiverGone> {
        self.lists.push((target, Vec::new()));
        Ok(())
    }

    fn row(&mut self, row: &ExportRow) -> Result<(), ReceiverGone> {
        self.lists.last_mut().unwrap().1.push(row.clone());
        Ok(())
    }

    fn settle(&mut self) -> Result<(), ReceiverGone> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReceiverGone> {
        self.is_finished = true;
        Ok(())
    }
}

fn export(database: &Database, ring: KeyRing, request: &str) -> (Result<Counts, GovernanceError>, Collected) {
    let store = Arc::new(database.clone());
    let export = ExportUser::new(store.clone(), store, Arc::new(ring), Arc::new(Noon));
    let mut collected = Collected::default();
    let counts = export.export(&org("acme"), &ticket("ada", request), &mut collected);
    (counts, collected)
}

fn audits(db: &TestDatabase) -> i64 {
    db.number("SELECT count(*) AS n FROM audit_events WHERE operation = 'EXPORT' AND outcome = 'ok'")
}

on_both! {
    fn an_export_shows_what_an_erasure_would_delete_and_nothing_of_others(db) {
        found(db, &["acme"]);
        fill(db, "ada", 101, 1_000);
        fill(db, "bob", 2, 5_000);

        let (counts, shown) = export(&db.database, ring(), "ticket-1");

        assert_eq!(shown.lists.iter().map(|(target, _)| *target).collect::<Vec<_>>(), Target::ALL);
        assert!(shown.lists.iter().all(|(_, rows)| rows.len() == 101) && shown.is_finished);
        assert!(shown.lists.iter().flat_map(|(_, rows)| rows).all(|row| !format!("{row:?}").contains("bob")));
        assert_eq!(counts.unwrap().total(), 1_010);
        assert_eq!(audits(db), 1);
    }

    fn a_repeat_shows_afresh_under_the_same_identity_and_audits_once_even_after_a_rotation(db) {
        found(db, &["acme"]);
        let (_, first) = export(&db.database, ring(), "ticket-1");
        fill(db, "ada", 1, 1_000);

        let (counts, again) = export(&db.database, ring(), "ticket-1");
        let rotated = KeyRing::new(&["a newer secret, also of more than 32 characters", SECRET]).unwrap();
        let (_, later) = export(&db.database, rotated, "ticket-1");

        assert_eq!(counts.unwrap().total(), 10);
        assert_eq!((&first.head, &again.head), (&again.head, &later.head));
        assert_eq!(audits(db), 1);
        export(&db.database, ring(), "ticket-2").0.unwrap();
        assert_eq!(audits(db), 2);
    }

    fn nothing_is_shown_of_a_user_who_is_being_erased_and_empty_lists_afterwards(db) {
        found(db, &["acme"]);
        fill(db, "ada", 1, 1_000);
        let purge = open(&db.database, "ada", "ticket-1");
        within(&db.database, |tx| tx.barriers().raise(&refs("ada", "any").subject, &purge.id, at(1))).unwrap();

        let (refused, shown) = export(&db.database, ring(), "ticket-2");

        assert_eq!((refused, shown.head), (Err(GovernanceError::BeingErased), None));
        erase(&db.database, "ada", "ticket-1").unwrap();
        let (counts, shown) = export(&db.database, ring(), "ticket-2");
        assert_eq!((counts, shown.lists.len()), (Ok(Counts::zero()), Target::ALL.len()));
    }

    fn a_preview_counts_what_an_erasure_then_deletes(db) {
        found(db, &["acme"]);
        fill(db, "ada", 4, 1_000);
        let preview = PreviewErase::new(Arc::new(db.database.clone()), Arc::new(ring()));

        let seen = preview.preview(&org("acme"), &user("ada")).unwrap();

        let governance::EraseAnswer::Complete(report) = erase(&db.database, "ada", "ticket-1").unwrap() else {
            panic!("not complete")
        };
        assert_eq!((seen.counts, seen.agent_playbooks), (report.deleted, report.unlinked));
        assert_eq!(db.number("SELECT count(*) AS n FROM audit_events"), 1);
    }
}
