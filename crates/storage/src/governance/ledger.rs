//! What purges have deleted, entered beside the deletes.

use std::collections::{BTreeMap, BTreeSet};

use ::governance::{AgentPlaybookId, Ledger, LedgerTx, PurgeId, Target};
use diesel::prelude::*;
use diesel::upsert::excluded;
use kernel::StoreError;

use crate::backend::AnyConnection;
use crate::schema::{purge_ledger, purge_unlinked};
use crate::transaction::OrgTx;

/// A ledger as stored: rows per target, and unlinked agent playbooks.
pub(super) type Stored = (Vec<(String, i64)>, Vec<i64>);

pub(super) fn read(conn: &mut AnyConnection, org: &str, purge: &PurgeId) -> QueryResult<Stored> {
    let recorded = purge_ledger::table
        .filter(purge_ledger::org_id.eq(org))
        .filter(purge_ledger::purge_id.eq(purge.as_str()))
        .select((purge_ledger::target, purge_ledger::deleted))
        .load(conn)?;
    let unlinked = purge_unlinked::table
        .filter(purge_unlinked::org_id.eq(org))
        .filter(purge_unlinked::purge_id.eq(purge.as_str()))
        .select(purge_unlinked::agent_playbook_id)
        .load(conn)?;
    Ok((recorded, unlinked))
}

pub(super) fn ledger_of((recorded, unlinked): Stored) -> Result<Ledger, StoreError> {
    let corrupt = |column: &str| StoreError::Corrupt(format!("purge_ledger.{column}"));
    let recorded = recorded.into_iter().map(|(target, deleted)| {
        let target = Target::parse(&target).ok_or_else(|| corrupt("target"))?;
        Ok((target, u64::try_from(deleted).map_err(|_| corrupt("deleted"))?))
    });
    Ok(Ledger {
        recorded: recorded.collect::<Result<BTreeMap<_, _>, StoreError>>()?,
        unlinked: unlinked.into_iter().map(AgentPlaybookId).collect::<BTreeSet<_>>(),
    })
}

impl LedgerTx for OrgTx {
    fn add(&mut self, purge: &PurgeId, target: Target, rows: u64) -> Result<(), StoreError> {
        let rows = i64::try_from(rows).unwrap_or(i64::MAX);
        self.query(|conn, org| {
            let entry = (
                purge_ledger::org_id.eq(org),
                purge_ledger::purge_id.eq(purge.as_str()),
                purge_ledger::target.eq(target.as_str()),
                purge_ledger::deleted.eq(rows),
            );
            on_each!(conn, |c| diesel::insert_into(purge_ledger::table)
                .values(entry)
                .on_conflict((purge_ledger::org_id, purge_ledger::purge_id, purge_ledger::target))
                .do_update()
                .set(purge_ledger::deleted.eq(purge_ledger::deleted + excluded(purge_ledger::deleted)))
                .execute(c))
        })?;
        Ok(())
    }

    fn add_unlinked(&mut self, purge: &PurgeId, playbooks: &[AgentPlaybookId]) -> Result<(), StoreError> {
        self.query(|conn, org| {
            let entry = |playbook: &AgentPlaybookId| {
                (
                    purge_unlinked::org_id.eq(org),
                    purge_unlinked::purge_id.eq(purge.as_str()),
                    purge_unlinked::agent_playbook_id.eq(playbook.0),
                )
            };
            let entries: Vec<_> = playbooks.iter().map(entry).collect();
            on_each!(conn, |c| diesel::insert_into(purge_unlinked::table)
                .values(entries)
                .on_conflict_do_nothing()
                .execute(c))
        })?;
        Ok(())
    }

    fn read(&mut self, purge: &PurgeId) -> Result<Ledger, StoreError> {
        ledger_of(self.query(|conn, org| read(conn, org, purge))?)
    }
}
