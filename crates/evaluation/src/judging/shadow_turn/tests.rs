//! The rules of comparing a turn with its shadow.

use kernel::{AgentVersion, Barrier};

use super::*;
use crate::judging::judge::{JudgeKind, MockJudge};
use crate::judging::ports::{Hold, MockCoin, MockJudgingTx};
use crate::judging::testing::{Desk, NOW, claimed, completing, judged, setup, user_turn};
use crate::samples::{at, session};
use crate::{BetterRequest, Reason, ShadowMode, ShadowSetup};

fn shadow_turn() -> ShadowTurn {
    ShadowTurn {
        session: session("ada", "s1"),
        agent_version: AgentVersion::new("v7").unwrap(),
        before: vec![user_turn(1, "where is it?")],
        service: "ours".to_owned(),
        shadow: "theirs".to_owned(),
    }
}

fn preferring(better_request: BetterRequest) -> ShadowGrade {
    ShadowGrade { better_request, is_significantly_better: true, reason: Reason::new("clearer").unwrap() }
}

fn model() -> MockJudge {
    let mut judge = MockJudge::new();
    judge.expect_kind().return_const(JudgeKind::Model);
    judge
}

fn landing(position: ServicePosition) -> MockCoin {
    let mut coin = MockCoin::new();
    coin.expect_toss().times(1).return_const(position);
    coin
}

fn desk(judge: MockJudge, tx: MockJudgingTx) -> Desk {
    let mut desk = Desk::bare(judge, tx);
    desk.sessions.expect_shadow_turn().return_const(Ok(Some(shadow_turn())));
    desk
}

fn compare(desk: Desk, coin: MockCoin, attempts: u32) -> Result<Compared, EvaluationError> {
    JudgeShadowTurn::new(desk.build(), Arc::new(coin), RetryPolicy::default())
        .compare(&claimed(WorkSubject::Turn(InteractionId(2)), attempts))
}

#[test]
fn the_coin_decides_who_is_shown_first_and_the_mapping_is_kept() {
    for (position, first) in [(ServicePosition::First, "ours"), (ServicePosition::Second, "theirs")] {
        let mut judge = model();
        judge
            .expect_compare_shadow()
            .withf(move |pair| pair.first == first && pair.second != first)
            .times(1)
            .returning(|_| Ok(judged(preferring(BetterRequest::First))));
        let mut tx = completing(MockJudgingTx::default());
        tx.verdicts
            .expect_keep_shadow_verdict()
            .withf(move |verdict| {
                verdict.service == position
                    && verdict.better_request == BetterRequest::First
                    && (verdict.interaction_id, verdict.created_at) == (InteractionId(2), at(NOW))
                    && verdict.judge_prompt_version.as_str() == "v1.1.0"
            })
            .times(1)
            .return_const(Ok(1));
        tx.runs.expect_note_shadow_epoch().times(1).return_const(Ok(()));

        assert_eq!(compare(desk(judge, tx), landing(position), 1), Ok(Compared::Judged));
    }
}

#[test]
fn the_pinned_rubric_is_asked_for_and_the_one_that_was_used_is_kept() {
    let mut judge = model();
    judge.expect_compare_shadow().withf(|pair| pair.version.as_str() == "v9").returning(|_| {
        let mut answer = judged(preferring(BetterRequest::Tie));
        answer.epoch.prompt_version = PromptVersion::new("v9-really").unwrap();
        Ok(answer)
    });
    let mut tx = completing(MockJudgingTx::default());
    tx.verdicts
        .expect_keep_shadow_verdict()
        .withf(|verdict| verdict.judge_prompt_version.as_str() == "v9-really")
        .times(1)
        .return_const(Ok(1));
    tx.runs.expect_note_shadow_epoch().return_const(Ok(()));
    let mut desk = desk(judge, tx);
    desk.setup.shadow.pinned = PromptVersion::new("v9").unwrap();

    assert_eq!(compare(desk, landing(ServicePosition::First), 1), Ok(Compared::Judged));
}

#[test]
fn the_heuristic_compares_nothing_unless_shadow_mode_is_on() {
    let heuristic = || {
        let mut judge = MockJudge::new();
        judge.expect_kind().return_const(JudgeKind::Heuristic);
        judge
    };
    let off = desk(heuristic(), completing(MockJudgingTx::default()));

    assert_eq!(compare(off, MockCoin::new(), 1), Ok(Compared::NotWanted));

    let mut judge = heuristic();
    judge.expect_compare_shadow().times(1).returning(|_| Ok(judged(preferring(BetterRequest::Tie))));
    let mut tx = completing(MockJudgingTx::default());
    tx.verdicts.expect_keep_shadow_verdict().times(1).return_const(Ok(1));
    tx.runs.expect_note_shadow_epoch().return_const(Ok(()));
    let mut on = desk(judge, tx);
    on.setup.shadow = ShadowSetup { mode: ShadowMode::On, ..setup().shadow };

    assert_eq!(compare(on, landing(ServicePosition::First), 1), Ok(Compared::Judged));
}

#[test]
fn a_judge_that_always_says_1_wins_as_often_as_the_coin_says() {
    let outcomes = [ServicePosition::First, ServicePosition::Second]
        .map(|position| BetterRequest::First.outcome(position));

    assert_eq!(outcomes, [crate::ShadowOutcome::Win, crate::ShadowOutcome::Loss]);
}

#[test]
fn a_turn_that_is_gone_ends_its_work() {
    let mut desk = Desk::bare(model(), completing(MockJudgingTx::default()));
    desk.sessions.expect_shadow_turn().return_const(Ok(None));

    assert_eq!(compare(desk, MockCoin::new(), 1), Ok(Compared::Gone));
}

#[test]
fn a_comparison_that_is_never_kept_is_laid_aside_and_the_judge_not_asked_again() {
    let mut tx = MockJudgingTx::default();
    tx.work.expect_bury().times(1).return_const(Ok(Hold::Held));

    assert_eq!(compare(desk(model(), tx), MockCoin::new(), 24), Ok(Compared::Buried(NEVER_KEPT)));
}

#[test]
fn a_failed_comparison_is_retried_and_then_laid_aside() {
    let failing = || {
        let mut judge = model();
        judge.expect_compare_shadow().return_const(Err(JudgeFailure::Refused));
        judge
    };
    let (mut retried, mut buried) = (MockJudgingTx::default(), MockJudgingTx::default());
    retried.work.expect_retry().times(1).return_const(Ok(Hold::Held));
    buried.work.expect_bury().times(1).return_const(Ok(Hold::Held));
    let coin = || landing(ServicePosition::First);

    assert_eq!(compare(desk(failing(), retried), coin(), 3), Ok(Compared::Retrying(JudgeFailure::Refused)));
    assert_eq!(compare(desk(failing(), buried), coin(), 4), Ok(Compared::Buried(JudgeFailure::Refused)));
}

#[test]
fn a_verdict_on_a_user_who_was_erased_meanwhile_is_dropped() {
    let mut judge = model();
    judge.expect_compare_shadow().returning(|_| Ok(judged(preferring(BetterRequest::Tie))));
    let mut tx = completing(MockJudgingTx::default());
    tx.verdicts.expect_keep_shadow_verdict().return_const(Err(StoreError::Barred(Barrier::Erased)));

    assert_eq!(compare(desk(judge, tx), landing(ServicePosition::First), 1), Ok(Compared::Dropped));
}
