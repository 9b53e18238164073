//! A look at a user who has so many rows in each table.

use std::ops::ControlFlow;

use kernel::{Barrier, OrgId, StoreError, UserId};

use crate::{
    AgentPlaybookId, ExportRow, SubjectReader, SubjectRef, SubjectSnapshot, Table, TicketRefs, Value,
};

#[derive(Clone, Default)]
pub(crate) struct Looked {
    rows: Vec<(&'static str, u64)>,
    barrier: Option<Barrier>,
    exported: Option<TicketRefs>,
}

impl Looked {
    pub(crate) fn at(rows: &[(&'static str, u64)]) -> Self {
        Self { rows: rows.to_vec(), ..Self::default() }
    }

    pub(crate) fn behind(self, barrier: Barrier) -> Self {
        Self { barrier: Some(barrier), ..self }
    }

    pub(crate) fn exported(self, refs: TicketRefs) -> Self {
        Self { exported: Some(refs), ..self }
    }
}

impl SubjectReader for Looked {
    fn look(&self, _org: &OrgId, look: &mut dyn FnMut(&mut dyn SubjectSnapshot)) -> Result<(), StoreError> {
        look(&mut self.clone());
        Ok(())
    }
}

impl SubjectSnapshot for Looked {
    fn barrier(&mut self, _subject: &[SubjectRef]) -> Result<Option<Barrier>, StoreError> {
        Ok(self.barrier)
    }

    fn exported(&mut self, _ticket: &[TicketRefs]) -> Result<Option<TicketRefs>, StoreError> {
        Ok(self.exported.clone())
    }

    fn rows(
        &mut self,
        user: &UserId,
        table: &Table,
        each: &mut dyn FnMut(&ExportRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        for number in 0..self.count(user, table)? {
            let row = ExportRow(vec![("number", Value::Integer(i64::try_from(number).unwrap()))]);
            if each(&row) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    fn count(&mut self, _user: &UserId, table: &Table) -> Result<u64, StoreError> {
        Ok(self.rows.iter().find(|(name, _)| *name == table.name).map_or(0, |(_, rows)| *rows))
    }

    fn linked(&mut self, user: &UserId, table: &Table) -> Result<Vec<AgentPlaybookId>, StoreError> {
        let links = i64::try_from(self.count(user, table)?).unwrap();
        Ok((0..links).map(AgentPlaybookId).collect())
    }
}
