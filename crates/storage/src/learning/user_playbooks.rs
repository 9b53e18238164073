//! User playbooks inside a transaction.

use ::learning::{NewUserPlaybook, UserPlaybook, UserPlaybookId, UserPlaybookTx};
use diesel::prelude::*;
use kernel::{StoreError, UserId};

use super::playbook_rows::{UserPlaybookColumns, UserPlaybookRow, searched, user_playbook_id_of};
use super::words::Mark;
use crate::schema::{playbook_source_links, user_playbook_words, user_playbooks};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn UserPlaybookTx);

#[derive(Insertable)]
#[diesel(table_name = user_playbook_words)]
struct NewWords<'a> {
    user_playbook_id: i64,
    org_id: &'a str,
    user_id: &'a str,
    words: String,
}

impl UserPlaybookTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn insert(&mut self, playbooks: &[NewUserPlaybook]) -> Result<Vec<UserPlaybookId>, StoreError> {
        let org_id = self.org.clone();
        let mut rows = Vec::with_capacity(playbooks.len());
        for playbook in playbooks {
            self.must_have_admitted(&playbook.user)?;
            rows.push(UserPlaybookColumns::of(org_id.as_str(), playbook)?);
        }
        let mut ids: Vec<i64> = self.query(|conn, _| {
            on_each!(conn, |c| diesel::insert_into(user_playbooks::table)
                .values(&rows)
                .returning(user_playbooks::user_playbook_id)
                .get_results(c))
        })?;
        // Numbers are given in the order of the rows, and may be answered in another.
        ids.sort_unstable();
        let words: Vec<_> = ids
            .iter()
            .zip(playbooks)
            .map(|(id, playbook)| NewWords {
                user_playbook_id: *id,
                org_id: org_id.as_str(),
                user_id: playbook.user.as_str(),
                words: Mark::of_user(&org_id, &playbook.user).index(&searched(&playbook.text)),
            })
            .collect();
        self.query(|conn, _| {
            on_each!(conn, |c| diesel::insert_into(user_playbook_words::table).values(&words).execute(c))
        })?;
        ids.into_iter().map(user_playbook_id_of).collect()
    }

    fn find(&mut self, id: UserPlaybookId) -> Result<Option<UserPlaybook>, StoreError> {
        let row = self.query(|conn, org| {
            user_playbooks::table
                .find(id.number())
                .filter(user_playbooks::org_id.eq(org))
                .select(UserPlaybookRow::as_select())
                .first(conn)
                .optional()
        })?;
        row.map(UserPlaybook::try_from).transpose()
    }

    fn replace(&mut self, playbook: &UserPlaybook) -> Result<bool, StoreError> {
        self.must_have_admitted(&playbook.user)?;
        let id = playbook.user_playbook_id.number();
        let org_id = self.org.clone();
        let new = without_number(playbook.clone());
        let columns = UserPlaybookColumns::of(org_id.as_str(), &new)?;
        let replaced = self.query(|conn, org| {
            let named = user_playbooks::table
                .find(id)
                .filter(user_playbooks::org_id.eq(org))
                .filter(user_playbooks::user_id.eq(playbook.user.as_str()));
            diesel::update(named).set(&columns).execute(conn)
        })?;
        if replaced == 0 {
            return Ok(false);
        }
        let words = Mark::of_user(&org_id, &playbook.user).index(&searched(&playbook.text));
        self.query(|conn, org| {
            let named = user_playbook_words::table.find(id).filter(user_playbook_words::org_id.eq(org));
            diesel::update(named).set(user_playbook_words::words.eq(&words)).execute(conn)
        })?;
        Ok(true)
    }

    fn delete(&mut self, id: UserPlaybookId) -> Result<bool, StoreError> {
        let Some(playbook) = UserPlaybookTx::find(self, id)? else { return Ok(false) };
        self.must_have_admitted(&playbook.user)?;
        self.query(|conn, org| {
            let links = playbook_source_links::table
                .filter(playbook_source_links::org_id.eq(org))
                .filter(playbook_source_links::user_playbook_id.eq(id.number()));
            diesel::delete(links).execute(conn)
        })?;
        let deleted = self.query(|conn, org| {
            let named = user_playbooks::table.find(id.number()).filter(user_playbooks::org_id.eq(org));
            diesel::delete(named).execute(conn)
        })?;
        Ok(deleted == 1)
    }
}

fn without_number(playbook: UserPlaybook) -> NewUserPlaybook {
    NewUserPlaybook {
        user: playbook.user,
        request_id: playbook.request_id,
        text: playbook.text,
        source: playbook.source,
        source_interaction_ids: playbook.source_interaction_ids,
        created_at: playbook.created_at,
        status: playbook.status,
    }
}
