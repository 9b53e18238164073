//! What was published, read back.

use std::collections::HashMap;

use ::learning::{
    ActivityReader, InteractionFilter, InteractionId, PublishedInteraction, PublishedRequest, Request,
    RequestFilter, Slice, Turns,
};
use diesel::prelude::*;
use kernel::{OrgId, RequestId, StoreError};

use super::interactions::InteractionRow;
use super::paging::{in_period, newest_first};
use super::requests::RequestRow;
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::{interactions, requests};

impl ActivityReader for Database {
    fn requests(
        &self,
        org: &OrgId,
        filter: &RequestFilter,
        slice: &Slice<RequestId>,
    ) -> Result<Vec<PublishedRequest>, StoreError> {
        self.snapshot(|conn| {
            let rows = answer(request_rows(conn, org.as_str(), filter, slice))?;
            let listed: Result<Vec<Request>, _> = rows.into_iter().map(Request::try_from).collect();
            let listed = listed?;
            let ids: Vec<_> = listed.iter().map(|request| request.request_id.as_str()).collect();
            let mut turns = match filter.turns {
                Turns::Included => interactions_of(conn, org.as_str(), &ids)?,
                Turns::LeftOut => HashMap::new(),
            };
            let with_turns = |request: Request| {
                let interactions = turns.remove(request.request_id.as_str()).unwrap_or_default();
                PublishedRequest { request, interactions }
            };
            Ok(listed.into_iter().map(with_turns).collect())
        })
    }

    fn interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        slice: &Slice<InteractionId>,
    ) -> Result<Vec<PublishedInteraction>, StoreError> {
        let rows = self.read(|conn| {
            let mut query = interactions::table
                .filter(interactions::org_id.eq(org.as_str()))
                .select(InteractionRow::as_select())
                .into_boxed();
            if let Some(user) = &filter.user {
                query = query.filter(interactions::user_id.eq(user.as_str()));
            }
            let query = in_period!(query, filter.period, interactions::created_at);
            let (time, key) = (interactions::created_at, interactions::interaction_id);
            newest_first!(query, slice, time, key, |id| id.number()).load(conn)
        })?;
        rows.into_iter().map(PublishedInteraction::try_from).collect()
    }
}

fn request_rows(
    conn: &mut AnyConnection,
    org: &str,
    filter: &RequestFilter,
    slice: &Slice<RequestId>,
) -> QueryResult<Vec<RequestRow>> {
    let mut query =
        requests::table.filter(requests::org_id.eq(org)).select(RequestRow::as_select()).into_boxed();
    if let Some(user) = &filter.user {
        query = query.filter(requests::user_id.eq(user.as_str()));
    }
    if let Some(session) = &filter.session {
        query = query.filter(requests::session_id.eq(session.as_str()));
    }
    if let Some(request) = &filter.request {
        query = query.filter(requests::request_id.eq(request.as_str()));
    }
    let query = in_period!(query, filter.period, requests::created_at);
    newest_first!(query, slice, requests::created_at, requests::request_id, |id| id.as_str()).load(conn)
}

/// The turns of these requests by request, each in the order published.
pub(super) fn interactions_of(
    conn: &mut AnyConnection,
    org: &str,
    of_requests: &[&str],
) -> Result<HashMap<String, Vec<PublishedInteraction>>, StoreError> {
    let rows: Vec<InteractionRow> = answer(
        interactions::table
            .filter(interactions::org_id.eq(org))
            .filter(interactions::request_id.eq_any(of_requests))
            .order((interactions::request_id, interactions::position))
            .select(InteractionRow::as_select())
            .load(conn),
    )?;
    let mut turns: HashMap<String, Vec<PublishedInteraction>> = HashMap::new();
    for row in rows {
        turns.entry(row.request_id.clone()).or_default().push(row.try_into()?);
    }
    Ok(turns)
}
