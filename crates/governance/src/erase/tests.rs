//! Opening tickets: first, repeated, second, late, and after a rotation of keys.

use kernel::Barrier;
use mockall::predicate::eq;

use super::*;
use crate::ports::{MockGovernanceTx, MockPurgeReader};
use crate::testing::{
    Log, Logged, Stock, ada, asked, at, barrier, clock, endless, erasing, expect_end, holder, org, purge,
    purge_of, refs, ring, whole_ledger,
};
use crate::{ErrorCode, Failure, Hold, Ledger, Operation, Outcome, PurgeStatus, Target};

fn reading(purge: &Purge, ledger: &Ledger) -> MockPurgeReader {
    let mut reader = MockPurgeReader::new();
    let record = PurgeRecord { purge: purge.clone(), ledger: ledger.clone() };
    reader.expect_find().returning(move |_, id| Ok((*id == record.purge.id).then(|| record.clone())));
    reader
}

fn running() -> Purge {
    purge().claimed(at(20)).unwrap()
}

fn complete() -> Purge {
    running().completed(at(30)).unwrap()
}

fn erase_with(
    tx: MockGovernanceTx,
    reader: MockPurgeReader,
    keys: KeyRing,
    request: &str,
    log: &Log,
) -> Result<EraseAnswer, GovernanceError> {
    let store = Logged::on(tx, log);
    EraseUser::new(store, Arc::new(reader), Arc::new(keys), clock(20), holder()).erase(
        &org(),
        &asked(request),
        &endless(),
    )
}

fn erase(
    tx: MockGovernanceTx,
    reader: MockPurgeReader,
    request: &str,
) -> Result<EraseAnswer, GovernanceError> {
    erase_with(tx, reader, ring(), request, &Log::default())
}

#[test]
fn a_new_ticket_opens_its_purge_raises_the_barrier_and_takes_the_lease_in_one_transaction() {
    let log = Log::default();
    let mut tx = erasing(&Stock::of(&[("interactions", 2)]), &log);
    tx.purges.expect_find().with(eq(purge().id)).times(1).return_const(Ok(None));
    tx.barriers.expect_find().times(1).return_const(Ok(None));
    let (opened, raised, claimed) = (log.clone(), log.clone(), log.clone());
    tx.purges.expect_insert().times(1).returning(move |purge, user| {
        opened.note(format!("insert {} {user}", purge.state.status().as_str()));
        Ok(())
    });
    tx.barriers.expect_raise().times(1).returning(move |subject, owner, _| {
        assert_eq!((subject, owner), (&refs("ticket-1").subject, &purge().id));
        raised.note("raise");
        Ok(())
    });
    tx.purges.expect_claim().times(1).returning(move |_, purge, _, _| {
        claimed.note(format!("claim {}", purge.fence.0));
        Ok(true)
    });
    tx.purges.expect_heartbeat().return_const(Ok(true));
    tx.purges.expect_waiting().returning(|_| Ok(vec![]));
    expect_end(&mut tx, &log);
    let mut ledger = whole_ledger();
    ledger.recorded.insert(Target::Interactions, 2);
    ledger.unlinked = [AgentPlaybookId(9), AgentPlaybookId(4)].into();

    let answer = erase_with(tx, reading(&complete(), &ledger), ring(), "ticket-1", &log);

    let Ok(EraseAnswer::Complete(report)) = answer else { panic!("{answer:?}") };
    assert_eq!((report.view.status, report.view.completed_at), (PurgeStatus::Complete, Some(at(30))));
    assert_eq!((report.deleted.get(Target::Interactions), report.deleted.total()), (2, 2));
    assert_eq!(report.unlinked, [AgentPlaybookId(4), AgentPlaybookId(9)]);
    assert_eq!(log.transactions()[0], ["insert pending ada", "raise", "claim 1", "commit"]);
}

#[test]
fn a_repeat_of_a_complete_ticket_answers_what_is_stored_and_changes_nothing() {
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(Some(complete())));
    tx.purges.expect_insert().never();
    tx.purges.expect_claim().never();
    tx.audit.expect_append().never();

    let answer = erase(tx, reading(&complete(), &whole_ledger()), "ticket-1");

    let Ok(EraseAnswer::Complete(report)) = answer else { panic!("{answer:?}") };
    assert_eq!(report.view, PurgeView::of(&complete()));
}

#[test]
fn a_repeat_while_another_executor_holds_the_lease_is_told_that_it_runs() {
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(Some(running())));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.purges.expect_claim().never();

    let answer = erase(tx, reading(&running(), &Ledger::default()), "ticket-1");

    assert_eq!(answer, Ok(EraseAnswer::Running(PurgeView::of(&running()))));
}

