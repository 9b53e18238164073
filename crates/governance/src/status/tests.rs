//! A purge is shown minimized, and only to its organization.

use super::*;
use crate::ports::MockPurgeReader;
use crate::testing::{at, org, purge, refs};
use crate::{Failure, Ledger, PurgeRecord};

fn show(found: Option<Purge>, id: &str) -> Result<PurgeView, GovernanceError> {
    let mut reader = MockPurgeReader::new();
    let record = found.map(|purge| PurgeRecord { purge, ledger: Ledger::default() });
    reader.expect_find().returning(move |_, _| Ok(record.clone()));
    ShowPurge::new(Arc::new(reader)).show(&org(), id)
}

#[test]
fn a_failed_purge_says_why() {
    let failure = Failure { code: ErrorCode::SubjectNotEmpty, detail: "profiles".to_owned() };
    let failed = purge().claimed(at(20)).unwrap().failed(failure, at(30)).unwrap();

    let view = show(Some(failed), purge().id.as_str()).unwrap();

    let expected = PurgeView {
        purge_id: purge().id,
        subject_ref: refs("ticket-1").subject,
        request_ref: refs("ticket-1").request,
        status: PurgeStatus::Failed,
        error_code: Some(ErrorCode::SubjectNotEmpty),
        error_detail: Some("profiles".to_owned()),
        created_at: at(10),
        updated_at: at(30),
        completed_at: None,
    };
    assert_eq!(view, expected);
}

#[test]
fn a_complete_purge_says_when_and_no_error() {
    let complete = purge().claimed(at(20)).unwrap().completed(at(30)).unwrap();

    let view = show(Some(complete), purge().id.as_str()).unwrap();

    assert_eq!((view.completed_at, view.error_code, view.error_detail), (Some(at(30)), None, None));
}

#[test]
fn an_unknown_purge_and_a_malformed_id_cannot_be_told_apart() {
    let unknown = show(None, purge().id.as_str());
    let malformed = show(Some(purge()), "purge_' or 1=1 --");

    assert_eq!(unknown, Err(GovernanceError::PurgeNotFound));
    assert_eq!(malformed, unknown);
}
