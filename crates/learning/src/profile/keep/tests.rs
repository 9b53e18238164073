//! Tests of keeping profiles.

use kernel::{Barrier, MockClock, RunsOnce, Source, StoreError};

use super::*;
use crate::ports::{MockIds, MockLearningReader, MockProfileTx};
use crate::{FreeText, Remark, Slice, Start, Status, Tag};

const NOW: Timestamp = Timestamp::from_seconds(1_000);

fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

fn id(text: &str) -> ProfileId {
    ProfileId::new(text).unwrap()
}

fn clock() -> Arc<MockClock> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOW);
    Arc::new(clock)
}

fn ids() -> Arc<MockIds> {
    let mut ids = MockIds::new();
    ids.expect_profile_id().return_const(id("made"));
    Arc::new(ids)
}

fn new_profile(profile_id: Option<&str>, owner: &str) -> NewProfile {
    NewProfile {
        profile_id: profile_id.map(id),
        user: user(owner),
        content: FreeText::new("likes tea").unwrap(),
        source: Source::new("web").unwrap(),
        generated_from_request_id: Remark::default(),
        time_to_live: Remark::new("infinity").unwrap(),
        tags: vec![],
        last_modified: None,
        expires_at: None,
        status: Status::Current,
    }
}

fn profile(owner: &str) -> Profile {
    Profile {
        profile_id: id("p"),
        user: user(owner),
        content: FreeText::new("likes tea").unwrap(),
        source: Source::new("web").unwrap(),
        generated_from_request_id: Remark::default(),
        time_to_live: Remark::new("infinity").unwrap(),
        tags: vec![Tag::new("drinks").unwrap()],
        last_modified: Timestamp::from_seconds(1),
        expires_at: Some(Timestamp::from_seconds(9_000)),
        status: Status::Current,
    }
}

fn add(tx: MockProfileTx, given: Vec<NewProfile>) -> Result<Vec<ProfileId>, LearningError> {
    AddProfiles::new(Arc::new(RunsOnce::on(tx)), ids(), clock()).add(&org(), given)
}

fn named(owner: Option<&str>) -> ProfileRef {
    ProfileRef { profile_id: id("p"), user: owner.map(user) }
}

#[test]
fn a_profile_without_an_id_and_a_time_gets_both() {
    let mut tx = MockProfileTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_put()
        .withf(|profile| profile.profile_id == id("made") && profile.last_modified == NOW)
        .times(1)
        .return_const(Ok(Put::Kept));

    assert_eq!(add(tx, vec![new_profile(None, "ada")]), Ok(vec![id("made")]));
}

#[test]
fn a_stated_id_and_time_are_kept() {
    let mut tx = MockProfileTx::new();
    let stated = NewProfile {
        last_modified: Some(EventTime::new(7).unwrap()),
        expires_at: Some(EventTime::new(8).unwrap()),
        ..new_profile(Some("mine"), "ada")
    };
    tx.expect_admit().return_const(Ok(()));
    tx.expect_put()
        .withf(|profile| {
            profile.last_modified == Timestamp::from_seconds(7)
                && profile.expires_at == Some(Timestamp::from_seconds(8))
        })
        .times(1)
        .return_const(Ok(Put::Kept));

    assert_eq!(add(tx, vec![stated]), Ok(vec![id("mine")]));
}

#[test]
fn the_id_of_another_users_profile_is_refused() {
    let mut tx = MockProfileTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_put().return_const(Ok(Put::OwnedByAnother));

    let refused = add(tx, vec![new_profile(Some("p"), "eve")]);

    assert_eq!(refused, Err(LearningError::ProfileOfAnotherUser { id: id("p") }));
}

#[test]
fn a_batch_that_names_one_barred_user_keeps_nothing() {
    let mut tx = MockProfileTx::new();
    let barred = StoreError::Barred(Barrier::Erased);
    tx.expect_admit()
        .withf(|users| users == [user("ada"), user("bob")])
        .times(1)
        .return_const(Err(barred.clone()));
    tx.expect_put().never();

    let given = vec![new_profile(None, "ada"), new_profile(None, "bob"), new_profile(None, "ada")];

    assert_eq!(add(tx, given), Err(LearningError::Store(barred)));
}

#[test]
fn a_batch_of_none_or_of_too_many_profiles_is_refused() {
    assert_eq!(add(MockProfileTx::new(), vec![]), Err(LearningError::EmptyBatch));
    assert_eq!(
        add(MockProfileTx::new(), vec![new_profile(None, "ada"); 1001]),
        Err(LearningError::BatchTooLarge { count: 1001, most: 1000 })
    );
}

#[test]
fn an_update_changes_the_stated_fields_and_the_time_and_leaves_the_others() {
    let mut tx = MockProfileTx::new();
    let content = FreeText::new("likes coffee").unwrap();
    let expected = Profile { content: content.clone(), last_modified: NOW, ..profile("ada") };
    tx.expect_find().return_const(Ok(Some(profile("ada"))));
    tx.expect_admit().times(1).return_const(Ok(()));
    tx.expect_put().withf(move |kept| *kept == expected).times(1).return_const(Ok(Put::Kept));

    let changes = ProfileChanges { content: Some(content), ..ProfileChanges::default() };
    let updated =
        UpdateProfile::new(Arc::new(RunsOnce::on(tx)), clock()).update(&org(), &named(None), &changes);

    assert_eq!(updated, Ok(()));
}

#[test]
fn updating_an_unknown_profile_is_refused() {
    let mut tx = MockProfileTx::new();
    tx.expect_find().return_const(Ok(None));
    tx.expect_put().never();

    let refused = UpdateProfile::new(Arc::new(RunsOnce::on(tx)), clock()).update(
        &org(),
        &named(None),
        &ProfileChanges::default(),
    );

    assert_eq!(refused, Err(LearningError::NotFound(Thing::Profile)));
}

#[test]
fn a_profile_is_not_deleted_under_another_users_name() {
    let mut tx = MockProfileTx::new();
    tx.expect_find().return_const(Ok(Some(profile("ada"))));
    tx.expect_delete().never();

    let refused = DeleteProfile::new(Arc::new(RunsOnce::on(tx))).delete(&org(), &named(Some("eve")));

    assert_eq!(refused, Err(LearningError::NotFound(Thing::Profile)));
}

#[test]
fn a_profile_is_deleted_after_its_user_was_admitted() {
    let mut tx = MockProfileTx::new();
    tx.expect_find().return_const(Ok(Some(profile("ada"))));
    tx.expect_admit().withf(|users| users == [user("ada")]).times(1).return_const(Ok(()));
    tx.expect_delete().times(1).return_const(Ok(true));

    let deleted = DeleteProfile::new(Arc::new(RunsOnce::on(tx))).delete(&org(), &named(Some("ada")));

    assert_eq!(deleted, Ok(()));
}

#[test]
fn a_list_of_profiles_is_read_from_where_the_caller_says() {
    let mut reader = MockLearningReader::new();
    reader
        .expect_profiles()
        .withf(|_, _, slice| *slice == Slice { rows: 31, start: Start::Offset(60) })
        .returning(|_, _, _| Ok(vec![profile("ada")]));

    let request = PageRequest { start: Start::Offset(60), ..PageRequest::default() };
    let page = ListProfiles::new(Arc::new(reader)).list(&org(), &ProfileFilter::default(), request).unwrap();

    assert_eq!(page, Page { rows: vec![profile("ada")], next: None });
}
