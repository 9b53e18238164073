//! Tests of keeping user playbooks.

use kernel::{Barrier, MockClock, RunsOnce, Source, StoreError, Timestamp, UserId};

use super::*;
use crate::playbook::samples::text;
use crate::ports::MockUserPlaybookTx;
use crate::{FreeText, PlaybookTextChanges, Remark, Status};

fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

fn id(number: i64) -> UserPlaybookId {
    UserPlaybookId::new(number).unwrap()
}

fn new_playbook(owner: &str) -> NewUserPlaybook<Option<EventTime>> {
    NewUserPlaybook {
        user: user(owner),
        request_id: Remark::default(),
        text: text("be brief"),
        source: Source::unstated(),
        source_interaction_ids: vec![],
        created_at: None,
        status: Status::Current,
    }
}

fn playbook(owner: &str) -> UserPlaybook {
    UserPlaybook {
        user_playbook_id: id(7),
        user: user(owner),
        request_id: Remark::default(),
        text: text("be brief"),
        source: Source::unstated(),
        source_interaction_ids: vec![],
        created_at: Timestamp::from_seconds(3),
        status: Status::Current,
    }
}

fn add(
    tx: MockUserPlaybookTx,
    given: Vec<NewUserPlaybook<Option<EventTime>>>,
) -> Result<Vec<UserPlaybookId>, LearningError> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp::from_seconds(50));
    AddUserPlaybooks::new(Arc::new(RunsOnce::on(tx)), Arc::new(clock)).add(&org(), given)
}

#[test]
fn playbooks_are_added_together_after_every_user_was_admitted_once() {
    let mut tx = MockUserPlaybookTx::new();
    tx.expect_admit().withf(|users| users == [user("ada"), user("bob")]).times(1).return_const(Ok(()));
    tx.expect_insert()
        .withf(|playbooks| playbooks.len() == 3 && playbooks[0].created_at.seconds() == 50)
        .times(1)
        .return_const(Ok(vec![id(1), id(2), id(3)]));

    let added = add(tx, vec![new_playbook("ada"), new_playbook("bob"), new_playbook("ada")]);

    assert_eq!(added, Ok(vec![id(1), id(2), id(3)]));
}

#[test]
fn a_batch_that_names_one_barred_user_adds_no_playbook() {
    let mut tx = MockUserPlaybookTx::new();
    let barred = StoreError::Barred(Barrier::Erasing);
    tx.expect_admit().return_const(Err(barred.clone()));
    tx.expect_insert().never();

    assert_eq!(add(tx, vec![new_playbook("ada")]), Err(LearningError::Store(barred)));
}

#[test]
fn a_batch_of_no_playbooks_is_refused() {
    assert_eq!(add(MockUserPlaybookTx::new(), vec![]), Err(LearningError::EmptyBatch));
}

#[test]
fn an_update_changes_the_stated_fields_of_an_admitted_users_playbook() {
    let mut tx = MockUserPlaybookTx::new();
    let expected = UserPlaybook { text: text("be very brief"), status: Status::Archived, ..playbook("ada") };
    tx.expect_find().return_const(Ok(Some(playbook("ada"))));
    tx.expect_admit().withf(|users| users == [user("ada")]).times(1).return_const(Ok(()));
    tx.expect_replace().withf(move |kept| *kept == expected).times(1).return_const(Ok(true));

    let content = Some(FreeText::new("be very brief").unwrap());
    let changes = UserPlaybookChanges {
        text: PlaybookTextChanges { content, ..PlaybookTextChanges::default() },
        status: Some(Status::Archived),
        ..UserPlaybookChanges::default()
    };
    let updated = UpdateUserPlaybook::new(Arc::new(RunsOnce::on(tx))).update(&org(), id(7), &changes);

    assert_eq!(updated, Ok(()));
}

#[test]
fn updating_an_unknown_user_playbook_is_refused() {
    let mut tx = MockUserPlaybookTx::new();
    tx.expect_find().return_const(Ok(None));
    tx.expect_replace().never();

    let refused = UpdateUserPlaybook::new(Arc::new(RunsOnce::on(tx))).update(
        &org(),
        id(7),
        &UserPlaybookChanges::default(),
    );

    assert_eq!(refused, Err(NOT_FOUND));
}

#[test]
fn deleting_an_unknown_user_playbook_is_refused() {
    let mut tx = MockUserPlaybookTx::new();
    tx.expect_find().return_const(Ok(None));
    tx.expect_delete().never();

    let refused = DeleteUserPlaybook::new(Arc::new(RunsOnce::on(tx))).delete(&org(), id(7));

    assert_eq!(refused, Err(NOT_FOUND));
}

#[test]
fn a_playbook_of_a_user_who_is_being_erased_is_left_to_the_erasure() {
    let mut tx = MockUserPlaybookTx::new();
    let barred = StoreError::Barred(Barrier::Erasing);
    tx.expect_find().return_const(Ok(Some(playbook("ada"))));
    tx.expect_admit().return_const(Err(barred.clone()));
    tx.expect_delete().never();

    let refused = DeleteUserPlaybook::new(Arc::new(RunsOnce::on(tx))).delete(&org(), id(7));

    assert_eq!(refused, Err(LearningError::Store(barred)));
}
