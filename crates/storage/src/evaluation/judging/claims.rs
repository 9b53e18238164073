//! Who grades a session on demand, by the database's clock.

use std::slice;

use ::evaluation::SessionKey;
use ::evaluation::judging::{Holder, SessionClaims, SessionLease};
use diesel::prelude::*;
use kernel::{OrgId, StoreError};

use crate::backend::{moment_from_now, now};
use crate::database::Database;
use crate::schema::session_claims;
use crate::transaction::OrgTx;

impl SessionClaims for Database {
    fn claim(
        &self,
        org: &OrgId,
        session: &SessionKey,
        holder: &Holder,
        seconds: i64,
    ) -> Result<Option<SessionLease>, StoreError> {
        self.written(org, |tx| {
            tx.pass_gate(slice::from_ref(&session.user_id))?;
            if tx.is_claimed(session)? {
                return Ok(None);
            }
            let fence = tx.claim_session(session, holder, seconds)?;
            Ok(Some(SessionLease { session: session.clone(), fence }))
        })
    }

    fn release(&self, org: &OrgId, lease: &SessionLease) -> Result<(), StoreError> {
        let SessionKey { user_id, session_id } = &lease.session;
        self.written(org, |tx| {
            tx.query(|conn, org| {
                let held = session_claims::table
                    .filter(session_claims::org_id.eq(org))
                    .filter(session_claims::user_id.eq(user_id.as_str()))
                    .filter(session_claims::session_id.eq(session_id.as_str()))
                    .filter(session_claims::fence.eq(lease.fence));
                diesel::update(held).set(session_claims::expires_at.eq(0)).execute(conn)
            })?;
            Ok(())
        })
    }
}

impl OrgTx {
    fn is_claimed(&mut self, session: &SessionKey) -> Result<bool, StoreError> {
        self.query(|conn, org| {
            let now = now(conn);
            let live = session_claims::table
                .find((org, session.user_id.as_str(), session.session_id.as_str()))
                .filter(session_claims::expires_at.gt(now));
            diesel::select(diesel::dsl::exists(live)).get_result(conn)
        })
    }

    fn claim_session(
        &mut self,
        session: &SessionKey,
        holder: &Holder,
        seconds: i64,
    ) -> Result<i64, StoreError> {
        use session_claims as t;
        self.must_have_admitted(&session.user_id)?;
        self.query(|conn, org| {
            let key = (org, session.user_id.as_str(), session.session_id.as_str());
            let end = moment_from_now(conn, seconds);
            let taken = diesel::update(t::table.find(key))
                .set((t::holder.eq(&holder.0), t::fence.eq(t::fence + 1), t::expires_at.eq(end)))
                .returning(t::fence)
                .get_result(conn)
                .optional()?;
            if let Some(fence) = taken {
                return Ok(fence);
            }
            let end = moment_from_now(conn, seconds);
            let first = (
                t::org_id.eq(key.0),
                t::user_id.eq(key.1),
                t::session_id.eq(key.2),
                t::holder.eq(&holder.0),
                t::fence.eq(1),
                t::expires_at.eq(end),
            );
            diesel::insert_into(t::table).values(first).returning(t::fence).get_result(conn)
        })
    }
}
