//! The rows of one user inside a transaction, table by declared table.

use ::governance::{AgentPlaybookId, ErasureTx, Role, Table};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use kernel::{StoreError, UserId};

use super::statement::{blanks, of_user};
use crate::backend::{go_through_indexes, some_rows};
use crate::transaction::OrgTx;

#[derive(QueryableByName)]
struct Unlinked {
    #[diesel(sql_type = BigInt)]
    agent_playbook: i64,
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

impl OrgTx {
    /// Runs a change of some of the user's rows and says how many it changed.
    fn change(&mut self, change: &str, user: &UserId, table: &Table, limit: u64) -> Result<u64, StoreError> {
        let (of_user, limit) = (of_user(table)?, bound(limit));
        let changed = self.query(|conn, org| {
            go_through_indexes(conn)?;
            diesel::sql_query(format!("{change} WHERE {}", some_rows(conn, table.name, &of_user)))
                .bind::<Text, _>(org)
                .bind::<Text, _>(user.as_str())
                .bind::<BigInt, _>(limit)
                .execute(conn)
        })?;
        u64::try_from(changed).map_err(|_| StoreError::Failed("more rows than can be counted".to_owned()))
    }
}

fn bound(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl ErasureTx for OrgTx {
    fn delete(&mut self, user: &UserId, table: &Table, limit: u64) -> Result<u64, StoreError> {
        self.change(&format!("DELETE FROM {}", table.name), user, table, limit)
    }

    fn blank(&mut self, user: &UserId, table: &Table, limit: u64) -> Result<u64, StoreError> {
        self.change(&format!("UPDATE {} SET {}", table.name, blanks(table)), user, table, limit)
    }

    fn unlink(
        &mut self,
        user: &UserId,
        table: &Table,
        limit: u64,
    ) -> Result<Vec<AgentPlaybookId>, StoreError> {
        let Role::Link { agent_playbook } = table.role else {
            return Err(StoreError::Failed(format!("{} links no agent playbook", table.name)));
        };
        let (of_user, limit) = (of_user(table)?, bound(limit));
        let unlinked: Vec<Unlinked> = self.query(|conn, org| {
            go_through_indexes(conn)?;
            let some = some_rows(conn, table.name, &of_user);
            let delete = format!(
                "DELETE FROM {} WHERE {some} RETURNING CAST({agent_playbook} AS BIGINT) AS agent_playbook",
                table.name
            );
            diesel::sql_query(delete)
                .bind::<Text, _>(org)
                .bind::<Text, _>(user.as_str())
                .bind::<BigInt, _>(limit)
                .load(conn)
        })?;
        Ok(unlinked.into_iter().map(|link| AgentPlaybookId(link.agent_playbook)).collect())
    }

    fn is_empty(&mut self, user: &UserId, table: &Table) -> Result<bool, StoreError> {
        let any = format!("SELECT EXISTS (SELECT 1 FROM {} WHERE {}) AS found", table.name, of_user(table)?);
        let Found { found } = self.query(|conn, org| {
            go_through_indexes(conn)?;
            diesel::sql_query(any).bind::<Text, _>(org).bind::<Text, _>(user.as_str()).get_result(conn)
        })?;
        Ok(!found)
    }
}
