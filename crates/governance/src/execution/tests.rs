//! Steps 3 to 5 of an erasure: chunks, fences, the final transaction, and what a failure leaves.

use std::ops::ControlFlow;

use mockall::Sequence;

use super::*;
use crate::ports::{MockGovernanceTx, MockOnlooker};
use crate::taking::Subject;
use crate::testing::{
    Log, Logged, Stock, ada, at, barrier, clock, endless, erasing, expect_end, holder, org, purge, purge_of,
    refs, whole_ledger,
};
use crate::{AgentPlaybookId, Fence, Lease, Ledger, PurgeState, Target};

fn task() -> Task {
    let lease = Lease { purge: purge().id, holder: holder(), fence: Fence(1) };
    Task { lease, subject: Subject { user: ada(), refs: vec![refs("ticket-1").subject] } }
}

fn execute(tx: MockGovernanceTx, log: &Log, onlooker: &dyn Onlooker) -> Result<(), ErrorCode> {
    Executor::new(Logged::on(tx, log), clock(50)).execute(&org(), &task(), onlooker)
}

fn beats(tx: &mut MockGovernanceTx, log: &Log) {
    let noted = log.clone();
    tx.purges.expect_heartbeat().returning(move |lease, _| {
        assert_eq!(lease.fence, Fence(1));
        noted.note("heartbeat");
        Ok(true)
    });
}

fn nobody_waits(tx: &mut MockGovernanceTx) {
    tx.purges.expect_waiting().returning(|_| Ok(vec![]));
}

/// Mocks that fail an attempt and write it down.
fn may_fail(tx: &mut MockGovernanceTx, log: &Log) {
    tx.purges.expect_find().returning(|_| Ok(purge().claimed(at(20))));
    tx.ledgers.expect_read().returning(|_| Ok(whole_ledger()));
    let noted = log.clone();
    tx.purges.expect_fail().returning(move |_, failed, seconds| {
        let PurgeState::Failed(failure) = &failed.state else { panic!("not failed") };
        noted.note(format!("fail {} retry in {seconds}", failure.code.as_str()));
        Ok(true)
    });
}

#[test]
fn a_small_user_is_erased_in_one_chunk_and_one_final_transaction() {
    let log = Log::default();
    let stock = Stock::of(&[("interactions", 3), ("requests", 1), ("profiles", 2)]);
    let mut tx = erasing(&stock, &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);

    let done = execute(tx, &log, &endless());

    assert_eq!(done, Ok(()));
    let transactions = log.transactions();
    assert_eq!(transactions.len(), 2);
    assert_eq!(transactions[1], ["audit ERASE ok", "mark erased", "complete", "commit"]);
}

#[test]
fn every_declared_table_is_worked_through_and_every_target_enters_the_ledger() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);

    execute(tx, &log, &endless()).unwrap();

    let lines = log.lines();
    for table in plan() {
        assert!(lines.iter().any(|line| line.contains(&format!(" {} 0", table.name))), "{}", table.name);
    }
    for target in Target::ALL {
        assert!(lines.contains(&format!("add {} 0", target.as_str())), "{target:?}");
    }
}

#[test]
fn no_transaction_erases_more_rows_than_a_chunk() {
    let log = Log::default();
    let stock = Stock::of(&[("playbook_source_links", 300), ("interactions", 1_201), ("requests", 400)]);
    let mut tx = erasing(&stock, &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);

    execute(tx, &log, &endless()).unwrap();

    let erased: Vec<u64> = log.transactions().iter().map(|lines| rows_erased(lines)).collect();
    assert_eq!(erased, [500, 500, 500, 401, 0]);
}

