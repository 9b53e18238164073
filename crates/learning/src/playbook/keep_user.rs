//! Adding, changing, deleting and listing user playbooks.

use std::slice;
use std::sync::Arc;

use kernel::{Clock, OrgId, UnitOfWork};

use crate::batch::{check_size, distinct};
use crate::{
    Cursor, EventTime, LearningError, LearningReader, NewUserPlaybook, Page, PageRequest, Thing,
    UserPlaybook, UserPlaybookChanges, UserPlaybookFilter, UserPlaybookId, UserPlaybookTx,
};

#[cfg(test)]
mod tests;

const NOT_FOUND: LearningError = LearningError::NotFound(Thing::UserPlaybook);

/// Adds user playbooks.
#[derive(Clone)]
pub struct AddUserPlaybooks {
    store: Arc<dyn UnitOfWork<dyn UserPlaybookTx>>,
    clock: Arc<dyn Clock>,
}

impl AddUserPlaybooks {
    /// Adds user playbooks to this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn UserPlaybookTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Adds all of the playbooks or none.
    ///
    /// # Errors
    /// When there are none or too many, a user is being erased, or the store failed.
    pub fn add(
        &self,
        org: &OrgId,
        given: Vec<NewUserPlaybook<Option<EventTime>>>,
    ) -> Result<Vec<UserPlaybookId>, LearningError> {
        check_size(&given)?;
        let now = self.clock.now();
        let playbooks: Vec<_> = given.into_iter().map(|playbook| playbook.at(now)).collect();
        let users = distinct(playbooks.iter().map(|playbook| &playbook.user));
        self.store.transact(org, |tx| {
            tx.admit(&users)?;
            Ok(tx.insert(&playbooks)?)
        })
    }
}

/// The playbook of this id, with its user admitted by the write gate.
fn admitted(tx: &mut dyn UserPlaybookTx, id: UserPlaybookId) -> Result<UserPlaybook, LearningError> {
    let playbook = tx.find(id)?.ok_or(NOT_FOUND)?;
    tx.admit(slice::from_ref(&playbook.user))?;
    Ok(playbook)
}

/// Changes a user playbook.
#[derive(Clone)]
pub struct UpdateUserPlaybook {
    store: Arc<dyn UnitOfWork<dyn UserPlaybookTx>>,
}

impl UpdateUserPlaybook {
    /// Changes user playbooks in this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn UserPlaybookTx>>) -> Self {
        Self { store }
    }

    /// Changes the stated fields of a playbook and leaves the others.
    ///
    /// # Errors
    /// When there is no such playbook, its user is being erased, or the store failed.
    pub fn update(
        &self,
        org: &OrgId,
        id: UserPlaybookId,
        changes: &UserPlaybookChanges,
    ) -> Result<(), LearningError> {
        self.store.transact(org, |tx| {
            let playbook = admitted(tx, id)?.changed(changes.clone());
            if tx.replace(&playbook)? { Ok(()) } else { Err(NOT_FOUND) }
        })
    }
}

/// Deletes a user playbook.
#[derive(Clone)]
pub struct DeleteUserPlaybook {
    store: Arc<dyn UnitOfWork<dyn UserPlaybookTx>>,
}

impl DeleteUserPlaybook {
    /// Deletes user playbooks from this store.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn UserPlaybookTx>>) -> Self {
        Self { store }
    }

    /// Deletes a playbook, and with it the source windows that link to it.
    ///
    /// # Errors
    /// When there is no such playbook, its user is being erased, or the store failed.
    pub fn delete(&self, org: &OrgId, id: UserPlaybookId) -> Result<(), LearningError> {
        self.store.transact(org, |tx| {
            let playbook = admitted(tx, id)?;
            if tx.delete(playbook.user_playbook_id)? { Ok(()) } else { Err(NOT_FOUND) }
        })
    }
}

/// Lists user playbooks.
#[derive(Clone)]
pub struct ListUserPlaybooks {
    reader: Arc<dyn LearningReader>,
}

impl ListUserPlaybooks {
    /// Lists user playbooks from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn LearningReader>) -> Self {
        Self { reader }
    }

    /// A page of user playbooks, newest first.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        page: PageRequest<UserPlaybookId>,
    ) -> Result<Page<UserPlaybook, UserPlaybookId>, LearningError> {
        let place = |row: &UserPlaybook| Cursor { at: row.created_at, key: row.user_playbook_id };
        Page::read(page, place, |slice| Ok(self.reader.user_playbooks(org, filter, slice)?))
    }
}