#[test]
fn of_two_repeats_that_found_the_same_purge_the_one_that_loses_the_claim_executes_nothing() {
    let mut tx = MockGovernanceTx::default();
    let stalled = Purge { hold: Hold::Free, ..running() };
    tx.purges.expect_find().return_const(Ok(Some(stalled)));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.purges.expect_claim().times(1).return_const(Ok(false));
    tx.purges.expect_heartbeat().never();

    let answer = erase(tx, reading(&running(), &Ledger::default()), "ticket-1");

    assert_eq!(answer, Ok(EraseAnswer::Running(PurgeView::of(&running()))));
}

#[test]
fn a_second_ticket_for_an_erased_user_is_complete_at_once_with_zero_counts_and_its_own_audit_row() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(None));
    tx.purges.expect_insert().times(1).return_const(Ok(()));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erased))));
    tx.barriers.expect_raise().never();
    tx.rows.expect_is_empty().return_const(Ok(true));
    tx.purges.expect_claim().times(1).return_const(Ok(true));
    tx.ledgers.expect_add().times(10).withf(|_, _, rows| *rows == 0).return_const(Ok(()));
    tx.audit
        .expect_append()
        .times(1)
        .withf(|entry| {
            let said = (entry.operation, entry.outcome, entry.counts.total());
            entry.refs == refs("ticket-2") && said == (Operation::Erase, Outcome::Ok, 0)
        })
        .return_const(Ok(()));
    tx.purges.expect_complete().times(1).withf(|_, purge| purge.is_complete()).return_const(Ok(true));
    let second = purge_of("ticket-2").claimed(at(20)).unwrap().completed(at(20)).unwrap();

    let answer = erase_with(tx, reading(&second, &whole_ledger()), ring(), "ticket-2", &log);

    let Ok(EraseAnswer::Complete(report)) = answer else { panic!("{answer:?}") };
    assert_eq!((report.view.purge_id, report.deleted.total()), (refs("ticket-2").purge_id(&org()), 0));
    assert_eq!(log.lines(), ["begin", "commit"]);
}

#[test]
fn a_second_ticket_while_the_first_runs_gets_its_own_purge_and_waits() {
    let mut tx = MockGovernanceTx::default();
    let (first, second) = (running(), purge_of("ticket-2"));
    let found = first.clone();
    tx.purges.expect_find().returning(move |id| Ok((*id == found.id).then(|| found.clone())));
    tx.purges
        .expect_insert()
        .times(1)
        .withf(move |purge, user| *purge == at_20(&second) && *user == ada())
        .return_const(Ok(()));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.purges.expect_claim().never();
    let waiting = at_20(&purge_of("ticket-2"));

    let answer = erase(tx, reading(&waiting, &Ledger::default()), "ticket-2");

    let Ok(EraseAnswer::Running(view)) = answer else { panic!("{answer:?}") };
    assert_eq!((view.purge_id, view.status), (waiting.id, PurgeStatus::Pending));
}

fn at_20(purge: &Purge) -> Purge {
    Purge { created_at: at(20), updated_at: at(20), ..purge.clone() }
}

#[test]
fn a_second_ticket_finishes_the_first_when_nobody_else_does() {
    let log = Log::default();
    let mut tx = erasing(&Stock::default(), &log);
    let failure = Failure { code: ErrorCode::Internal, detail: String::new() };
    let failed = running().failed(failure, at(25)).unwrap();
    let mut opened = false;
    tx.purges.expect_find().times(2).returning(move |id| {
        if *id == failed.id {
            opened = true;
            return Ok(Some(failed.clone()));
        }
        assert!(!opened);
        Ok(None)
    });
    tx.purges.expect_insert().times(1).return_const(Ok(()));
    tx.purges.expect_claim().times(1).withf(|found, _, _, _| found.id == purge().id).return_const(Ok(true));
    tx.purges
        .expect_heartbeat()
        .withf(|lease, _| lease.purge == purge().id && lease.fence.0 == 2)
        .return_const(Ok(false));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));

    let answer = erase_with(tx, reading(&purge_of("ticket-2"), &Ledger::default()), ring(), "ticket-2", &log);

    assert!(matches!(answer, Ok(EraseAnswer::Running(_))), "{answer:?}");
}

