//! Agent playbooks inside a transaction.

use ::learning::{
    AgentPlaybook, AgentPlaybookId, AgentPlaybookTx, NewAgentPlaybook, PlaybookOwner, PlaybookStatus,
    SourceWindow, UserPlaybookId,
};
use diesel::prelude::*;
use kernel::{StoreError, UserId};

use super::columns::decision_text;
use super::playbook_rows::{AgentPlaybookColumns, AgentPlaybookRow, agent_playbook_id_of, searched};
use super::source_links::windows_of;
use super::words::Mark;
use crate::schema::{agent_playbook_words, agent_playbooks};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn AgentPlaybookTx);

impl AgentPlaybookTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn owners(&mut self, playbooks: &[UserPlaybookId]) -> Result<Vec<PlaybookOwner>, StoreError> {
        self.owners_of(playbooks)
    }

    fn insert(&mut self, playbook: &NewAgentPlaybook) -> Result<AgentPlaybookId, StoreError> {
        let org_id = self.org.clone();
        let columns = AgentPlaybookColumns::of(org_id.as_str(), playbook)?;
        let number: i64 = self.query(|conn, _| {
            diesel::insert_into(agent_playbooks::table)
                .values(&columns)
                .returning(agent_playbooks::agent_playbook_id)
                .get_result(conn)
        })?;
        let words = Mark::of_org(&org_id).index(&searched(&playbook.text));
        self.query(|conn, org| {
            diesel::insert_into(agent_playbook_words::table)
                .values((
                    agent_playbook_words::agent_playbook_id.eq(number),
                    agent_playbook_words::org_id.eq(org),
                    agent_playbook_words::words.eq(&words),
                ))
                .execute(conn)
        })?;
        let id = agent_playbook_id_of(number)?;
        self.link(id, &playbook.source_windows)?;
        Ok(id)
    }

    fn find(&mut self, id: AgentPlaybookId) -> Result<Option<AgentPlaybook>, StoreError> {
        let row: Option<AgentPlaybookRow> = self.query(|conn, org| {
            agent_playbooks::table
                .find(id.number())
                .filter(agent_playbooks::org_id.eq(org))
                .select(AgentPlaybookRow::as_select())
                .first(conn)
                .optional()
        })?;
        let Some(row) = row else { return Ok(None) };
        let windows = self.windows(id)?;
        row.playbook(windows).map(Some)
    }

    fn replace(&mut self, playbook: &AgentPlaybook) -> Result<bool, StoreError> {
        let id = playbook.agent_playbook_id;
        let org_id = self.org.clone();
        let new = without_number(playbook.clone());
        let columns = AgentPlaybookColumns::of(org_id.as_str(), &new)?;
        let replaced = self.query(|conn, org| {
            let named = agent_playbooks::table.find(id.number()).filter(agent_playbooks::org_id.eq(org));
            diesel::update(named).set(&columns).execute(conn)
        })?;
        if replaced == 0 {
            return Ok(false);
        }
        let words = Mark::of_org(&org_id).index(&searched(&playbook.text));
        self.query(|conn, org| {
            let named =
                agent_playbook_words::table.find(id.number()).filter(agent_playbook_words::org_id.eq(org));
            diesel::update(named).set(agent_playbook_words::words.eq(&words)).execute(conn)
        })?;
        // Links that stay are not written anew: their users need not be admitted for a change of something else.
        if self.windows(id)? != playbook.source_windows {
            self.unlink(id)?;
            self.link(id, &playbook.source_windows)?;
        }
        Ok(true)
    }

    fn set_status(&mut self, id: AgentPlaybookId, status: PlaybookStatus) -> Result<bool, StoreError> {
        let changed = self.query(|conn, org| {
            let named = agent_playbooks::table.find(id.number()).filter(agent_playbooks::org_id.eq(org));
            diesel::update(named)
                .set(agent_playbooks::playbook_status.eq(decision_text(status)))
                .execute(conn)
        })?;
        Ok(changed == 1)
    }

    fn delete(&mut self, id: AgentPlaybookId) -> Result<bool, StoreError> {
        let deleted = self.query(|conn, org| {
            let named = agent_playbooks::table.find(id.number()).filter(agent_playbooks::org_id.eq(org));
            diesel::delete(named).execute(conn)
        })?;
        self.unlink(id)?;
        Ok(deleted == 1)
    }
}

impl OrgTx {
    fn windows(&mut self, id: AgentPlaybookId) -> Result<Vec<SourceWindow>, StoreError> {
        let windows = self.query(|conn, org| Ok(windows_of(conn, org, &[id.number()])))??;
        Ok(windows.into_values().next().unwrap_or_default())
    }
}

fn without_number(playbook: AgentPlaybook) -> NewAgentPlaybook {
    NewAgentPlaybook {
        text: playbook.text,
        playbook_status: playbook.playbook_status,
        metadata: playbook.metadata,
        created_at: playbook.created_at,
        status: playbook.status,
        source_windows: playbook.source_windows,
    }
}
