//! Tests of publishing.

use std::sync::Mutex;

use kernel::{Barrier, ExperimentId, MockClock, RunsOnce, StoreError};

use super::*;
use crate::ports::{MockIds, MockPublishSettings, MockPublishTx, MockRetrievalGate, MockTokenCounter};
use crate::{Arm, EventTime, FreeText, Role, TokenCount};

const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn id(number: i64) -> InteractionId {
    InteractionId::new(number).unwrap()
}

fn turn(role: &str, content: &str) -> NewInteraction {
    let role = Role::new(role).unwrap();
    let body = Interaction { content: FreeText::new(content).unwrap(), ..Interaction::empty(role) };
    NewInteraction { created_at: None, body }
}

fn shadowed(role: &str) -> NewInteraction {
    let mut turn = turn(role, "said");
    turn.body.shadow_content = FreeText::new("would have said").unwrap();
    turn
}

fn publication(interactions: Vec<NewInteraction>) -> Publication {
    Publication {
        user: UserId::new("ada").unwrap(),
        session: Some(SessionId::new("s1").unwrap()),
        request: Some(RequestId::new("r1").unwrap()),
        source: Source::new("web").unwrap(),
        agent_version: AgentVersion::new("v1").unwrap(),
        purpose: Purpose::Learning,
        attribution: None,
        interactions,
    }
}

fn treated() -> Attribution {
    Attribution { experiment: ExperimentId::new("exp").unwrap(), arm: Arm::Treatment }
}

/// Takes the request and its interactions, unless the test expects something of them first.
fn takes_request(tx: &mut MockPublishTx) {
    tx.expect_admit().return_const(Ok(()));
    tx.expect_insert_request().returning(|_, _| Ok(Recorded::Now));
    tx.expect_insert_interactions().returning(|_, turns| Ok((1..).map(id).take(turns.len()).collect()));
    tx.expect_record_session().return_const(Ok(()));
    tx.expect_schedule_evaluation().return_const(Ok(()));
}

/// Takes whatever is written, unless the test expects something of it first.
fn takes_all(tx: &mut MockPublishTx) {
    takes_request(tx);
    tx.expect_queue_shadow_turns().return_const(Ok(()));
    tx.expect_append_to_feed().return_const(Ok(()));
}

/// A transaction that must not be written to.
fn untouched() -> MockPublishTx {
    let mut tx = MockPublishTx::new();
    tx.expect_insert_request().never();
    tx
}

fn use_case(tx: MockPublishTx, gate: MockRetrievalGate) -> PublishInteractions {
    let mut settings = MockPublishSettings::new();
    settings.expect_evaluation_delay_seconds().return_const(Ok(600));
    let mut tokens = MockTokenCounter::new();
    tokens
        .expect_count()
        .returning(|text| Some(TokenCount(u32::try_from(text.split_whitespace().count()).unwrap())));
    let mut ids = MockIds::new();
    ids.expect_request_id().return_const(RequestId::new("made").unwrap());
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOW);
    PublishInteractions::new(
        Arc::new(RunsOnce::on(tx)),
        Arc::new(gate),
        Arc::new(settings),
        Arc::new(tokens),
        Arc::new(ids),
        Arc::new(clock),
    )
}

fn publish(tx: MockPublishTx, publication: Publication) -> Result<Published, LearningError> {
    use_case(tx, MockRetrievalGate::new()).publish(&org(), publication)
}

fn attributed(tx: MockPublishTx, check: AttributionCheck) -> Result<Published, LearningError> {
    let mut gate = MockRetrievalGate::new();
    gate.expect_check_attribution()
        .withf(|_, stated, user| *stated == treated() && user.as_str() == "ada")
        .times(1)
        .return_const(Ok(check));
    let stated = Publication { attribution: Some(treated()), ..publication(vec![turn("user", "hi")]) };
    use_case(tx, gate).publish(&org(), stated)
}

#[test]
fn the_answer_names_the_request_what_was_kept_and_what_was_dropped() {
    let mut tx = MockPublishTx::new();
    takes_all(&mut tx);

    let answer = publish(tx, publication(vec![turn("user", "hi"), turn("user", ""), turn("agent", "yes")]));

    let expected = Published {
        request: RequestId::new("r1").unwrap(),
        warnings: vec![Warning::Dropped { index: 1 }],
        interactions: vec![id(1), id(2)],
    };
    assert_eq!(answer, Ok(expected));
}

