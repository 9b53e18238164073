//! The state machine of a purge, transition by transition.

use super::*;
use crate::testing::{at, purge, ticket};

fn failure() -> Failure {
    Failure { code: ErrorCode::Internal, detail: "a defect".to_owned() }
}

fn running() -> Purge {
    purge().claimed(at(20)).unwrap()
}

fn failed() -> Purge {
    running().failed(failure(), at(30)).unwrap()
}

fn complete() -> Purge {
    running().completed(at(30)).unwrap()
}

#[test]
fn a_new_purge_is_pending_and_nobodys() {
    let opened = purge();

    assert_eq!(
        (opened.state.status(), opened.fence, opened.hold),
        (PurgeStatus::Pending, Fence(0), Hold::Free)
    );
    assert_eq!(opened.refs, ticket());
}

#[test]
fn taking_a_pending_purge_makes_it_running_with_the_first_fence() {
    let taken = running();

    assert_eq!((taken.state.status(), taken.fence, taken.hold), (PurgeStatus::Running, Fence(1), Hold::Held));
    assert_eq!(taken.updated_at, at(20));
}

#[test]
fn a_running_purge_is_taken_over_only_once_its_lease_has_run_out() {
    assert_eq!(running().claimed(at(40)), None);

    let stalled = Purge { hold: Hold::Free, ..running() };
    assert_eq!(stalled.claimed(at(40)).unwrap().fence, Fence(2));
}

#[test]
fn a_failed_purge_is_taken_again_and_forgets_its_failure() {
    let again = failed().claimed(at(40)).unwrap();

    assert_eq!((again.state, again.fence), (PurgeState::Running, Fence(2)));
}

#[test]
fn complete_is_final() {
    let done = complete();

    assert_eq!(done.claimed(at(40)), None);
    assert_eq!(done.failed(failure(), at(40)), None);
    assert_eq!(done.completed(at(40)), None);
}

#[test]
fn only_a_running_purge_fails_or_completes() {
    for other in [purge(), failed()] {
        assert_eq!(other.failed(failure(), at(40)), None);
        assert_eq!(other.completed(at(40)), None);
    }
}

#[test]
fn a_complete_purge_says_when() {
    assert_eq!(complete().state, PurgeState::Complete { at: at(30) });
}

#[test]
fn a_purge_never_moves_back_in_time() {
    let done = running().completed(at(5)).unwrap();

    assert_eq!((done.updated_at, done.state), (at(20), PurgeState::Complete { at: at(20) }));
}

#[test]
fn no_transition_touches_identity_or_opening() {
    for later in [running(), failed(), complete()] {
        let opened = purge();
        assert_eq!((later.id, later.refs, later.actor), (opened.id, opened.refs, opened.actor));
        assert_eq!(later.created_at, opened.created_at);
    }
}

#[test]
fn the_background_waits_longer_after_each_failed_attempt_up_to_an_hour() {
    let after = |fence| Purge { fence: Fence(fence), ..failed() }.seconds_to_retry();

    assert_eq!([1, 2, 3, 6, 7, 1000].map(after), [60, 120, 240, 1920, 3600, 3600]);
}

#[test]
fn every_status_and_code_reads_back() {
    for status in PurgeStatus::ALL {
        assert_eq!(PurgeStatus::parse(status.as_str()), Some(status));
    }
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::parse(code.as_str()), Some(code));
    }
    assert_eq!(PurgeStatus::parse("done"), None);
}
