//! What may be told of a purge operation: minimized references, where it stands, when.

use std::sync::Arc;

use kernel::{OrgId, Timestamp};

use crate::{
    ErrorCode, GovernanceError, Purge, PurgeId, PurgeReader, PurgeState, PurgeStatus, RequestRef, SubjectRef,
};

/// The status of a purge operation: these nine fields and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeView {
    /// Its identity.
    pub purge_id: PurgeId,
    /// The user, minimized.
    pub subject_ref: SubjectRef,
    /// The ticket, minimized.
    pub request_ref: RequestRef,
    /// Where it stands.
    pub status: PurgeStatus,
    /// Why it failed, for programs.
    pub error_code: Option<ErrorCode>,
    /// Why it failed, for people.
    pub error_detail: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
    /// When it became complete.
    pub completed_at: Option<Timestamp>,
}

impl PurgeView {
    /// The view of a purge.
    #[must_use]
    pub fn of(purge: &Purge) -> Self {
        let failure = match &purge.state {
            PurgeState::Failed(failure) => Some(failure),
            PurgeState::Pending | PurgeState::Running | PurgeState::Complete { .. } => None,
        };
        let completed_at = match purge.state {
            PurgeState::Complete { at } => Some(at),
            PurgeState::Pending | PurgeState::Running | PurgeState::Failed(_) => None,
        };
        Self {
            purge_id: purge.id.clone(),
            subject_ref: purge.refs.subject.clone(),
            request_ref: purge.refs.request.clone(),
            status: purge.state.status(),
            error_code: failure.map(|failure| failure.code),
            error_detail: failure.map(|failure| failure.detail.clone()),
            created_at: purge.created_at,
            updated_at: purge.updated_at,
            completed_at,
        }
    }
}

/// Tells where a purge operation stands.
#[derive(Clone)]
pub struct ShowPurge {
    reader: Arc<dyn PurgeReader>,
}

impl ShowPurge {
    /// Shows purges from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn PurgeReader>) -> Self {
        Self { reader }
    }

    /// The status of the purge with this id, as a caller wrote it.
    ///
    /// # Errors
    /// When the id is unknown, malformed or another organization's, which nobody can tell apart; or the store failed.
    pub fn show(&self, org: &OrgId, id: &str) -> Result<PurgeView, GovernanceError> {
        let id = PurgeId::parse(id).map_err(|_| GovernanceError::PurgeNotFound)?;
        let record = self.reader.find(org, &id)?.ok_or(GovernanceError::PurgeNotFound)?;
        Ok(PurgeView::of(&record.purge))
    }
}

#[cfg(test)]
mod tests;