#[test]
fn the_user_is_admitted_before_anything_is_written() {
    let mut tx = MockPublishTx::new();
    let mut order = mockall::Sequence::new();
    tx.expect_admit()
        .withf(|users| users == [UserId::new("ada").unwrap()])
        .times(1)
        .in_sequence(&mut order)
        .return_const(Ok(()));
    tx.expect_insert_request().times(1).in_sequence(&mut order).returning(|_, _| Ok(Recorded::Now));
    takes_all(&mut tx);

    assert!(publish(tx, publication(vec![turn("user", "hi")])).is_ok());
}

#[test]
fn nothing_is_written_for_a_user_who_is_being_erased() {
    let mut tx = untouched();
    let barred = StoreError::Barred(Barrier::Erasing);
    tx.expect_admit().return_const(Err(barred.clone()));

    assert_eq!(publish(tx, publication(vec![turn("user", "hi")])), Err(LearningError::Store(barred)));
}

#[test]
fn a_request_without_an_id_gets_one() {
    let mut tx = MockPublishTx::new();
    takes_all(&mut tx);

    let unnamed = Publication { request: None, ..publication(vec![turn("user", "hi")]) };

    assert_eq!(publish(tx, unnamed).unwrap().request.as_str(), "made");
}

#[test]
fn a_request_without_a_session_is_a_session_named_by_the_request() {
    let mut tx = MockPublishTx::new();
    tx.expect_record_session()
        .withf(|request| request.session.session.as_str() == "r1")
        .times(1)
        .return_const(Ok(()));
    takes_all(&mut tx);

    let alone = Publication { session: None, ..publication(vec![turn("user", "hi")]) };

    assert!(publish(tx, alone).is_ok());
}

#[test]
fn a_request_happens_with_its_earliest_interaction() {
    let mut tx = MockPublishTx::new();
    tx.expect_insert_request()
        .withf(|request, _| request.created_at == Timestamp::from_seconds(40))
        .times(1)
        .returning(|_, _| Ok(Recorded::Now));
    takes_all(&mut tx);
    let at =
        |seconds| NewInteraction { created_at: Some(EventTime::new(seconds).unwrap()), ..turn("user", "hi") };

    assert!(publish(tx, publication(vec![at(50), at(40), turn("agent", "now")])).is_ok());
}

#[test]
fn a_repeat_with_the_same_body_answers_the_first_answer_and_writes_nothing() {
    let body = publication(vec![turn("user", "hi"), turn("user", " ")]);
    let digest = BodyDigest::of(&body);
    let mut tx = MockPublishTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_insert_request()
        .returning(move |_, _| Ok(Recorded::Before { digest, interactions: vec![id(77)] }));
    tx.expect_insert_interactions().never();
    tx.expect_append_to_feed().never();

    let answer = publish(tx, body).unwrap();

    assert_eq!(answer.interactions, [id(77)]);
    assert_eq!(answer.warnings, [Warning::Dropped { index: 1 }]);
}

#[test]
fn a_request_id_that_named_another_body_is_refused() {
    let digest = BodyDigest::of(&publication(vec![turn("user", "something else")]));
    let mut tx = MockPublishTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_insert_request()
        .returning(move |_, _| Ok(Recorded::Before { digest, interactions: vec![id(77)] }));
    tx.expect_insert_interactions().never();

    assert_eq!(publish(tx, publication(vec![turn("user", "hi")])), Err(LearningError::RequestIdReused));
}

#[test]
fn a_body_that_states_no_time_is_the_same_body_later() {
    let mut tx = MockPublishTx::new();
    let digest = BodyDigest::of(&publication(vec![turn("user", "hi")]));
    tx.expect_insert_request()
        .withf(move |_, written| *written == digest)
        .times(1)
        .returning(|_, _| Ok(Recorded::Now));
    takes_all(&mut tx);

    assert!(publish(tx, publication(vec![turn("user", "hi")])).is_ok());
}

#[test]
fn the_tokens_of_everyone_but_the_user_are_counted() {
    let mut tx = MockPublishTx::new();
    let counted = Arc::new(Mutex::new(vec![]));
    let seen = counted.clone();
    tx.expect_insert_interactions().returning(move |_, turns| {
        seen.lock().unwrap().extend(turns.iter().map(|turn| turn.output_tokens));
        Ok(vec![id(1), id(2), id(3), id(4)])
    });
    takes_all(&mut tx);
    let turns = vec![turn(" USER ", "a b c"), turn("Agent", "a b"), turn("tool", "a"), shadowed("assistant")];

    publish(tx, publication(turns)).unwrap();

    assert_eq!(
        *counted.lock().unwrap(),
        [None, Some(TokenCount(2)), Some(TokenCount(1)), Some(TokenCount(1))]
    );
}

