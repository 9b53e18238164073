//! The rules of importing results.

use kernel::{Barrier, RunsOnce};

use super::*;
use crate::FailureType;
use crate::ports::MockResultTx;
use crate::samples::{at, clock_at, failure, identity, org, success};

const NOW: i64 = 5_000;

fn row(user: &str, session: &str, created_at: Option<i64>) -> ImportRow {
    ImportRow { identity: identity(user, session), created_at: created_at.map(at), judgement: success() }
}

fn import(tx: MockResultTx, rows: Vec<ImportRow>) -> Result<Intake, EvaluationError> {
    let import = ImportResults::new(Arc::new(RunsOnce::on(tx)), clock_at(NOW));
    import.import(&org(), &ImportBatch::new(rows).unwrap())
}

/// A transaction that admits everybody, knows these sessions, and holds these results.
fn open_tx(known: Vec<(SessionKey, SessionStart)>, existing: Vec<AgentSuccessResult>) -> MockResultTx {
    let mut tx = MockResultTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_session_starts().return_once(move |_| Ok(known));
    tx.expect_existing().return_once(move |_| Ok(existing));
    tx
}

fn kept(row: &ImportRow, created_at: i64) -> AgentSuccessResult {
    AgentSuccessResult {
        result_id: 1,
        identity: row.identity.clone(),
        created_at: at(created_at),
        judged_at: at(1),
        judgement: row.judgement.clone(),
    }
}

#[test]
fn an_import_holds_at_most_1000_rows() {
    let rows = |count| vec![row("ada", "s", Some(1)); count];

    assert!(ImportBatch::new(rows(1_000)).is_ok());
    assert_eq!(ImportBatch::new(rows(1_001)), Err(BatchTooLarge { most: 1_000 }));
}

#[test]
fn a_session_we_do_not_know_takes_the_rows_own_time_and_the_empty_source() {
    let mut tx = open_tx(vec![], vec![]);
    let expected = JudgedResult {
        identity: identity("ada", "s1"),
        created_at: at(70),
        source: Source::unstated(),
        judged_at: at(NOW),
        judgement: success(),
        judge: None,
    };
    tx.expect_keep().withf(move |rows| rows == [expected.clone()]).times(1).return_const(Ok(()));

    let intake = import(tx, vec![row("ada", "s1", Some(70))]);

    assert_eq!(intake, Ok(Intake { imported: 1, updated: 0 }));
}

#[test]
fn for_a_session_we_know_its_first_request_time_and_source_stand() {
    let web = Source::new("web").unwrap();
    let known = (identity("ada", "s1").session, SessionStart { at: at(40), source: web.clone() });
    let mut tx = open_tx(vec![known], vec![]);
    tx.expect_keep()
        .withf(move |rows| rows[0].created_at == at(40) && rows[0].source == web)
        .times(1)
        .return_const(Ok(()));

    assert!(import(tx, vec![row("ada", "s1", Some(70))]).is_ok());
}

#[test]
fn a_row_of_an_unknown_session_without_a_time_stores_nothing_and_is_named() {
    let mut tx = open_tx(vec![], vec![]);
    tx.expect_keep().never();

    let refused = import(tx, vec![row("zoe", "s1", None), row("ada", "s1", Some(1)), row("ada", "s2", None)]);

    assert_eq!(refused, Err(EvaluationError::CreatedAtMissing { rows: vec![0, 2] }));
}

#[test]
fn an_unchanged_repeat_counts_in_neither_and_writes_nothing() {
    let same = row("ada", "s1", Some(70));
    let mut tx = open_tx(vec![], vec![kept(&same, 70)]);
    tx.expect_keep().never();

    assert_eq!(import(tx, vec![same]), Ok(Intake::default()));
}

#[test]
fn a_row_that_changed_is_updated_and_its_unchanged_neighbours_are_left_alone() {
    let (same, moved, changed) =
        (row("ada", "s1", Some(70)), row("ada", "s2", Some(71)), row("ada", "s3", Some(72)));
    let before = [kept(&same, 70), kept(&moved, 99), kept(&changed, 72)];
    let mut tx = open_tx(vec![], before.to_vec());
    tx.expect_keep().withf(|rows| rows.len() == 2).times(1).return_const(Ok(()));
    let now_failed = ImportRow { judgement: failure(FailureType::WrongTool), ..changed };

    let intake = import(tx, vec![same, moved, now_failed]);

    assert_eq!(intake, Ok(Intake { imported: 0, updated: 2 }));
}

#[test]
fn of_two_rows_of_one_identity_the_later_stands() {
    let mut tx = open_tx(vec![], vec![]);
    tx.expect_keep()
        .withf(|rows| rows.len() == 1 && rows[0].judgement == failure(FailureType::WrongAnswer))
        .times(1)
        .return_const(Ok(()));
    let first = row("ada", "s1", Some(70));
    let second = ImportRow { judgement: failure(FailureType::WrongAnswer), ..first.clone() };

    assert_eq!(import(tx, vec![first, second]), Ok(Intake { imported: 1, updated: 0 }));
}

#[test]
fn two_users_with_one_session_id_are_two_results() {
    let mut tx = open_tx(vec![], vec![]);
    tx.expect_keep().withf(|rows| rows.len() == 2).times(1).return_const(Ok(()));

    let intake = import(tx, vec![row("ada", "s1", Some(1)), row("bob", "s1", Some(1))]);

    assert_eq!(intake, Ok(Intake { imported: 2, updated: 0 }));
}

#[test]
fn a_batch_that_names_one_barred_user_stores_nothing() {
    let mut tx = MockResultTx::new();
    tx.expect_admit()
        .withf(|users| users.iter().map(UserId::as_str).eq(["ada", "bob"]))
        .return_const(Err(StoreError::Barred(Barrier::Erased)));
    tx.expect_keep().never();

    let refused =
        import(tx, vec![row("bob", "s1", Some(1)), row("ada", "s1", Some(1)), row("ada", "s2", Some(1))]);

    assert_eq!(refused, Err(EvaluationError::Store(StoreError::Barred(Barrier::Erased))));
}
