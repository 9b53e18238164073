//! The learning feed: appended inside a transaction, read in commit order.

use std::collections::HashMap;

use ::learning::{FeedEntry, FeedPosition, FeedReader, PublishedInteraction, Request};
use diesel::prelude::*;
use kernel::{OrgId, RequestId, StoreError, Verdict};

use super::activity::interactions_of;
use super::columns::corrupt;
use super::requests::session_of;
use crate::backend::{self, AnyConnection};
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::feed_entries;
use crate::transaction::OrgTx;

#[derive(Queryable, Selectable)]
#[diesel(table_name = feed_entries)]
struct EntryRow {
    sequence: Option<i64>,
    user_id: String,
    session_id: String,
    request_id: String,
}

impl OrgTx {
    /// Appends the request to the feed.
    pub(super) fn feed(&mut self, request: &Request) -> Result<(), StoreError> {
        self.must_have_admitted(&request.session.user)?;
        self.query(|conn, org| {
            diesel::insert_into(feed_entries::table)
                .values((
                    feed_entries::org_id.eq(org),
                    feed_entries::user_id.eq(request.session.user.as_str()),
                    feed_entries::session_id.eq(request.session.session.as_str()),
                    feed_entries::request_id.eq(request.request_id.as_str()),
                ))
                .execute(conn)
        })?;
        Ok(())
    }
}

impl FeedReader for Database {
    fn entries(&self, org: &OrgId, after: FeedPosition, limit: u32) -> Result<Vec<FeedEntry>, StoreError> {
        // No number is as great: nothing comes after it.
        let Ok(after) = i64::try_from(after.0) else { return Ok(Vec::new()) };
        self.number_committed_entries(org, after, limit)?;
        self.snapshot(|conn| {
            let rows = answer(entry_rows(conn, org.as_str(), after, limit))?;
            let ids: Vec<_> = rows.iter().map(|row| row.request_id.as_str()).collect();
            let mut turns = interactions_of(conn, org.as_str(), &ids)?;
            rows.iter().map(|row| row.entry(&mut turns)).collect()
        })
    }
}

impl Database {
    /// Gives numbers to entries that were committed since the last reader came, until the page is full.
    fn number_committed_entries(&self, org: &OrgId, after: i64, limit: u32) -> Result<(), StoreError> {
        let limit = i64::from(limit.max(1));
        while self.read(|conn| backend::feed::has_unnumbered(conn, org.as_str(), after, limit))? {
            let mut numbered = Ok(());
            self.write(org, &mut |tx| {
                numbered = tx.query(backend::feed::number_some);
                if numbered.is_ok() { Verdict::Commit } else { Verdict::RollBack }
            })?;
            numbered?;
        }
        Ok(())
    }
}

fn entry_rows(conn: &mut AnyConnection, org: &str, after: i64, limit: u32) -> QueryResult<Vec<EntryRow>> {
    feed_entries::table
        .filter(feed_entries::org_id.eq(org))
        .filter(feed_entries::sequence.gt(after))
        .order(feed_entries::sequence)
        .limit(i64::from(limit))
        .select(EntryRow::as_select())
        .load(conn)
}

impl EntryRow {
    fn entry(&self, turns: &mut HashMap<String, Vec<PublishedInteraction>>) -> Result<FeedEntry, StoreError> {
        let sequence = self.sequence.and_then(|number| u64::try_from(number).ok());
        Ok(FeedEntry {
            sequence: FeedPosition(sequence.ok_or_else(|| corrupt("feed_entries.sequence"))?),
            session: session_of(&self.user_id, &self.session_id, "feed_entries")?,
            request_id: RequestId::new(&self.request_id).map_err(|_| corrupt("feed_entries.request_id"))?,
            interactions: turns.remove(&self.request_id).unwrap_or_default(),
        })
    }
}
