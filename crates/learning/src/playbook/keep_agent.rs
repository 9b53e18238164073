//! Adding, changing, deciding about, deleting and listing agent playbooks.

use std::collections::HashSet;
use std::sync::Arc;

use kernel::{Clock, OrgId, StoreError, UnitOfWork};

use crate::batch::{check_size, distinct};
use crate::{
    AgentPlaybook, AgentPlaybookChanges, AgentPlaybookFilter, AgentPlaybookId, AgentPlaybookTx, Cursor,
    EventTime, LearningError, LearningReader, NewAgentPlaybook, Page, PageRequest, PlaybookStatus,
    SourceWindow, Thing,
};

#[cfg(test)]
mod tests;

const NOT_FOUND: LearningError = LearningError::NotFound(Thing::AgentPlaybook);

/// The most source windows in one request.
const MOST_SOURCE_WINDOWS: usize = 10_000;

/// Checks that every window links to a playbook of the organization whose user may be written about.
fn check_links(tx: &mut dyn AgentPlaybookTx, windows: &[&SourceWindow]) -> Result<(), LearningError> {
    let count = windows.len();
    if count > MOST_SOURCE_WINDOWS {
        return Err(LearningError::TooManySourceWindows { count, most: MOST_SOURCE_WINDOWS });
    }
    let linked = distinct(windows.iter().map(|window| &window.user_playbook_id));
    if linked.is_empty() {
        return Ok(());
    }
    let owners = tx.owners(&linked)?;
    let owned: HashSet<_> = owners.iter().map(|owner| owner.playbook).collect();
    let missing = linked.into_iter().find(|id| !owned.contains(id));
    if let Some(id) = missing {
        return Err(LearningError::LinkedPlaybookMissing { id });
    }
    let users = distinct(owners.iter().map(|owner| &owner.user));
    tx.admit(&users).map_err(|refused| match refused {
        // What is linked is gone, or will be: unlike the subject's own writers, nobody should come back and try again.
        StoreError::Barred(_) => LearningError::LinkedSubjectBarred,
        other => other.into(),
    })
}

/// Adds agent playbooks.
#[derive(Clone)]
pub struct AddAgentPlaybooks {
    store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>,
    clock: Arc<dyn Clock>,
}

impl AddAgentPlaybooks {
    /// Adds agent playbooks to this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Adds all of the playbooks with their source windows, or none.
    ///
    /// # Errors
    /// When there are none or too many, a linked user playbook is missing or its user barred, or the store failed.
    pub fn add(
        &self,
        org: &OrgId,
        given: Vec<NewAgentPlaybook<Option<EventTime>>>,
    ) -> Result<Vec<AgentPlaybookId>, LearningError> {
        check_size(&given)?;
        let now = self.clock.now();
        let playbooks: Vec<_> = given.into_iter().map(|playbook| playbook.at(now)).collect();
        let windows: Vec<_> = playbooks.iter().flat_map(|playbook| &playbook.source_windows).collect();
        self.store.transact(org, |tx| {
            check_links(tx, &windows)?;
            playbooks.iter().map(|playbook| Ok(tx.insert(playbook)?)).collect()
        })
    }
}

/// Changes an agent playbook.
#[derive(Clone)]
pub struct UpdateAgentPlaybook {
    store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>,
}

impl UpdateAgentPlaybook {
    /// Changes agent playbooks in this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>) -> Self {
        Self { store }
    }

    /// Changes the stated fields of a playbook and leaves the others.
    ///
    /// # Errors
    /// When there is no such playbook, a newly linked user playbook is missing or its user barred, or the store failed.
    pub fn update(
        &self,
        org: &OrgId,
        id: AgentPlaybookId,
        changes: &AgentPlaybookChanges,
    ) -> Result<(), LearningError> {
        let windows: Vec<_> = changes.source_windows.iter().flatten().collect();
        self.store.transact(org, |tx| {
            let playbook = tx.find(id)?.ok_or(NOT_FOUND)?;
            check_links(tx, &windows)?;
            if tx.replace(&playbook.changed(changes.clone()))? { Ok(()) } else { Err(NOT_FOUND) }
        })
    }
}

/// Records what people decided about an agent playbook.
#[derive(Clone)]
pub struct SetPlaybookStatus {
    store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>,
}

impl SetPlaybookStatus {
    /// Records decisions in this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>) -> Self {
        Self { store }
    }

    /// Records the decision; deciding the same again changes nothing.
    ///
    /// # Errors
    /// When there is no such playbook, or the store failed.
    pub fn set(&self, org: &OrgId, id: AgentPlaybookId, status: PlaybookStatus) -> Result<(), LearningError> {
        self.store.transact(org, |tx| if tx.set_status(id, status)? { Ok(()) } else { Err(NOT_FOUND) })
    }
}

/// Deletes an agent playbook.
#[derive(Clone)]
pub struct DeleteAgentPlaybook {
    store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>,
}

impl DeleteAgentPlaybook {
    /// Deletes agent playbooks from this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn AgentPlaybookTx>>) -> Self {
        Self { store }
    }

    /// Deletes a playbook with its source windows.
    ///
    /// # Errors
    /// When there is no such playbook, or the store failed.
    pub fn delete(&self, org: &OrgId, id: AgentPlaybookId) -> Result<(), LearningError> {
        self.store.transact(org, |tx| if tx.delete(id)? { Ok(()) } else { Err(NOT_FOUND) })
    }
}

/// Lists agent playbooks.
#[derive(Clone)]
pub struct ListAgentPlaybooks {
    reader: Arc<dyn LearningReader>,
}

impl ListAgentPlaybooks {
    /// Lists agent playbooks from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn LearningReader>) -> Self {
        Self { reader }
    }

    /// A page of agent playbooks, newest first.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        page: PageRequest<AgentPlaybookId>,
    ) -> Result<Page<AgentPlaybook, AgentPlaybookId>, LearningError> {
        let place = |row: &AgentPlaybook| Cursor { at: row.created_at, key: row.agent_playbook_id };
        Page::read(page, place, |slice| Ok(self.reader.agent_playbooks(org, filter, slice)?))
    }
}
