//! The rules of grading on demand.

use super::*;
use crate::judging::judge::{JudgeFailure, MockJudge};
use crate::judging::ports::{LastRun, MockJudgingTx, MockPatience, MockSessionClaims, SessionLease};
use crate::judging::testing::{Desk, NOW, concluding, grading, open_tx, record, success};
use crate::samples::{at, org, result, session};

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

fn asking(owner: Option<&str>) -> GradeRequest {
    asking_for("v7", owner)
}

fn asking_for(version: &str, owner: Option<&str>) -> GradeRequest {
    GradeRequest {
        session_id: SessionId::new("s1").unwrap(),
        user_id: owner.map(user),
        agent_version: agent(version),
    }
}

fn agent(version: &str) -> AgentVersion {
    AgentVersion::new(version).unwrap()
}

fn last(freshness: Freshness, judged_at: i64) -> LastRun {
    LastRun {
        freshness,
        learnings: LearningStatus::Degraded,
        result_id: 11,
        agent_version: agent("v7"),
        asked_version: None,
        judged_at: at(judged_at),
    }
}

/// Claims that are free, and must be given back.
fn free() -> MockSessionClaims {
    let mut claims = MockSessionClaims::new();
    let lease = SessionLease { session: session("ada", "s1"), fence: 1 };
    claims.expect_claim().times(1).return_const(Ok(Some(lease.clone())));
    claims.expect_release().withf(move |_, given| *given == lease).times(1).return_const(Ok(()));
    claims
}

fn grade(
    desk: Desk,
    claims: MockSessionClaims,
    request: &GradeRequest,
    patience: &MockPatience,
) -> Result<Graded, EvaluationError> {
    GradeOnDemand::new(desk.build(), Arc::new(claims), Holder("me".to_owned())).grade(
        &org(),
        request,
        patience,
    )
}

fn owned_by(owners: &[&str], mut desk: Desk) -> Desk {
    let owners: Vec<_> = owners.iter().map(|name| user(name)).collect();
    desk.sessions.expect_owners().return_const(Ok(owners));
    desk
}

/// A desk whose session was last graded like this.
fn graded_before(before: Option<LastRun>, judge: MockJudge, tx: MockJudgingTx) -> Desk {
    let mut desk = owned_by(&["ada"], Desk::holding(record(), judge, tx));
    desk.sessions.expect_last_graded().return_const(Ok(before));
    desk
}

fn keeping(result_id: i64) -> MockJudgingTx {
    let mut tx = concluding(open_tx());
    tx.results.expect_keep().times(1).return_const(Ok(()));
    tx.runs.expect_note_asked_version().times(1).return_const(Ok(()));
    let kept = crate::AgentSuccessResult { result_id, ..result("ada", "s1") };
    tx.results.expect_existing().return_const(Ok(vec![kept]));
    tx
}

#[test]
fn a_session_that_is_not_there_is_skipped() {
    let desk = owned_by(&[], Desk::bare(MockJudge::new(), MockJudgingTx::default()));

    let graded = grade(desk, MockSessionClaims::new(), &asking(None), &MockPatience::new());

    assert_eq!(graded, Ok(Graded::NoRequests));
}

#[test]
fn a_user_who_does_not_own_the_session_has_no_such_session() {
    let desk = owned_by(&["ada"], Desk::bare(MockJudge::new(), MockJudgingTx::default()));

    let graded = grade(desk, MockSessionClaims::new(), &asking(Some("bob")), &MockPatience::new());

    assert_eq!(graded, Ok(Graded::NoRequests));
}

#[test]
fn the_owner_who_is_named_is_picked_and_else_the_latest() {
    for (named, expected) in [(Some("bob"), "bob"), (None, "ada")] {
        let mut desk = owned_by(&["ada", "bob"], Desk::bare(MockJudge::new(), MockJudgingTx::default()));
        desk.sessions
            .expect_last_graded()
            .withf(move |_, session| session.user_id.as_str() == expected)
            .times(1)
            .return_const(Ok(Some(last(Freshness::Current, NOW))));

        assert!(grade(desk, MockSessionClaims::new(), &asking(named), &MockPatience::new()).is_ok());
    }
}

#[test]
fn a_result_of_the_last_24_hours_is_cached_with_its_own_number() {
    let young = last(Freshness::Current, NOW - DAY + 1);
    let desk = graded_before(Some(young), MockJudge::new(), MockJudgingTx::default());

    let graded = grade(desk, MockSessionClaims::new(), &asking(None), &MockPatience::new());

    let expected = Graded::Result { result_id: 11, cached: true, learnings: LearningStatus::Degraded };
    assert_eq!(graded, Ok(expected));
}