fn rows_erased(lines: &[String]) -> u64 {
    let verbs = ["delete ", "unlink ", "blank "];
    let erasing = lines.iter().filter(|line| verbs.iter().any(|verb| line.starts_with(verb)));
    erasing.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

#[test]
fn each_chunk_checks_the_fence_before_it_deletes() {
    let log = Log::default();
    let mut tx = erasing(&Stock::of(&[("interactions", 1_200)]), &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);

    execute(tx, &log, &endless()).unwrap();

    let transactions = log.transactions();
    let (_, chunks) = transactions.split_last().unwrap();
    assert_eq!(chunks.len(), 3);
    assert!(chunks.iter().all(|lines| lines[0] == "heartbeat"));
}

#[test]
fn rows_enter_the_ledger_in_the_transaction_that_deletes_them() {
    let log = Log::default();
    let mut tx = erasing(&Stock::of(&[("interactions", 700), ("playbook_source_links", 2)]), &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);

    execute(tx, &log, &endless()).unwrap();

    let transactions = log.transactions();
    let has = |transaction: usize, line: &str| transactions[transaction].iter().any(|noted| noted == line);
    assert!(has(0, "unlink playbook_source_links 2"));
    assert!(has(0, &format!("add unlinked {:?}", [AgentPlaybookId(0), AgentPlaybookId(1)])));
    assert!(has(0, "delete interactions 498") && has(0, "add interactions 498"));
    assert!(has(1, "delete interactions 202") && has(1, "add interactions 202"));
}

#[test]
fn an_executor_that_lost_its_lease_deletes_nothing_more_and_marks_nothing_failed() {
    let log = Log::default();
    let mut tx = erasing(&Stock::of(&[("interactions", 1)]), &log);
    tx.purges.expect_heartbeat().return_const(Ok(false));
    tx.purges.expect_fail().never();

    let stopped = execute(tx, &log, &endless());

    assert_eq!(stopped, Ok(()));
    assert_eq!(log.lines(), ["begin", "roll back"]);
}

#[test]
fn an_executor_that_lost_its_lease_before_the_end_completes_nothing() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    let taken_over = crate::Purge { fence: Fence(2), ..purge().claimed(at(20)).unwrap() };
    tx.purges.expect_find().return_const(Ok(Some(taken_over)));
    tx.purges.expect_complete().never();
    tx.purges.expect_fail().never();

    let stopped = execute(tx, &log, &endless());

    assert_eq!(stopped, Ok(()));
    assert_eq!(log.transactions().last().unwrap(), &["roll back"]);
}

#[test]
fn a_complete_that_loses_the_compare_and_set_rolls_its_audit_row_back() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    tx.purges.expect_complete().times(1).return_const(Ok(false));
    tx.purges.expect_fail().never();
    expect_end(&mut tx, &log);

    let stopped = execute(tx, &log, &endless());

    assert_eq!(stopped, Ok(()));
    assert_eq!(log.transactions().last().unwrap().last().unwrap(), "roll back");
}

#[test]
fn an_erase_is_not_complete_while_a_row_survives() {
    for survivor in plan() {
        let log = Log::default();
        let mut tx = MockGovernanceTx::default();
        beats(&mut tx, &log);
        let name = survivor.name;
        tx.rows.expect_is_empty().returning(move |_, table| Ok(table.name != name));
        let noted = log.clone();
        tx.rows.expect_delete().returning(|_, _, _| Ok(0));
        tx.rows.expect_blank().returning(|_, _, _| Ok(0));
        tx.rows.expect_unlink().returning(|_, _, _| Ok(vec![]));
        tx.ledgers.expect_add().returning(|_, _, _| Ok(()));
        tx.ledgers.expect_add_unlinked().returning(|_, _| Ok(()));
        tx.audit.expect_append().returning(move |entry| {
            noted.note(format!("audit {}", entry.outcome.as_str()));
            Ok(())
        });
        tx.purges.expect_complete().never();
        tx.barriers.expect_mark_erased().never();
        may_fail(&mut tx, &log);

        let failed = execute(tx, &log, &endless());

        assert_eq!(failed, Err(ErrorCode::SubjectNotEmpty), "{name}");
        let last = log.transactions().pop().unwrap();
        assert_eq!(last, ["fail subject_not_empty retry in 60", "audit error", "commit"], "{name}");
    }
}

#[test]
fn a_row_that_slipped_past_is_taken_away_in_another_pass() {
    let (log, stock) = (Log::default(), Stock::of(&[("interactions", 3)]));
    let mut tx = erasing(&stock, &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);
    let mut onlooker = MockOnlooker::new();
    onlooker.expect_goes_on().return_const(ControlFlow::Continue(()));
    onlooker.expect_advanced().times(1).returning(move |_| stock.put("interactions", 1));
    onlooker.expect_advanced().return_const(());

    execute(tx, &log, &onlooker).unwrap();

    let taken: Vec<_> = log.lines().into_iter().filter(|line| line.contains("delete interactions")).collect();
    assert_eq!(taken, ["delete interactions 3", "delete interactions 1"]);
}

#[test]
fn an_erase_is_not_complete_while_its_ledger_misses_a_target() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    let mut holed = whole_ledger();
    holed.recorded.remove(&Target::Sessions);
    tx.ledgers.expect_read().return_const(Ok(holed));
    tx.purges.expect_complete().never();
    may_fail(&mut tx, &log);

    let failed = execute(tx, &log, &endless());

    assert_eq!(failed, Err(ErrorCode::Internal));
}

#[test]
fn a_failure_keeps_the_barrier_up_and_leaves_an_error_row() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    beats(&mut tx, &log);
    may_fail(&mut tx, &log);
    tx.rows.expect_unlink().return_const(Err(StoreError::Failed("disk".to_owned())));
    tx.barriers.expect_mark_erased().never();
    tx.barriers.expect_raise().never();
    let noted = log.clone();
    tx.audit.expect_append().times(1).returning(move |entry| {
        noted.note(format!("audit {:?} {}", entry.outcome, entry.refs == refs("ticket-1")));
        Ok(())
    });

    let failed = execute(tx, &log, &endless());

    assert_eq!(failed, Err(ErrorCode::Internal));
    let transactions = log.transactions();
    assert_eq!(transactions[0].last().unwrap(), "roll back");
    assert_eq!(transactions[1], ["fail internal retry in 60", "audit Error true", "commit"]);
}

