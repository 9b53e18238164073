//! Exit codes, and how a failure is told.

use std::process::ExitCode;

use evaluation::EvaluationError;
use experiments::ExperimentError;
use governance::{ErrorCode, GovernanceError};
use kernel::StoreError;
use organization::OrganizationError;

use crate::settings::SettingsError;

/// What the exit codes mean.
pub(crate) const CODES: &str = "Exit codes: 0 done; 1 failed; 2 wrong usage or setting; 3 storage not available; \
     4 no such thing; 5 refused by a rule.";

/// Tells a failure in one sentence and picks its exit code.
pub(crate) fn tell(error: &anyhow::Error) -> ExitCode {
    eprintln!("touchstone: {error:#}");
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    if error.is::<SettingsError>() {
        return 2;
    }
    error.chain().find_map(code_of).unwrap_or(1)
}

fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if let Some(error) = cause.downcast_ref::<StoreError>() {
        return Some(of_store(error));
    }
    if let Some(error) = cause.downcast_ref::<ExperimentError>() {
        return Some(match error {
            ExperimentError::NotFound => 4,
            ExperimentError::Store(error) => of_store(error),
            _ => 5,
        });
    }
    if let Some(error) = cause.downcast_ref::<GovernanceError>() {
        return Some(match error {
            GovernanceError::PurgeNotFound => 4,
            GovernanceError::BeingErased => 5,
            GovernanceError::Store(error) => of_store(error),
            GovernanceError::EraseFailed { code: ErrorCode::StorageUnavailable, .. } => 3,
            GovernanceError::EraseFailed { .. } | GovernanceError::ReceiverGone => 1,
        });
    }
    if let Some(error) = cause.downcast_ref::<EvaluationError>() {
        return Some(match error {
            EvaluationError::JobNotFound => 4,
            EvaluationError::RegenerationRunning { .. } | EvaluationError::GradedElsewhere => 5,
            EvaluationError::CreatedAtMissing { .. } | EvaluationError::Judge(_) => 1,
            EvaluationError::Store(error) => of_store(error),
        });
    }
    cause.downcast_ref::<OrganizationError>().map(|error| match error {
        OrganizationError::CredentialNotFound => 4,
        OrganizationError::Store(error) => of_store(error),
        _ => 5,
    })
}

const fn of_store(error: &StoreError) -> u8 {
    match error {
        StoreError::Unavailable(_) | StoreError::Contended => 3,
        StoreError::Barred(_) => 5,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use governance::KeyRing;
    use kernel::{OrgId, RequestId, UserId};

    use super::*;

    fn erase_failed(code: ErrorCode) -> anyhow::Error {
        let ring = KeyRing::new(&["a secret of more than 32 characters"]).unwrap();
        let org = OrgId::new("acme").unwrap();
        let refs = ring.ticket_refs(&org, &UserId::new("ada").unwrap(), &RequestId::new("t").unwrap());
        GovernanceError::EraseFailed { purge: refs.purge_id(&org), code }.into()
    }

    #[test]
    fn an_erasure_that_failed_because_the_storage_was_away_is_exit_code_3() {
        assert_eq!(code(&erase_failed(ErrorCode::StorageUnavailable)), 3);
    }

    #[test]
    fn an_erasure_that_failed_for_another_reason_is_exit_code_1() {
        for reason in [ErrorCode::LeaseLost, ErrorCode::SubjectNotEmpty, ErrorCode::Internal] {
            assert_eq!(code(&erase_failed(reason)), 1, "{reason:?}");
        }
    }
}
