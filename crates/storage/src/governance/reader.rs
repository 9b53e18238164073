//! Purge operations outside a transaction.

use ::governance::{DuePurge, PurgeId, PurgeReader, PurgeRecord};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{OrgId, StoreError, UserId};

use super::ledger::{self, ledger_of};
use super::purges::{self, purge_of};
use crate::backend::clock;
use crate::database::Database;
use crate::outcome::Failure;

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = Text)]
    org: String,
    #[diesel(sql_type = Text)]
    purge: String,
    #[diesel(sql_type = Text)]
    subject: String,
}

/// Only unfinished purges have a work row, so the search costs what is unfinished, not what ever was.
fn due_statement(clock: &str) -> String {
    format!(
        "SELECT work.org_id AS org, work.purge_id AS purge, work.user_id AS subject FROM purge_work AS work \
         JOIN purge_operations AS purge ON purge.org_id = work.org_id AND purge.purge_id = work.purge_id \
         WHERE (purge.status IN ('running', 'failed') AND purge.due_at <= {clock}) \
         OR (purge.status = 'pending' AND NOT EXISTS (SELECT 1 FROM subject_barriers AS barrier \
             WHERE barrier.org_id = purge.org_id AND barrier.subject_ref = purge.subject_ref \
             AND barrier.state = 'erasing')) \
         ORDER BY purge.status = 'pending', purge.due_at, purge.created_at, purge.purge_id LIMIT $1"
    )
}

impl PurgeReader for Database {
    fn find(&self, org: &OrgId, id: &PurgeId) -> Result<Option<PurgeRecord>, StoreError> {
        self.snapshot(|conn| {
            let failed = |error| StoreError::from(Failure::of(&error));
            let Some(stored) = purges::find(conn, org.as_str(), id).map_err(failed)? else { return Ok(None) };
            let ledger = ledger::read(conn, org.as_str(), id).map_err(failed)?;
            Ok(Some(PurgeRecord { purge: purge_of(stored)?, ledger: ledger_of(ledger)? }))
        })
    }

    fn due(&self, limit: u64) -> Result<Vec<DuePurge>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let due: Vec<DueRow> = self
            .read(|conn| diesel::sql_query(due_statement(clock(conn))).bind::<BigInt, _>(limit).load(conn))?;
        due.into_iter().map(DuePurge::try_from).collect()
    }
}

impl TryFrom<DueRow> for DuePurge {
    type Error = StoreError;

    fn try_from(row: DueRow) -> Result<Self, StoreError> {
        let corrupt = |column: &str| StoreError::Corrupt(format!("purge_work.{column}"));
        Ok(Self {
            org: OrgId::new(&row.org).map_err(|_| corrupt("org_id"))?,
            purge: PurgeId::parse(&row.purge).map_err(|_| corrupt("purge_id"))?,
            user: UserId::new(&row.subject).map_err(|_| corrupt("user_id"))?,
        })
    }
}
