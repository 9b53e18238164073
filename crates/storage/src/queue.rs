//! The durable queue of what is to be done later. What made work due and the work item are one transaction.
//!
//! An item is one subject's work of one kind. It may be taken when it is waiting, due, and no live lease is on it; whoever
//! finishes it must hold the lease's fence and have seen the latest revision, else it stays due.

use ::learning::{InteractionId, SessionKey};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{StoreError, Timestamp};

use crate::kept::Keep as _;
use crate::schema::work_items;
use crate::transaction::OrgTx;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// Judging a session.
    SessionEvaluation,
    /// Comparing a turn with its shadow.
    ShadowTurn,
}

impl WorkKind {
    /// The kind's word in the queue.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::SessionEvaluation => "session_evaluation",
            Self::ShadowTurn => "shadow_turn",
        }
    }
}

/// A lease that is on the item stays: its holder finds the new revision and leaves the item due.
const MAKE_SESSION_DUE: &str = "INSERT INTO work_items (org_id, user_id, session_id, kind, due_at) \
     VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (org_id, user_id, session_id, kind, subject) DO UPDATE SET \
     due_at = CASE WHEN excluded.due_at > work_items.due_at THEN excluded.due_at ELSE work_items.due_at END, \
     state = 'waiting', revision = work_items.revision + 1, attempts = 0, last_error = NULL";

#[derive(Insertable)]
#[diesel(table_name = work_items, treat_none_as_default_value = false)]
struct NewWork<'a> {
    org_id: &'a str,
    kind: &'static str,
    user_id: &'a str,
    session_id: &'a str,
    subject: i64,
}

impl OrgTx {
    /// Makes work on a session due at this time, or later if it was due later.
    pub(crate) fn make_session_due(
        &mut self,
        kind: WorkKind,
        session: &SessionKey,
        due_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.must_have_admitted(&session.user)?;
        self.query(|conn, org| {
            diesel::sql_query(MAKE_SESSION_DUE)
                .bind::<Text, _>(org)
                .bind::<Text, _>(session.user.as_str())
                .bind::<Text, _>(session.session.as_str())
                .bind::<Text, _>(kind.as_str())
                .bind::<BigInt, _>(due_at.seconds())
                .kept()
                .run(conn)
        })
    }

    /// Queues work on turns, due at once.
    pub(crate) fn queue_turns(
        &mut self,
        kind: WorkKind,
        session: &SessionKey,
        turns: &[InteractionId],
    ) -> Result<(), StoreError> {
        self.must_have_admitted(&session.user)?;
        self.query(|conn, org| {
            let items: Vec<_> = turns
                .iter()
                .map(|turn| NewWork {
                    org_id: org,
                    kind: kind.as_str(),
                    user_id: session.user.as_str(),
                    session_id: session.session.as_str(),
                    subject: turn.number(),
                })
                .collect();
            insert_rows!(conn, work_items::table, &items)
        })?;
        Ok(())
    }
}
