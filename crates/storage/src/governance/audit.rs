//! Audit rows inside a transaction: appended, never changed.

use std::collections::BTreeMap;

use ::governance::{AuditEntry, AuditTx, Counts, Operation, TicketRefs};
use diesel::dsl::{max, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use kernel::StoreError;

use crate::backend::AnyConnection;
use crate::schema::audit_events;
use crate::transaction::OrgTx;

/// The references of the tickets that an operation succeeded for, among all pairs of theirs.
pub(super) fn succeeded(
    conn: &mut AnyConnection,
    org: &str,
    operation: Operation,
    ticket: &[TicketRefs],
) -> QueryResult<Option<TicketRefs>> {
    let subjects = ticket.iter().map(|refs| refs.subject.as_str());
    let requests = ticket.iter().map(|refs| refs.request.as_str());
    let stored: Vec<(String, String)> = audit_events::table
        .filter(audit_events::org_id.eq(org))
        .filter(audit_events::operation.eq(operation.as_str()))
        .filter(audit_events::subject_ref.eq_any(subjects))
        .filter(audit_events::request_ref.eq_any(requests))
        // As the index of successes has it, so that the planner knows them for the same.
        .filter(sql::<Bool>("outcome = 'ok'"))
        .order(audit_events::sequence)
        .select((audit_events::subject_ref, audit_events::request_ref))
        .load(conn)?;
    let is = |refs: &TicketRefs, subject: &str, request: &str| {
        refs.subject.as_str() == subject && refs.request.as_str() == request
    };
    Ok(stored
        .iter()
        .find_map(|(subject, request)| ticket.iter().find(|refs| is(refs, subject, request)))
        .cloned())
}

fn counts_column(counts: &Counts) -> Result<String, StoreError> {
    let named: BTreeMap<_, _> = counts.iter().map(|(target, rows)| (target.as_str(), rows)).collect();
    serde_json::to_string(&named).map_err(|error| StoreError::Failed(format!("audit counts: {error}")))
}

impl AuditTx for OrgTx {
    fn succeeded(
        &mut self,
        operation: Operation,
        ticket: &[TicketRefs],
    ) -> Result<Option<TicketRefs>, StoreError> {
        self.query(|conn, org| succeeded(conn, org, operation, ticket))
    }

    fn append(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        let counts = counts_column(&entry.counts)?;
        let appended = self.query(|conn, org| {
            let last: Option<i64> = audit_events::table
                .filter(audit_events::org_id.eq(org))
                .select(max(audit_events::sequence))
                .first(conn)?;
            let row = (
                audit_events::org_id.eq(org),
                audit_events::sequence.eq(last.unwrap_or_default().saturating_add(1)),
                audit_events::actor_kind.eq(entry.actor.kind.as_str()),
                audit_events::actor_ref.eq(entry.actor.reference.as_str()),
                audit_events::operation.eq(entry.operation.as_str()),
                audit_events::outcome.eq(entry.outcome.as_str()),
                audit_events::subject_ref.eq(entry.refs.subject.as_str()),
                audit_events::request_ref.eq(entry.refs.request.as_str()),
                audit_events::counts.eq(&counts),
                audit_events::created_at.eq(entry.at.seconds()),
            );
            on_each!(conn, |c| diesel::insert_into(audit_events::table)
                .values(row)
                .on_conflict((audit_events::org_id, audit_events::sequence))
                .do_nothing()
                .execute(c))
        })?;
        // Another appended this number meanwhile; a row that is there already fails on its own index instead.
        if appended == 1 { Ok(()) } else { Err(self.lose_race()) }
    }
}