#[test]
fn an_error_row_counts_what_had_been_deleted() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    beats(&mut tx, &log);
    let so_far = Ledger { recorded: [(Target::Interactions, 500)].into(), ..Ledger::default() };
    tx.ledgers.expect_read().return_const(Ok(so_far));
    tx.rows.expect_unlink().return_const(Err(StoreError::Unavailable("gone".to_owned())));
    tx.audit
        .expect_append()
        .times(1)
        .withf(|entry| entry.counts.get(Target::Interactions) == 500)
        .return_const(Ok(()));
    may_fail(&mut tx, &log);

    assert_eq!(execute(tx, &log, &endless()), Err(ErrorCode::StorageUnavailable));
}

#[test]
fn a_failed_mark_of_a_purge_that_another_took_leaves_no_error_row() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    beats(&mut tx, &log);
    tx.rows.expect_unlink().return_const(Err(StoreError::Failed("disk".to_owned())));
    tx.purges.expect_find().returning(|_| Ok(purge().claimed(at(20))));
    tx.purges.expect_fail().times(1).return_const(Ok(false));
    tx.audit.expect_append().never();

    assert_eq!(execute(tx, &log, &endless()), Ok(()));
}

#[test]
fn a_chunk_that_lost_to_other_writers_is_run_again() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    let mut order = Sequence::new();
    let contended = Err(StoreError::Contended);
    tx.purges.expect_heartbeat().times(3).in_sequence(&mut order).return_const(contended);
    tx.purges.expect_heartbeat().times(1).in_sequence(&mut order).return_const(Ok(true));
    nobody_waits(&mut tx);
    expect_end(&mut tx, &log);

    assert_eq!(execute(tx, &log, &endless()), Ok(()));
}

#[test]
fn an_attempt_that_always_loses_to_other_writers_fails_in_the_end() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    tx.purges.expect_heartbeat().times(21).return_const(Err(StoreError::Contended));
    may_fail(&mut tx, &log);

    assert_eq!(execute(tx, &log, &endless()), Err(ErrorCode::StorageUnavailable));
}

#[test]
fn when_patience_runs_out_the_lease_is_given_back_between_chunks() {
    let log = Log::default();
    let mut tx = erasing(&Stock::of(&[("interactions", 5_000)]), &log);
    beats(&mut tx, &log);
    let noted = log.clone();
    tx.purges.expect_release().times(1).returning(move |_| {
        noted.note("release");
        Ok(true)
    });
    let mut onlooker = MockOnlooker::new();
    let mut order = Sequence::new();
    let (go, stop) = (ControlFlow::Continue(()), ControlFlow::Break(()));
    onlooker.expect_goes_on().times(2).in_sequence(&mut order).return_const(go);
    onlooker.expect_goes_on().times(1).in_sequence(&mut order).return_const(stop);
    onlooker.expect_advanced().withf(|rows| *rows == 500).times(2).return_const(());

    let paused = execute(tx, &log, &onlooker);

    assert_eq!(paused, Ok(()));
    assert_eq!(log.transactions().len(), 3);
    assert_eq!(log.transactions()[2], ["release", "commit"]);
}

#[test]
fn tickets_that_waited_complete_in_the_final_transaction_with_zero_counts_and_rows_of_their_own() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    expect_end(&mut tx, &log);
    tx.purges.expect_waiting().returning(|_| Ok(vec![purge_of("ticket-2"), purge_of("ticket-3")]));
    tx.purges.expect_claim().times(2).return_const(Ok(true));

    execute(tx, &log, &endless()).unwrap();

    let last = log.transactions().pop().unwrap();
    let count = |wanted: &str| last.iter().filter(|line| *line == wanted).count();
    assert_eq!((count("audit ERASE ok"), count("complete"), count("mark erased")), (3, 3, 1));
    assert_eq!(count("add interactions 0"), 2);
}

#[test]
fn a_barrier_that_is_erased_already_stays_so() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    nobody_waits(&mut tx);
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-0", Barrier::Erased))));
    tx.barriers.expect_mark_erased().never();
    expect_end(&mut tx, &log);

    assert_eq!(execute(tx, &log, &endless()), Ok(()));
    assert!(log.lines().contains(&"complete".to_owned()));
}

#[test]
fn a_barrier_that_vanished_fails_the_attempt() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    beats(&mut tx, &log);
    tx.barriers.expect_find().return_const(Ok(None));
    tx.purges.expect_complete().never();
    may_fail(&mut tx, &log);

    assert_eq!(execute(tx, &log, &endless()), Err(ErrorCode::Internal));
}
