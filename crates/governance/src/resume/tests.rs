//! What nobody works on any more is taken up again.

use kernel::{Barrier, StoreError};
use mockall::Sequence;

use super::*;
use crate::ports::{MockGovernanceTx, MockOnlooker, MockPurgeReader};
use crate::testing::{
    Log, Logged, Stock, ada, at, barrier, clock, endless, erasing, expect_end, holder, org, purge, refs, ring,
};
use crate::{ErrorCode, Fence, Hold, Ledger, Purge};

fn due() -> DuePurge {
    DuePurge { org: org(), purge: purge().id, user: ada() }
}

fn stalled() -> Purge {
    Purge { hold: Hold::Free, ..purge().claimed(at(20)).unwrap() }
}

fn resume(
    tx: MockGovernanceTx,
    dues: Vec<DuePurge>,
    keys: KeyRing,
    onlooker: &dyn Onlooker,
    log: &Log,
) -> Resumed {
    let mut reader = MockPurgeReader::new();
    reader.expect_due().returning(move |_| Ok(dues.clone()));
    ResumePurges::new(Logged::on(tx, log), Arc::new(reader), Arc::new(keys), clock(90), holder())
        .resume(onlooker)
        .unwrap()
}

#[test]
fn a_purge_whose_executor_crashed_is_taken_over_with_a_higher_fence_and_finished() {
    let log = Log::default();
    let mut tx = erasing(&Stock::of(&[("interactions", 4)]), &log);
    let mut order = Sequence::new();
    tx.purges.expect_find().times(1).in_sequence(&mut order).return_const(Ok(Some(stalled())));
    let taken = stalled().claimed(at(90)).unwrap();
    tx.purges.expect_find().times(1).in_sequence(&mut order).return_const(Ok(Some(taken)));
    tx.purges
        .expect_claim()
        .times(1)
        .withf(|_, claimed, _, _| claimed.fence == Fence(2))
        .return_const(Ok(true));
    tx.purges.expect_heartbeat().withf(|lease, _| lease.fence == Fence(2)).return_const(Ok(true));
    tx.purges.expect_waiting().returning(|_| Ok(vec![]));
    expect_end(&mut tx, &log);

    let resumed = resume(tx, vec![due()], ring(), &endless(), &log);

    assert_eq!(resumed, Resumed { worked_on: 1, ..Resumed::default() });
    let lines = log.lines();
    assert!(lines.contains(&"delete interactions 4".to_owned()) && lines.contains(&"complete".to_owned()));
}

#[test]
fn a_purge_that_another_executor_took_meanwhile_is_left_to_it() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(Some(stalled())));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.purges.expect_claim().times(1).return_const(Ok(false));
    tx.purges.expect_heartbeat().never();

    let resumed = resume(tx, vec![due()], ring(), &endless(), &log);

    assert_eq!(resumed, Resumed { left: 1, ..Resumed::default() });
}

#[test]
fn one_purge_that_fails_does_not_keep_the_others_waiting() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    let mut order = Sequence::new();
    let gone = StoreError::Unavailable("gone".to_owned());
    tx.purges.expect_find().times(1).in_sequence(&mut order).return_const(Err(gone.clone()));
    tx.purges.expect_find().times(1).in_sequence(&mut order).return_const(Ok(None));

    let resumed = resume(tx, vec![due(), due()], ring(), &endless(), &log);

    assert_eq!(resumed, Resumed { left: 1, failed: vec![gone.into()], ..Resumed::default() });
}

#[test]
fn a_failed_attempt_is_reported_with_its_code() {
    let log = Log::default();
    let mut tx = MockGovernanceTx::default();
    let mut order = Sequence::new();
    let taken = stalled().claimed(at(90));
    tx.purges.expect_find().times(1).in_sequence(&mut order).return_const(Ok(Some(stalled())));
    tx.purges.expect_find().times(1).in_sequence(&mut order).return_const(Ok(taken));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.purges.expect_claim().return_const(Ok(true));
    tx.purges.expect_heartbeat().return_const(Err(StoreError::Failed("disk".to_owned())));
    tx.purges.expect_fail().times(1).withf(|_, _, seconds| *seconds == 120).return_const(Ok(true));
    tx.ledgers.expect_read().returning(|_| Ok(Ledger::default()));
    tx.audit.expect_append().times(1).return_const(Ok(()));

    let resumed = resume(tx, vec![due()], ring(), &endless(), &log);

    let failed = GovernanceError::EraseFailed { purge: purge().id, code: ErrorCode::Internal };
    assert_eq!(resumed, Resumed { failed: vec![failed], ..Resumed::default() });
}

#[test]
fn a_barrier_raised_under_a_key_that_left_the_ring_is_found_through_the_purge() {
    let log = Log::default();
    let keys = KeyRing::new(&["ffffffffffffffffffffffffffffffff"]).unwrap();
    let mut tx = MockGovernanceTx::default();
    tx.purges.expect_find().return_const(Ok(Some(stalled())));
    let old = refs("ticket-1").subject;
    tx.barriers
        .expect_find()
        .times(1)
        .withf(move |subject| subject.len() == 2 && subject.contains(&old))
        .returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    tx.barriers.expect_raise().never();
    tx.purges.expect_claim().return_const(Ok(false));

    assert_eq!(resume(tx, vec![due()], keys, &endless(), &log).left, 1);
}

#[test]
fn a_server_that_stops_takes_up_nothing_new() {
    let log = Log::default();
    let mut stopping = MockOnlooker::new();
    stopping.expect_goes_on().return_const(ControlFlow::Break(()));

    let resumed = resume(MockGovernanceTx::default(), vec![due()], ring(), &stopping, &log);

    assert_eq!(resumed, Resumed::default());
    assert!(log.lines().is_empty());
}
