//! What each room refuses, as a problem: every variant by name, so that a new one cannot be forgotten.

use evaluation::EvaluationError;
use experiments::ExperimentError;
use governance::{ErrorCode, GovernanceError};
use kernel::{Barrier, StoreError};
use learning::{LearningError, Thing};
use organization::OrganizationError;
use wire::{FieldError, Invalid};

use super::{Code, Problem};

/// The field that is wrong when an attribution is not true.
const ATTRIBUTION: &[&str] = &["body", "retrieval_experiment_arm"];

impl From<Invalid> for Problem {
    fn from(Invalid(errors): Invalid) -> Self {
        let told = errors.first().map_or_else(String::new, |error| {
            let field = error.loc.iter().skip(1).map(String::as_str).collect::<Vec<_>>().join(".");
            if field.is_empty() {
                format!("the body {}", error.msg)
            } else {
                format!("`{field}` {}", error.msg)
            }
        });
        Self { errors, ..Self::telling(Code::InvalidRequest, told) }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(ref why) => {
                tracing::warn!(why, "the store is not available");
                Self::new(Code::StorageUnavailable).retry_after(2)
            }
            StoreError::Contended => {
                Self::telling(Code::StorageUnavailable, "the storage is too busy; try again").retry_after(1)
            }
            StoreError::Unsupported(what) => {
                Self::telling(Code::NotSupported, format!("this server does not keep {what}"))
            }
            StoreError::Barred(Barrier::Erasing) => Self::new(Code::SubjectBeingErased).retry_after(5),
            StoreError::Barred(Barrier::Erased) => Self::new(Code::SubjectErased),
            StoreError::Corrupt(ref what) | StoreError::Failed(ref what) => {
                tracing::error!(what, "the store failed");
                Self::internal()
            }
        }
    }
}

impl From<OrganizationError> for Problem {
    fn from(error: OrganizationError) -> Self {
        match error {
            OrganizationError::NotAuthenticated => Self::telling(Code::NotAuthenticated, error),
            OrganizationError::PersonRequired => Self::telling(Code::DashboardCredentialRequired, error),
            OrganizationError::CredentialNotFound => Self::new(Code::CredentialNotFound),
            OrganizationError::GovernanceNeedsDashboard => {
                Invalid::field(&["body", "permissions"], error).into()
            }
            OrganizationError::InvalidSetting(wrong) => {
                Invalid::field(&["body", wrong.setting], wrong.problem).into()
            }
            OrganizationError::Store(error) => error.into(),
        }
    }
}

impl From<ExperimentError> for Problem {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::AlreadyActive { .. } => Self::telling(Code::ExperimentAlreadyActive, error),
            ExperimentError::IdReused { .. } => Self::telling(Code::ExperimentIdReused, error),
            ExperimentError::NotFound => Self::new(Code::ExperimentNotFound),
            ExperimentError::NotActive { .. } => Self::telling(Code::ExperimentNotActive, error),
            ExperimentError::UserRequired => Self::new(Code::UserIdRequired).at(&["body", "user_id"]),
            ExperimentError::AttributionUnknown { .. } | ExperimentError::AttributionWrongArm { .. } => {
                Self::telling(Code::WrongAttribution, error).at(ATTRIBUTION)
            }
            ExperimentError::Store(error) => error.into(),
        }
    }
}

impl From<EvaluationError> for Problem {
    fn from(error: EvaluationError) -> Self {
        match error {
            EvaluationError::CreatedAtMissing { ref rows } => {
                let wrong = |row: &usize| FieldError {
                    loc: ["body", "results", &row.to_string(), "created_at"].map(str::to_owned).to_vec(),
                    msg: error.to_string(),
                };
                Invalid(rows.iter().map(wrong).collect()).into()
            }
            EvaluationError::RegenerationRunning { .. } => Self::telling(Code::RegenerationRunning, error),
            EvaluationError::JobNotFound => Self::new(Code::JobNotFound),
            EvaluationError::Judge(_) => Self::telling(Code::JudgeUnavailable, error).retry_after(30),
            EvaluationError::GradedElsewhere => Self::telling(Code::GradedElsewhere, error).retry_after(5),
            EvaluationError::Store(error) => error.into(),
        }
    }
}

impl From<LearningError> for Problem {
    fn from(error: LearningError) -> Self {
        let in_turns = |msg: &LearningError| Invalid::field(&["body", "interaction_data_list"], msg).into();
        match error {
            LearningError::EmptyBatch | LearningError::BatchTooLarge { .. } => {
                Invalid::field(&["body"], error).into()
            }
            LearningError::NothingToKeep
            | LearningError::TooManyRetrievedLearnings { .. }
            | LearningError::TooManyCitations { .. }
            | LearningError::InTheFuture { .. } => in_turns(&error),
            LearningError::RequestIdReused => Self::telling(Code::RequestIdReused, error),
            LearningError::UnknownExperiment | LearningError::WrongArm => {
                Self::telling(Code::WrongAttribution, error).at(ATTRIBUTION)
            }
            LearningError::UserIdRequired => {
                Self::telling(Code::UserIdRequired, error).at(&["body", "user_id"])
            }
            LearningError::NotFound(Thing::Profile) => Self::new(Code::ProfileNotFound),
            LearningError::NotFound(Thing::UserPlaybook | Thing::AgentPlaybook) => {
                Self::new(Code::PlaybookNotFound)
            }
            LearningError::NotFound(Thing::Session) => Self::new(Code::SessionNotFound),
            LearningError::ProfileOfAnotherUser { .. } => Self::new(Code::ProfileOfAnotherUser),
            LearningError::AmbiguousSession => Self::telling(Code::AmbiguousSession, error),
            LearningError::LinkedPlaybookMissing { .. } | LearningError::TooManySourceWindows { .. } => {
                Invalid::field(&["body", "source_windows"], error).into()
            }
            LearningError::LinkedSubjectBarred => Self::telling(Code::SubjectErased, error),
            LearningError::Store(error) => error.into(),
        }
    }
}

impl From<GovernanceError> for Problem {
    fn from(error: GovernanceError) -> Self {
        match error {
            GovernanceError::PurgeNotFound => Self::new(Code::PurgeNotFound),
            GovernanceError::BeingErased => Self::new(Code::SubjectBeingErased).retry_after(5),
            GovernanceError::EraseFailed { code: ErrorCode::StorageUnavailable, .. } => {
                Self::telling(Code::StorageUnavailable, error).retry_after(5)
            }
            GovernanceError::EraseFailed { .. } => Self::telling(Code::EraseFailed, error),
            GovernanceError::ReceiverGone => Self::internal(),
            GovernanceError::Store(error) => error.into(),
        }
    }
}
