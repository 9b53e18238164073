//! Why an attempt at an erasure stopped, and what is told of it: fixed sentences, never a value from the data.

use kernel::StoreError;

use crate::{ErrorCode, Failure, Target};

/// Why an attempt stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setback {
    /// Another executor has taken the purge; it is that one's to finish or to fail.
    LeaseLost,
    /// The final check found a row.
    NotEmpty {
        /// The table that holds it.
        table: &'static str,
    },
    /// The final check found a target that no step has reached.
    LedgerIncomplete {
        /// The target.
        target: Target,
    },
    /// The purge, or the purge that owns the barrier, is gone or stands where it cannot stand.
    OutOfPlace,
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for Setback {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Setback {
    /// What the purge's status says about it.
    pub(crate) fn failure(&self) -> Failure {
        let (code, detail) = match self {
            Self::LeaseLost => (ErrorCode::LeaseLost, "another executor took over".to_owned()),
            Self::NotEmpty { table } => {
                (ErrorCode::SubjectNotEmpty, format!("{table} still holds rows of the subject"))
            }
            Self::LedgerIncomplete { target } => {
                (ErrorCode::Internal, format!("no step has reached {}", target.as_str()))
            }
            Self::OutOfPlace => (ErrorCode::Internal, "the purge's own records disagree".to_owned()),
            Self::Store(error) => of_store(error),
        };
        Failure { code, detail }
    }
}

fn of_store(error: &StoreError) -> (ErrorCode, String) {
    let (code, detail) = match error {
        StoreError::Unavailable(_) => (ErrorCode::StorageUnavailable, "the store is not available"),
        StoreError::Contended => (ErrorCode::StorageUnavailable, "the store was too busy to finish the work"),
        StoreError::Corrupt(_) => (ErrorCode::Internal, "the store holds a value that does not belong there"),
        StoreError::Unsupported(_) => (ErrorCode::Internal, "the store does not support a step of the work"),
        StoreError::Barred(_) => (ErrorCode::Internal, "the write gate refused a step of the work"),
        StoreError::Failed(_) => (ErrorCode::Internal, "the store refused a statement"),
    };
    (code, detail.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_of_a_failure_holds_nothing_the_store_said() {
        let marker = "ada@example.org";
        for error in [StoreError::Unavailable(marker.into()), StoreError::Corrupt(marker.into())] {
            assert!(!Setback::Store(error).failure().detail.contains(marker));
        }
        assert!(!Setback::Store(StoreError::Failed(marker.into())).failure().detail.contains(marker));
    }

    #[test]
    fn each_setback_has_its_code() {
        let code = |setback: Setback| setback.failure().code;

        assert_eq!(code(Setback::LeaseLost), ErrorCode::LeaseLost);
        assert_eq!(code(Setback::NotEmpty { table: "profiles" }), ErrorCode::SubjectNotEmpty);
        assert_eq!(code(Setback::LedgerIncomplete { target: Target::Profiles }), ErrorCode::Internal);
        assert_eq!(code(Setback::OutOfPlace), ErrorCode::Internal);
        assert_eq!(code(StoreError::Unavailable(String::new()).into()), ErrorCode::StorageUnavailable);
        assert_eq!(code(StoreError::Contended.into()), ErrorCode::StorageUnavailable);
        assert_eq!(code(StoreError::Failed(String::new()).into()), ErrorCode::Internal);
    }
}
