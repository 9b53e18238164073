//! Everything about one user as of one moment, page by page.

use std::ops::ControlFlow;

use ::governance::{
    AgentPlaybookId, ExportRow, Operation, Role, SubjectReader, SubjectRef, SubjectSnapshot, Table,
    TicketRefs, Value,
};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{Barrier, OrgId, StoreError, UserId};

use super::statement::{IsFirst, Loaded, of_user, order, page};
use super::{audit, barriers};
use crate::backend::{AnyConnection, outlast_slow_receivers};
use crate::database::Database;
use crate::outcome::Failure;

/// Rows read at a time: few enough that long ones fit in memory, many enough that short ones cost few round trips.
const PAGE_ROWS: usize = 100;

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    n: i64,
}

impl SubjectReader for Database {
    fn look(&self, org: &OrgId, look: &mut dyn FnMut(&mut dyn SubjectSnapshot)) -> Result<(), StoreError> {
        self.snapshot(|conn| {
            let mut moment = Moment { conn, org: org.as_str() };
            moment.query(|conn, _| outlast_slow_receivers(conn))?;
            look(&mut moment);
            Ok(())
        })
    }
}

/// One organization inside a transaction whose reads all see one moment.
struct Moment<'a> {
    conn: &'a mut AnyConnection,
    org: &'a str,
}

impl Moment<'_> {
    fn query<T>(
        &mut self,
        query: impl FnOnce(&mut AnyConnection, &str) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        query(self.conn, self.org).map_err(|error| Failure::of(&error).into())
    }

    /// The numbers that a query about the user answers, under the name `n`.
    fn numbers(&mut self, select: String, user: &UserId) -> Result<Vec<i64>, StoreError> {
        let numbers: Vec<Number> = self.query(|conn, org| {
            diesel::sql_query(select).bind::<Text, _>(org).bind::<Text, _>(user.as_str()).load(conn)
        })?;
        Ok(numbers.into_iter().map(|number| number.n).collect())
    }

    /// The page behind the row with this key, or the first.
    fn page(&mut self, user: &UserId, table: &Table, last: &[Value]) -> Result<Vec<Loaded>, StoreError> {
        let is_first = if last.is_empty() { IsFirst::Yes } else { IsFirst::No };
        let select = page(table, is_first)?;
        let rows = i64::try_from(PAGE_ROWS).unwrap_or(i64::MAX);
        self.query(|conn, org| {
            let mut query = diesel::sql_query(select)
                .into_boxed()
                .bind::<Text, _>(org.to_owned())
                .bind::<Text, _>(user.as_str().to_owned());
            for value in last {
                query = match value {
                    Value::Integer(number) => query.bind::<BigInt, _>(*number),
                    Value::Text(text) => query.bind::<Text, _>(text.clone()),
                    _ => return Err(diesel::result::Error::QueryBuilderError("not a key".into())),
                };
            }
            query.bind::<BigInt, _>(rows).load(conn)
        })
    }
}

/// The values of a row that say where it stands in the table's order.
fn key_of(table: &Table, row: &Loaded) -> Result<Vec<Value>, StoreError> {
    let at = |name: &str| table.columns.iter().position(|column| column.name == name);
    let value = |name| at(name).and_then(|index| row.0.get(index)).cloned();
    let missing = || StoreError::Failed(format!("a row of {} has no key", table.name));
    order(table)?.into_iter().map(|column| value(column.name).ok_or_else(missing)).collect()
}

fn exported(table: &Table, row: Loaded) -> ExportRow {
    ExportRow(table.columns.iter().map(|column| column.name).zip(row.0).collect())
}

impl SubjectSnapshot for Moment<'_> {
    fn barrier(&mut self, subject: &[SubjectRef]) -> Result<Option<Barrier>, StoreError> {
        let raised = self.query(|conn, org| barriers::find(conn, org, subject))?;
        Ok(raised.map(barriers::barrier_of).transpose()?.map(|raised| raised.state))
    }

    fn exported(&mut self, ticket: &[TicketRefs]) -> Result<Option<TicketRefs>, StoreError> {
        self.query(|conn, org| audit::succeeded(conn, org, Operation::Export, ticket))
    }

    fn rows(
        &mut self,
        user: &UserId,
        table: &Table,
        each: &mut dyn FnMut(&ExportRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut last = Vec::new();
        loop {
            let page = self.page(user, table, &last)?;
            let is_last = page.len() < PAGE_ROWS;
            if let Some(row) = page.last() {
                last = key_of(table, row)?;
            }
            for row in page {
                if each(&exported(table, row)) == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn count(&mut self, user: &UserId, table: &Table) -> Result<u64, StoreError> {
        let count = format!("SELECT count(*) AS n FROM {} WHERE {}", table.name, of_user(table)?);
        let counted = self.numbers(count, user)?.first().copied().unwrap_or_default();
        u64::try_from(counted).map_err(|_| StoreError::Failed("a count below zero".to_owned()))
    }

    fn linked(&mut self, user: &UserId, table: &Table) -> Result<Vec<AgentPlaybookId>, StoreError> {
        let Role::Link { agent_playbook } = table.role else {
            return Err(StoreError::Failed(format!("{} links no agent playbook", table.name)));
        };
        let linked = format!(
            "SELECT DISTINCT CAST({agent_playbook} AS BIGINT) AS n FROM {} WHERE {} ORDER BY n",
            table.name,
            of_user(table)?
        );
        Ok(self.numbers(linked, user)?.into_iter().map(AgentPlaybookId).collect())
    }
}
