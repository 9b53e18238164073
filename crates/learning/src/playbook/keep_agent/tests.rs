//! Tests of keeping agent playbooks.

use kernel::{Barrier, MockClock, RunsOnce, Timestamp, UserId};

use super::*;
use crate::playbook::samples::text;
use crate::ports::{MockAgentPlaybookTx, PlaybookOwner};
use crate::{FreeText, Status, UserPlaybookId};

fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn id(number: i64) -> AgentPlaybookId {
    AgentPlaybookId::new(number).unwrap()
}

fn linked(number: i64) -> UserPlaybookId {
    UserPlaybookId::new(number).unwrap()
}

fn owner(playbook: i64, user: &str) -> PlaybookOwner {
    PlaybookOwner { playbook: linked(playbook), user: UserId::new(user).unwrap() }
}

fn window(playbook: i64) -> SourceWindow {
    SourceWindow { user_playbook_id: linked(playbook), source_interaction_ids: vec![] }
}

fn new_playbook(windows: Vec<SourceWindow>) -> NewAgentPlaybook<Option<EventTime>> {
    NewAgentPlaybook {
        text: text("be brief"),
        playbook_status: PlaybookStatus::default(),
        metadata: FreeText::default(),
        created_at: None,
        status: Status::Current,
        source_windows: windows,
    }
}

fn playbook() -> AgentPlaybook {
    AgentPlaybook {
        agent_playbook_id: id(5),
        text: text("be brief"),
        playbook_status: PlaybookStatus::Pending,
        metadata: FreeText::default(),
        created_at: Timestamp::from_seconds(3),
        status: Status::Current,
        source_windows: vec![window(1)],
    }
}

fn add(
    tx: MockAgentPlaybookTx,
    given: Vec<NewAgentPlaybook<Option<EventTime>>>,
) -> Result<Vec<AgentPlaybookId>, LearningError> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp::from_seconds(50));
    AddAgentPlaybooks::new(Arc::new(RunsOnce::on(tx)), Arc::new(clock)).add(&org(), given)
}

fn update(tx: MockAgentPlaybookTx, changes: &AgentPlaybookChanges) -> Result<(), LearningError> {
    UpdateAgentPlaybook::new(Arc::new(RunsOnce::on(tx))).update(&org(), id(5), changes)
}

#[test]
fn a_playbook_without_links_needs_nobodys_admission() {
    let mut tx = MockAgentPlaybookTx::new();
    tx.expect_owners().never();
    tx.expect_insert().withf(|playbook| playbook.created_at.seconds() == 50).times(1).return_const(Ok(id(1)));

    assert_eq!(add(tx, vec![new_playbook(vec![])]), Ok(vec![id(1)]));
}

#[test]
fn the_users_of_linked_playbooks_are_admitted_before_anything_is_added() {
    let mut tx = MockAgentPlaybookTx::new();
    tx.expect_owners()
        .withf(|playbooks| playbooks == [linked(1), linked(2)])
        .return_const(Ok(vec![owner(1, "ada"), owner(2, "bob")]));
    tx.expect_admit().withf(|users| users.len() == 2).times(1).return_const(Ok(()));
    tx.expect_insert().times(2).return_const(Ok(id(9)));

    let added = add(tx, vec![new_playbook(vec![window(1), window(2)]), new_playbook(vec![window(1)])]);

    assert_eq!(added, Ok(vec![id(9), id(9)]));
}

#[test]
fn more_links_than_a_request_may_name_are_refused_before_anybody_is_looked_up() {
    let mut tx = MockAgentPlaybookTx::new();
    tx.expect_owners().never();

    let refused = add(tx, vec![new_playbook(vec![window(1); 5_000]), new_playbook(vec![window(1); 5_001])]);

    assert_eq!(refused, Err(LearningError::TooManySourceWindows { count: 10_001, most: 10_000 }));
}

#[test]
fn a_link_to_a_missing_playbook_is_refused_and_nothing_is_added() {
    let mut tx = MockAgentPlaybookTx::new();
    tx.expect_owners().return_const(Ok(vec![owner(1, "ada")]));
    tx.expect_insert().never();

    let refused = add(tx, vec![new_playbook(vec![window(1)]), new_playbook(vec![window(2)])]);

    assert_eq!(refused, Err(LearningError::LinkedPlaybookMissing { id: linked(2) }));
}

#[test]
fn a_link_to_a_barred_users_playbook_is_refused_for_good_also_while_the_erasure_runs() {
    for barrier in [Barrier::Erasing, Barrier::Erased] {
        let mut tx = MockAgentPlaybookTx::new();
        tx.expect_owners().return_const(Ok(vec![owner(1, "ada")]));
        tx.expect_admit().return_const(Err(StoreError::Barred(barrier)));
        tx.expect_insert().never();

        assert_eq!(add(tx, vec![new_playbook(vec![window(1)])]), Err(LearningError::LinkedSubjectBarred));
    }
}

#[test]
fn an_update_leaves_the_windows_that_it_does_not_state() {
    let mut tx = MockAgentPlaybookTx::new();
    let expected = AgentPlaybook { status: Status::Archived, ..playbook() };
    tx.expect_find().return_const(Ok(Some(playbook())));
    tx.expect_owners().never();
    tx.expect_replace().withf(move |kept| *kept == expected).times(1).return_const(Ok(true));

    let changes = AgentPlaybookChanges { status: Some(Status::Archived), ..AgentPlaybookChanges::default() };

    assert_eq!(update(tx, &changes), Ok(()));
}

#[test]
fn an_update_checks_the_windows_that_it_states() {
    let mut tx = MockAgentPlaybookTx::new();
    tx.expect_find().return_const(Ok(Some(playbook())));
    tx.expect_owners().return_const(Ok(vec![]));
    tx.expect_replace().never();

    let changes =
        AgentPlaybookChanges { source_windows: Some(vec![window(8)]), ..AgentPlaybookChanges::default() };

    assert_eq!(update(tx, &changes), Err(LearningError::LinkedPlaybookMissing { id: linked(8) }));
}

#[test]
fn updating_deciding_about_or_deleting_an_unknown_agent_playbook_is_refused() {
    let unknown = || {
        let mut tx = MockAgentPlaybookTx::new();
        tx.expect_find().return_const(Ok(None));
        tx.expect_set_status().return_const(Ok(false));
        tx.expect_delete().return_const(Ok(false));
        tx.expect_replace().never();
        tx
    };

    assert_eq!(update(unknown(), &AgentPlaybookChanges::default()), Err(NOT_FOUND));
    let decided = SetPlaybookStatus::new(Arc::new(RunsOnce::on(unknown()))).set(
        &org(),
        id(5),
        PlaybookStatus::Approved,
    );
    assert_eq!(decided, Err(NOT_FOUND));
    let deleted = DeleteAgentPlaybook::new(Arc::new(RunsOnce::on(unknown()))).delete(&org(), id(5));
    assert_eq!(deleted, Err(NOT_FOUND));
}

#[test]
fn a_decision_about_a_playbook_is_recorded() {
    let mut tx = MockAgentPlaybookTx::new();
    tx.expect_set_status()
        .withf(|which, status| *which == id(5) && *status == PlaybookStatus::Rejected)
        .times(1)
        .return_const(Ok(true));

    let decided =
        SetPlaybookStatus::new(Arc::new(RunsOnce::on(tx))).set(&org(), id(5), PlaybookStatus::Rejected);

    assert_eq!(decided, Ok(()));
}