#[test]
fn tokens_are_counted_before_the_transaction_begins() {
    struct Refuses;
    impl UnitOfWork<dyn PublishTx> for Refuses {
        fn run(&self, _: &OrgId, _: &mut kernel::Work<'_, dyn PublishTx>) -> Result<(), StoreError> {
            Err(StoreError::Contended)
        }
    }
    let mut tokens = MockTokenCounter::new();
    tokens.expect_count().times(1).return_const(None);
    let mut publishing = use_case(MockPublishTx::new(), MockRetrievalGate::new());
    publishing.store = Arc::new(Refuses);
    publishing.tokens = Arc::new(tokens);

    let failed = publishing.publish(&org(), publication(vec![turn("agent", "hi")]));

    assert_eq!(failed, Err(LearningError::Store(StoreError::Contended)));
}

#[test]
fn the_evaluation_of_the_session_is_due_after_the_organizations_delay() {
    let mut tx = MockPublishTx::new();
    tx.expect_schedule_evaluation()
        .withf(|session, due_at| session.session.as_str() == "s1" && *due_at == NOW.plus_seconds(600))
        .times(1)
        .return_const(Ok(()));
    takes_all(&mut tx);

    assert!(publish(tx, publication(vec![turn("user", "hi")])).is_ok());
}

#[test]
fn the_agents_turns_with_shadow_content_are_queued_for_comparison() {
    let mut tx = MockPublishTx::new();
    tx.expect_queue_shadow_turns().withf(|_, turns| turns == [id(2), id(4)]).times(1).return_const(Ok(()));
    tx.expect_append_to_feed().return_const(Ok(()));
    takes_request(&mut tx);
    let turns = vec![shadowed("user"), shadowed("Agent"), turn("agent", "hi"), shadowed("ASSISTANT")];

    assert!(publish(tx, publication(turns)).is_ok());
}

#[test]
fn a_request_without_shadows_queues_none() {
    let mut tx = MockPublishTx::new();
    tx.expect_queue_shadow_turns().never();
    tx.expect_append_to_feed().return_const(Ok(()));
    takes_request(&mut tx);

    assert!(publish(tx, publication(vec![turn("agent", "hi")])).is_ok());
}

#[test]
fn a_request_enters_the_feed_once() {
    let mut tx = MockPublishTx::new();
    tx.expect_append_to_feed().times(1).return_const(Ok(()));
    takes_request(&mut tx);

    assert!(publish(tx, publication(vec![turn("user", "hi"), turn("agent", "hi")])).is_ok());
}

#[test]
fn a_request_for_evaluation_only_is_evaluated_and_does_not_enter_the_feed() {
    let mut tx = MockPublishTx::new();
    tx.expect_schedule_evaluation().times(1).return_const(Ok(()));
    tx.expect_append_to_feed().never();
    takes_request(&mut tx);

    let body = Publication { purpose: Purpose::EvaluationOnly, ..publication(vec![turn("user", "hi")]) };

    assert!(publish(tx, body).is_ok());
}

#[test]
fn an_attribution_that_holds_is_kept_with_the_request() {
    let mut tx = MockPublishTx::new();
    tx.expect_insert_request()
        .withf(|request, _| request.attribution == Some(treated()))
        .times(1)
        .returning(|_, _| Ok(Recorded::Now));
    takes_all(&mut tx);

    assert!(attributed(tx, AttributionCheck::Holds).is_ok());
}

#[test]
fn an_unknown_experiment_is_refused_and_nothing_is_written() {
    assert_eq!(
        attributed(untouched(), AttributionCheck::UnknownExperiment),
        Err(LearningError::UnknownExperiment)
    );
}

#[test]
fn the_wrong_arm_is_refused_and_nothing_is_written() {
    assert_eq!(attributed(untouched(), AttributionCheck::WrongArm), Err(LearningError::WrongArm));
}

#[test]
fn a_batch_that_is_refused_writes_nothing() {
    assert_eq!(publish(untouched(), publication(vec![])), Err(LearningError::EmptyBatch));
    assert_eq!(
        publish(untouched(), publication(vec![turn("agent", "  ")])),
        Err(LearningError::NothingToKeep)
    );
}
