//! Purge rows and their way to and from the domain.

use ::governance::{
    Actor, ActorKind, ErrorCode, Failure, Fence, Hold, Purge, PurgeId, PurgeState, PurgeStatus, RequestRef,
    SubjectRef, TicketRefs,
};
use diesel::{Insertable, Queryable, Selectable};
use kernel::{ActorRef, StoreError, Timestamp};

use crate::schema::purge_operations;

#[derive(Queryable, Selectable)]
#[diesel(table_name = purge_operations)]
pub(super) struct PurgeRow {
    purge_id: String,
    subject_ref: String,
    request_ref: String,
    actor_kind: String,
    actor_ref: String,
    status: String,
    error_code: Option<String>,
    error_detail: Option<String>,
    fence: i64,
    due_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
    completed_at: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = purge_operations)]
pub(super) struct NewPurge<'a> {
    org_id: &'a str,
    purge_id: &'a str,
    subject_ref: &'a str,
    request_ref: &'a str,
    actor_kind: &'static str,
    actor_ref: &'a str,
    status: &'static str,
    fence: i64,
    created_at: i64,
    updated_at: i64,
}

impl<'a> NewPurge<'a> {
    pub(super) fn of(org_id: &'a str, purge: &'a Purge) -> Self {
        Self {
            org_id,
            purge_id: purge.id.as_str(),
            subject_ref: purge.refs.subject.as_str(),
            request_ref: purge.refs.request.as_str(),
            actor_kind: purge.actor.kind.as_str(),
            actor_ref: purge.actor.reference.as_str(),
            status: purge.state.status().as_str(),
            fence: purge.fence.0,
            created_at: purge.created_at.seconds(),
            updated_at: purge.updated_at.seconds(),
        }
    }
}

fn corrupt(column: &str) -> StoreError {
    StoreError::Corrupt(format!("purge_operations.{column}"))
}

impl PurgeRow {
    /// The purge as it stands at the database's `now`.
    pub(super) fn at(self, now: i64) -> Result<Purge, StoreError> {
        let state = self.state()?;
        let is_held = state == PurgeState::Running && self.due_at.is_some_and(|due| due > now);
        Ok(Purge {
            id: PurgeId::parse(&self.purge_id).map_err(|_| corrupt("purge_id"))?,
            refs: TicketRefs {
                subject: SubjectRef::parse(&self.subject_ref).map_err(|_| corrupt("subject_ref"))?,
                request: RequestRef::parse(&self.request_ref).map_err(|_| corrupt("request_ref"))?,
            },
            actor: Actor {
                kind: ActorKind::parse(&self.actor_kind).ok_or_else(|| corrupt("actor_kind"))?,
                reference: ActorRef::credential(&self.actor_ref),
            },
            state,
            fence: Fence(self.fence),
            hold: if is_held { Hold::Held } else { Hold::Free },
            created_at: Timestamp::from_seconds(self.created_at),
            updated_at: Timestamp::from_seconds(self.updated_at),
        })
    }

    fn state(&self) -> Result<PurgeState, StoreError> {
        match PurgeStatus::parse(&self.status).ok_or_else(|| corrupt("status"))? {
            PurgeStatus::Pending => Ok(PurgeState::Pending),
            PurgeStatus::Running => Ok(PurgeState::Running),
            PurgeStatus::Failed => Ok(PurgeState::Failed(self.failure()?)),
            PurgeStatus::Complete => {
                let at = self.completed_at.ok_or_else(|| corrupt("completed_at"))?;
                Ok(PurgeState::Complete { at: Timestamp::from_seconds(at) })
            }
        }
    }

    fn failure(&self) -> Result<Failure, StoreError> {
        let code = self.error_code.as_deref().and_then(ErrorCode::parse);
        Ok(Failure {
            code: code.ok_or_else(|| corrupt("error_code"))?,
            detail: self.error_detail.clone().unwrap_or_default(),
        })
    }
}
