//! The rules of taking in a partner's scores.

use kernel::{Barrier, RunsOnce, StoreError};

use super::*;
use crate::ports::MockPartnerScoreTx;
use crate::samples::{at, org};

fn score(run: &str, value: f64) -> PartnerScore {
    PartnerScore {
        identity: ScoreIdentity {
            source_run_id: Label::new(run).unwrap(),
            scorer_name: Label::new("factuality").unwrap(),
        },
        value: ScoreValue::new(value).unwrap(),
        at: at(10),
        subject: ScoreSubject::Unstated,
    }
}

fn take(tx: MockPartnerScoreTx, scores: Vec<PartnerScore>) -> Result<Intake, EvaluationError> {
    TakePartnerScores::new(Arc::new(RunsOnce::on(tx))).take(&org(), &ScoreBatch::new(scores).unwrap())
}

#[test]
fn a_score_is_a_number_that_can_be_added_up() {
    for refused in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.1e100, -1.1e100] {
        assert_eq!(ScoreValue::new(refused), Err(ScoreOutOfRange));
    }
    assert_eq!(ScoreValue::new(-0.5).map(ScoreValue::get), Ok(-0.5));
}

#[test]
fn a_session_needs_its_user() {
    let session = SessionId::new("s1").unwrap();
    let user = UserId::new("ada").unwrap();

    assert_eq!(ScoreSubject::new(None, Some(session.clone())), Err(SessionWithoutUser));
    assert_eq!(ScoreSubject::new(None, None), Ok(ScoreSubject::Unstated));
    assert_eq!(ScoreSubject::new(Some(user.clone()), None), Ok(ScoreSubject::User(user.clone())));
    let both = ScoreSubject::new(Some(user.clone()), Some(session.clone())).unwrap();
    assert_eq!(both, ScoreSubject::Session(SessionKey { user_id: user.clone(), session_id: session }));
    assert_eq!(both.user(), Some(&user));
}

#[test]
fn new_changed_and_repeated_scores_are_told_apart() {
    let mut tx = MockPartnerScoreTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_existing().return_once(|_| Ok(vec![score("same", 0.5), score("changed", 0.1)]));
    let written = [score("changed", 0.9), score("new", 0.7)];
    tx.expect_keep().withf(move |scores| scores == written).times(1).return_const(Ok(()));

    let intake = take(tx, vec![score("new", 0.7), score("same", 0.5), score("changed", 0.9)]);

    assert_eq!(intake, Ok(Intake { imported: 1, updated: 1 }));
}

#[test]
fn of_two_scores_of_one_run_and_scorer_the_later_stands() {
    let mut tx = MockPartnerScoreTx::new();
    tx.expect_admit().return_const(Ok(()));
    tx.expect_existing().return_once(|_| Ok(vec![]));
    tx.expect_keep().withf(|scores| scores == [score("run", 0.9)]).times(1).return_const(Ok(()));

    assert_eq!(take(tx, vec![score("run", 0.1), score("run", 0.9)]), Ok(Intake { imported: 1, updated: 0 }));
}

#[test]
fn a_score_of_a_barred_user_stores_nothing() {
    let mut tx = MockPartnerScoreTx::new();
    tx.expect_admit()
        .withf(|users| users.iter().map(UserId::as_str).eq(["ada"]))
        .return_const(Err(StoreError::Barred(Barrier::Erasing)));
    tx.expect_keep().never();
    let of_ada = PartnerScore { subject: ScoreSubject::User(UserId::new("ada").unwrap()), ..score("a", 1.0) };

    let refused = take(tx, vec![score("b", 1.0), of_ada]);

    assert_eq!(refused, Err(StoreError::Barred(Barrier::Erasing).into()));
}

#[test]
fn an_intake_holds_at_most_10000_scores() {
    assert!(ScoreBatch::new(vec![score("run", 0.0); 10_000]).is_ok());
    assert_eq!(ScoreBatch::new(vec![score("run", 0.0); 10_001]), Err(BatchTooLarge { most: 10_000 }));
}