#[test]
fn rows_behind_an_erased_barrier_are_erased_by_the_next_ticket() {
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(None));
    tx.purges.expect_insert().return_const(Ok(()));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erased))));
    tx.rows.expect_is_empty().return_const(Ok(false));
    tx.purges
        .expect_claim()
        .times(1)
        .withf(|found, _, _, _| found.id == purge_of("ticket-2").id)
        .return_const(Ok(true));
    tx.purges.expect_heartbeat().times(1).return_const(Ok(false));
    tx.purges.expect_complete().never();

    let answer = erase(tx, reading(&purge_of("ticket-2"), &Ledger::default()), "ticket-2");

    assert!(matches!(answer, Ok(EraseAnswer::Running(_))), "{answer:?}");
}

#[test]
fn a_repeat_of_a_failed_ticket_tries_again_with_the_next_fence() {
    let mut tx = MockGovernanceTx::default();
    let failure = Failure { code: ErrorCode::StorageUnavailable, detail: String::new() };
    let failed = running().failed(failure, at(25)).unwrap();
    tx.purges.expect_find().return_const(Ok(Some(failed)));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.barriers.expect_raise().never();
    tx.purges.expect_claim().times(1).withf(|_, claimed, _, _| claimed.fence.0 == 2).return_const(Ok(true));
    tx.purges.expect_heartbeat().times(1).withf(|lease, _| lease.fence.0 == 2).return_const(Ok(false));

    let answer = erase(tx, reading(&running(), &Ledger::default()), "ticket-1");

    assert!(matches!(answer, Ok(EraseAnswer::Running(_))), "{answer:?}");
}

#[test]
fn a_failed_erasure_is_an_error_that_names_the_tickets_own_purge() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().times(1).return_const(Ok(Some(Purge { hold: Hold::Free, ..running() })));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.purges.expect_claim().return_const(Ok(true));
    tx.purges.expect_heartbeat().return_const(Err(StoreError::Unavailable("gone".to_owned())));
    tx.purges.expect_find().return_const(Err(StoreError::Unavailable("gone".to_owned())));

    let answer = erase_with(tx, MockPurgeReader::new(), ring(), "ticket-1", &log);

    let failed = GovernanceError::EraseFailed { purge: purge().id, code: ErrorCode::StorageUnavailable };
    assert_eq!(answer, Err(failed));
}

#[test]
fn a_store_that_cannot_open_a_purge_is_the_callers_error() {
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Err(StoreError::Unavailable("gone".to_owned())));

    let answer = erase(tx, MockPurgeReader::new(), "ticket-1");

    assert_eq!(answer, Err(StoreError::Unavailable("gone".to_owned()).into()));
}

const NEWER: &str = "ffffffffffffffffffffffffffffffffffffffff";

fn rotated() -> KeyRing {
    KeyRing::new(&[NEWER, "0123456789abcdef0123456789abcdef"]).unwrap()
}

#[test]
fn a_repeat_after_a_rotation_of_keys_finds_the_purge_it_opened() {
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().returning(|id| Ok((*id == purge().id).then(complete)));
    tx.purges.expect_insert().never();

    let answer =
        erase_with(tx, reading(&complete(), &whole_ledger()), rotated(), "ticket-1", &Log::default());

    let Ok(EraseAnswer::Complete(report)) = answer else { panic!("{answer:?}") };
    assert_eq!(report.view, PurgeView::of(&complete()));
}

#[test]
fn a_barrier_raised_before_a_rotation_of_keys_still_stands() {
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(None));
    tx.purges.expect_insert().return_const(Ok(()));
    let old = refs("ticket-1").subject;
    tx.barriers
        .expect_find()
        .withf(move |subject| subject.len() == 2 && subject.contains(&old))
        .returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erased))));
    tx.barriers.expect_raise().never();
    tx.rows.expect_is_empty().return_const(Ok(true));
    tx.purges.expect_claim().return_const(Ok(true));
    tx.ledgers.expect_add().return_const(Ok(()));
    tx.audit.expect_append().times(1).return_const(Ok(()));
    tx.purges.expect_complete().times(1).return_const(Ok(true));
    let newest = rotated().ticket_refs(&org(), &ada(), &asked("ticket-2").request);
    let second = Purge::opened(newest.purge_id(&org()), newest, asked("ticket-2").actor, at(20));

    let answer = erase_with(
        tx,
        reading(&second.claimed(at(20)).unwrap().completed(at(20)).unwrap(), &whole_ledger()),
        rotated(),
        "ticket-2",
        &Log::default(),
    );

    assert!(matches!(answer, Ok(EraseAnswer::Complete(_))), "{answer:?}");
}
