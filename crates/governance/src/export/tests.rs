//! An export shows everything, once on record, and nothing of a user who is being erased.

use super::*;
use crate::ports::MockGovernanceTx;
use crate::testing::snapshot::Looked;
use crate::testing::{Log, Logged, asked, at, clock, org, refs, ring};

/// A sink that writes down what it got; each row costs patience, and without any it is gone.
struct Written {
    log: Log,
    patience: u64,
}

impl ExportSink for Written {
    fn begin(&mut self, head: &ExportHead) -> Result<(), ReceiverGone> {
        self.log.note(format!("head {} {}", head.subject_ref, head.export_id));
        Ok(())
    }

    fn list(&mut self, target: Target) -> Result<(), ReceiverGone> {
        self.log.note(target.as_str());
        Ok(())
    }

    fn row(&mut self, _row: &ExportRow) -> Result<(), ReceiverGone> {
        let Some(left) = self.patience.checked_sub(1) else {
            self.log.note("refused");
            return Err(ReceiverGone);
        };
        self.patience = left;
        self.log.note("row");
        Ok(())
    }

    fn settle(&mut self) -> Result<(), ReceiverGone> {
        self.log.note("settle");
        if self.patience == 0 { Err(ReceiverGone) } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), ReceiverGone> {
        self.log.note("finish");
        Ok(())
    }
}

fn export(
    looked: Looked,
    tx: MockGovernanceTx,
    patience: u64,
) -> (Result<Counts, GovernanceError>, Vec<String>) {
    export_with(ring(), looked, tx, patience)
}

fn export_with(
    keys: KeyRing,
    looked: Looked,
    tx: MockGovernanceTx,
    patience: u64,
) -> (Result<Counts, GovernanceError>, Vec<String>) {
    let log = Log::default();
    let mut sink = Written { log: log.clone(), patience };
    let act = ExportUser::new(Logged::on(tx, &log), Arc::new(looked), Arc::new(keys), clock(40));
    let outcome = act.export(&org(), &asked("ticket-1"), &mut sink);
    (outcome, log.lines())
}

fn never_exported() -> MockGovernanceTx {
    let mut tx = MockGovernanceTx::default();
    tx.audit.expect_succeeded().return_const(Ok(None));
    tx
}

#[test]
fn an_export_shows_one_list_per_target_and_is_on_record_before_it_ends() {
    let mut tx = never_exported();
    tx.audit
        .expect_append()
        .times(1)
        .withf(|entry| {
            let said = (entry.operation, entry.outcome, entry.at);
            said == (Operation::Export, Outcome::Ok, at(40))
                && entry.refs == refs("ticket-1")
                && entry.counts.get(Target::Interactions) == 2
        })
        .return_const(Ok(()));

    let (counts, lines) = export(Looked::at(&[("interactions", 2), ("profiles", 1)]), tx, 9);

    assert_eq!(counts.unwrap().total(), 3);
    let head = format!("head {} {}", refs("ticket-1").subject, refs("ticket-1").export_id(&org()));
    let mut expected = vec![head, "profiles".to_owned(), "row".to_owned()];
    for target in &Target::ALL[1..] {
        expected.push(target.as_str().to_owned());
        if *target == Target::Interactions {
            expected.extend(["row".to_owned(), "row".to_owned()]);
        }
    }
    expected.extend(["settle", "begin", "commit", "finish"].map(str::to_owned));
    assert_eq!(lines, expected);
}

#[test]
fn a_repeat_shows_afresh_and_writes_no_second_row() {
    let mut tx = MockGovernanceTx::default();
    tx.audit.expect_succeeded().return_const(Ok(Some(refs("ticket-1"))));
    tx.audit.expect_append().never();

    let (counts, lines) = export(Looked::at(&[("interactions", 2)]), tx, 9);

    assert_eq!(counts.unwrap().total(), 2);
    assert_eq!(lines.last().unwrap(), "finish");
}

#[test]
fn a_repeat_after_a_rotation_of_keys_keeps_its_identity() {
    let keys =
        KeyRing::new(&["ffffffffffffffffffffffffffffffff", "0123456789abcdef0123456789abcdef"]).unwrap();
    let mut tx = MockGovernanceTx::default();
    tx.audit.expect_succeeded().withf(|_, known| known.len() == 2).return_const(Ok(Some(refs("ticket-1"))));
    let looked = Looked::at(&[]).exported(refs("ticket-1"));

    let (_, lines) = export_with(keys, looked, tx, 9);

    assert!(lines[0].ends_with(refs("ticket-1").export_id(&org()).as_str()), "{}", lines[0]);
}

#[test]
fn a_user_who_is_being_erased_is_not_exported() {
    let looked = Looked::at(&[("interactions", 2)]).behind(Barrier::Erasing);

    let (refused, lines) = export(looked, MockGovernanceTx::default(), 9);

    assert_eq!(refused, Err(GovernanceError::BeingErased));
    assert!(lines.is_empty());
}

#[test]
fn an_erased_user_is_exported_as_empty_lists() {
    let mut tx = never_exported();
    tx.audit.expect_append().times(1).withf(|entry| entry.counts.total() == 0).return_const(Ok(()));

    let (counts, lines) = export(Looked::at(&[]).behind(Barrier::Erased), tx, 9);

    assert_eq!(counts.unwrap(), Counts::zero());
    assert_eq!(lines.len(), 1 + Target::ALL.len() + 4);
}

#[test]
fn without_its_audit_row_an_export_is_never_finished() {
    let mut tx = never_exported();
    tx.audit.expect_append().return_const(Err(StoreError::Unavailable("gone".to_owned())));

    let (failed, lines) = export(Looked::at(&[]), tx, 9);

    assert_eq!(failed, Err(StoreError::Unavailable("gone".to_owned()).into()));
    assert!(!lines.contains(&"finish".to_owned()));
}

#[test]
fn a_receiver_that_goes_away_ends_the_export_without_a_row() {
    let mut tx = MockGovernanceTx::default();
    tx.audit.expect_append().never();

    let (failed, lines) = export(Looked::at(&[("interactions", 1_000)]), tx, 3);

    assert_eq!(failed, Err(GovernanceError::ReceiverGone));
    let count = |wanted: &str| lines.iter().filter(|line| *line == wanted).count();
    assert_eq!((count("row"), count("refused")), (3, 1));
}

#[test]
fn a_receiver_that_cannot_make_sure_of_the_rows_ends_the_export_without_a_row() {
    let mut tx = MockGovernanceTx::default();
    tx.audit.expect_append().never();

    let (failed, lines) = export(Looked::at(&[("interactions", 3)]), tx, 3);

    assert_eq!(failed, Err(GovernanceError::ReceiverGone));
    assert_eq!(lines.last().unwrap(), "settle");
}
