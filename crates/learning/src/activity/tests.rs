//! Tests of reading and taking back what was published.

use kernel::{Barrier, RunsOnce, StoreError};

use super::*;
use crate::ports::{MockActivityReader, MockSessionTx};

fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

fn request(id: &str, owner: &str, of: &str, at: i64) -> PublishedRequest {
    let request = Request {
        request_id: RequestId::new(id).unwrap(),
        session: SessionKey { user: user(owner), session: session(of) },
        source: Source::unstated(),
        agent_version: AgentVersion::unstated(),
        purpose: Purpose::Learning,
        attribution: None,
        created_at: Timestamp::from_seconds(at),
    };
    PublishedRequest { request, interactions: vec![] }
}

fn delete(tx: MockSessionTx, owner: Option<&UserId>) -> Result<u64, LearningError> {
    DeleteSession::new(Arc::new(RunsOnce::on(tx))).delete(&org(), &session("s"), owner)
}

#[test]
fn requests_are_gathered_by_session_the_newest_first() {
    let listed =
        vec![request("r4", "ada", "s2", 40), request("r3", "ada", "s1", 30), request("r2", "ada", "s2", 20)];

    let groups = SessionGroup::gather(listed);

    let ids: Vec<Vec<&str>> = groups
        .iter()
        .map(|group| group.requests.iter().map(|row| row.request.request_id.as_str()).collect())
        .collect();
    assert_eq!(ids, [vec!["r4", "r2"], vec!["r3"]]);
    assert_eq!(groups[0].session.session, session("s2"));
}

#[test]
fn two_users_who_share_a_session_id_have_two_sessions() {
    let groups = SessionGroup::gather(vec![request("r2", "ada", "s", 2), request("r1", "bob", "s", 1)]);

    assert_eq!(groups.len(), 2);
}

#[test]
fn the_next_page_of_requests_begins_after_the_last_one_shown() {
    let mut reader = MockActivityReader::new();
    reader
        .expect_requests()
        .withf(|_, _, slice| slice.rows == 31)
        .returning(|_, _, _| Ok((0..31).map(|n| request(&format!("r{n}"), "ada", "s", 100 - n)).collect()));

    let page = ListRequests::new(Arc::new(reader))
        .list(&org(), &RequestFilter::default(), PageRequest::default())
        .unwrap();

    assert_eq!(page.rows.len(), 30);
    let last = Cursor { at: Timestamp::from_seconds(71), key: RequestId::new("r29").unwrap() };
    assert_eq!(page.next, Some(last));
}

#[test]
fn a_session_of_one_user_is_deleted_without_naming_the_user() {
    let mut tx = MockSessionTx::new();
    tx.expect_owners().return_const(Ok(vec![user("ada")]));
    tx.expect_admit().withf(|users| users == [user("ada")]).times(1).return_const(Ok(()));
    tx.expect_delete().withf(|key| key.user == user("ada")).times(1).return_const(Ok(3));

    assert_eq!(delete(tx, None), Ok(3));
}

#[test]
fn a_session_id_that_two_users_share_deletes_nothing_until_one_is_named() {
    let mut tx = MockSessionTx::new();
    tx.expect_owners().return_const(Ok(vec![user("ada"), user("bob")]));
    tx.expect_delete().never();

    assert_eq!(delete(tx, None), Err(LearningError::AmbiguousSession));
}

#[test]
fn the_user_picks_the_session_when_two_share_its_id() {
    let mut tx = MockSessionTx::new();
    tx.expect_owners().return_const(Ok(vec![user("ada"), user("bob")]));
    tx.expect_admit().return_const(Ok(()));
    tx.expect_delete().withf(|key| key.user == user("bob")).times(1).return_const(Ok(1));

    assert_eq!(delete(tx, Some(&user("bob"))), Ok(1));
}

#[test]
fn deleting_an_unknown_session_is_refused() {
    let mut tx = MockSessionTx::new();
    tx.expect_owners().return_const(Ok(vec![user("ada")]));
    tx.expect_delete().never();

    assert_eq!(delete(tx, Some(&user("eve"))), Err(LearningError::NotFound(Thing::Session)));
}

#[test]
fn a_session_of_a_user_who_is_being_erased_is_left_to_the_erasure() {
    let mut tx = MockSessionTx::new();
    let barred = StoreError::Barred(Barrier::Erasing);
    tx.expect_owners().return_const(Ok(vec![user("ada")]));
    tx.expect_admit().return_const(Err(barred.clone()));
    tx.expect_delete().never();

    assert_eq!(delete(tx, None), Err(LearningError::Store(barred)));
}