#[test]
fn a_result_is_cached_for_its_own_version_and_for_the_one_that_was_asked_for() {
    for (asked_before, version, is_cached) in
        [(None, "v7", true), (None, "v8", false), (Some("v8"), "v8", true), (Some("v8"), "v9", false)]
    {
        let before = LastRun { asked_version: asked_before.map(agent), ..last(Freshness::Current, NOW) };
        let request = asking_for(version, None);
        let graded = if is_cached {
            let desk = graded_before(Some(before), MockJudge::new(), MockJudgingTx::default());
            grade(desk, MockSessionClaims::new(), &request, &MockPatience::new())
        } else {
            let desk = graded_before(Some(before), grading(success()), keeping(11));
            grade(desk, free(), &request, &MockPatience::new())
        };

        let Ok(Graded::Result { result_id: 11, cached, .. }) = graded else { panic!("{graded:?}") };
        assert_eq!(cached, is_cached, "{asked_before:?} {version}");
    }
}

#[test]
fn a_session_is_judged_when_never_too_long_ago_or_before_it_changed() {
    let stale = [None, Some(last(Freshness::Current, NOW - DAY)), Some(last(Freshness::Outdated, NOW - 1))];
    for before in stale {
        let desk = graded_before(before, grading(success()), keeping(12));

        let graded = grade(desk, free(), &asking(None), &MockPatience::new());

        let expected =
            Graded::Result { result_id: 12, cached: false, learnings: LearningStatus::NotApplicable };
        assert_eq!(graded, Ok(expected));
    }
}

#[test]
fn a_failed_judge_is_an_error_nothing_is_kept_and_the_claim_is_given_back() {
    let mut judge = MockJudge::new();
    judge.expect_grade_session().return_const(Err(JudgeFailure::TimedOut));
    let mut tx = open_tx();
    tx.results.expect_keep().never();

    let graded = grade(graded_before(None, judge, tx), free(), &asking(None), &MockPatience::new());

    assert_eq!(graded, Err(EvaluationError::Judge(JudgeFailure::TimedOut)));
}

#[test]
fn who_comes_second_waits_for_the_result_of_the_first_and_asks_nobody() {
    let mut desk = owned_by(&["ada"], Desk::bare(MockJudge::new(), MockJudgingTx::default()));
    let mut looks = 0;
    desk.sessions.expect_last_graded().returning(move |_, _| {
        looks += 1;
        Ok((looks > 2).then(|| last(Freshness::Current, NOW)))
    });
    let mut claims = MockSessionClaims::new();
    claims.expect_claim().times(2).return_const(Ok(None));
    let mut patience = MockPatience::new();
    patience.expect_wait().times(2).return_const(ControlFlow::Continue(()));

    let graded = grade(desk, claims, &asking(None), &patience);

    assert!(matches!(graded, Ok(Graded::Result { result_id: 11, cached: true, .. })));
}

#[test]
fn whoever_claims_just_after_a_result_came_takes_that_result() {
    let mut desk = owned_by(&["ada"], Desk::bare(MockJudge::new(), MockJudgingTx::default()));
    let mut looks = 0;
    desk.sessions.expect_last_graded().returning(move |_, _| {
        looks += 1;
        Ok((looks > 1).then(|| last(Freshness::Current, NOW)))
    });

    let graded = grade(desk, free(), &asking(None), &MockPatience::new());

    assert!(matches!(graded, Ok(Graded::Result { cached: true, .. })));
}

#[test]
fn a_wait_ends_with_the_callers_patience() {
    let mut claims = MockSessionClaims::new();
    claims.expect_claim().return_const(Ok(None));
    let mut patience = MockPatience::new();
    patience.expect_wait().times(1).return_const(ControlFlow::Break(()));

    let graded = grade(
        graded_before(None, MockJudge::new(), MockJudgingTx::default()),
        claims,
        &asking(None),
        &patience,
    );

    assert_eq!(graded, Err(EvaluationError::GradedElsewhere));
}

#[test]
fn a_session_that_changes_while_it_is_judged_is_judged_again() {
    let mut tx = open_tx();
    let mut runs = 0;
    tx.runs.expect_conclude().times(2).returning(move |_, _| {
        runs += 1;
        Ok(if runs == 1 { Fenced::Stale } else { Fenced::Kept })
    });
    tx.verdicts.expect_replace_learning_verdicts().return_const(Ok(Fenced::Kept));
    tx.results.expect_keep().times(1).return_const(Ok(()));
    tx.runs.expect_note_asked_version().times(1).return_const(Ok(()));
    tx.results.expect_existing().return_const(Ok(vec![result("ada", "s1")]));

    let graded =
        grade(graded_before(None, grading(success()), tx), free(), &asking(None), &MockPatience::new());

    assert!(matches!(graded, Ok(Graded::Result { cached: false, .. })));
}
