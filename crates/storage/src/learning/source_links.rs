//! The links from agent playbooks to the user playbooks that they were distilled from.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ::learning::{AgentPlaybookId, PlaybookOwner, SourceWindow, UserPlaybookId};
use diesel::prelude::*;
use kernel::{StoreError, UserId};

use super::columns::{corrupt, from_json, turns_in, turns_of, turns_text};
use super::playbook_rows::user_playbook_id_of;
use crate::backend::AnyConnection;
use crate::outcome::answer;
use crate::schema::{playbook_source_links, user_playbooks};
use crate::transaction::OrgTx;

#[derive(Insertable)]
#[diesel(table_name = playbook_source_links)]
struct NewLink<'a> {
    org_id: &'a str,
    agent_playbook_id: i64,
    position: i32,
    user_playbook_id: i64,
    user_id: &'a str,
    source_interaction_ids: String,
}

/// The source windows of these agent playbooks, by playbook and in the order stated.
pub(super) fn windows_of(
    conn: &mut AnyConnection,
    org: &str,
    playbooks: &[i64],
) -> Result<HashMap<i64, Vec<SourceWindow>>, StoreError> {
    let rows: Vec<(i64, i64, String)> = answer(
        playbook_source_links::table
            .filter(playbook_source_links::org_id.eq(org))
            .filter(playbook_source_links::agent_playbook_id.eq_any(playbooks))
            .order((playbook_source_links::agent_playbook_id, playbook_source_links::position))
            .select((
                playbook_source_links::agent_playbook_id,
                playbook_source_links::user_playbook_id,
                playbook_source_links::source_interaction_ids,
            ))
            .load(conn),
    )?;
    let mut windows: HashMap<i64, Vec<SourceWindow>> = HashMap::new();
    for (agent_playbook, user_playbook, turns) in rows {
        windows.entry(agent_playbook).or_default().push(SourceWindow {
            user_playbook_id: user_playbook_id_of(user_playbook)?,
            source_interaction_ids: turns_of(&turns, "playbook_source_links.source_interaction_ids")?,
        });
    }
    Ok(windows)
}

/// The windows of the agent playbook `found`, of organization `$2`, as one JSON list in the order stated; null without any.
pub(super) const WINDOWS_IN_JSON: &str = "(SELECT '[' || string_agg('[' || user_playbook_id || ',' || \
     source_interaction_ids || ']', ',' ORDER BY position) || ']' FROM playbook_source_links AS l \
     WHERE l.org_id = $2 AND l.agent_playbook_id = found.agent_playbook_id) AS source_windows";

/// Reads what [`WINDOWS_IN_JSON`] selects.
pub(super) fn windows_in(text: Option<&str>) -> Result<Vec<SourceWindow>, StoreError> {
    let column = "playbook_source_links.source_interaction_ids";
    let windows: Vec<(i64, Vec<i64>)> = text.map_or(Ok(Vec::new()), |text| from_json(text, column))?;
    windows
        .into_iter()
        .map(|(user_playbook, turns)| {
            Ok(SourceWindow {
                user_playbook_id: user_playbook_id_of(user_playbook)?,
                source_interaction_ids: turns_in(turns, column)?,
            })
        })
        .collect()
}

impl OrgTx {
    /// The owners of those of the playbooks that the organization has.
    pub(super) fn owners_of(
        &mut self,
        playbooks: &[UserPlaybookId],
    ) -> Result<Vec<PlaybookOwner>, StoreError> {
        let numbers: Vec<i64> = playbooks.iter().map(|playbook| playbook.number()).collect();
        let rows: Vec<(i64, String)> = self.query(|conn, org| {
            user_playbooks::table
                .filter(user_playbooks::org_id.eq(org))
                .filter(user_playbooks::user_playbook_id.eq_any(&numbers))
                .select((user_playbooks::user_playbook_id, user_playbooks::user_id))
                .load(conn)
        })?;
        rows.into_iter()
            .map(|(number, user)| {
                Ok(PlaybookOwner {
                    playbook: user_playbook_id_of(number)?,
                    user: UserId::new(&user).map_err(|_| corrupt("user_playbooks.user_id"))?,
                })
            })
            .collect()
    }

    /// Links an agent playbook to its sources; their users must have been admitted.
    pub(super) fn link(&mut self, id: AgentPlaybookId, windows: &[SourceWindow]) -> Result<(), StoreError> {
        if windows.is_empty() {
            return Ok(());
        }
        let org_id = self.org.clone();
        let linked: BTreeSet<_> = windows.iter().map(|window| window.user_playbook_id).collect();
        let owners = self.owners_of(&linked.into_iter().collect::<Vec<_>>())?;
        let owners: BTreeMap<_, _> = owners.into_iter().map(|owner| (owner.playbook, owner.user)).collect();
        for user in owners.values() {
            self.must_have_admitted(user)?;
        }
        let mut rows = Vec::with_capacity(windows.len());
        for (position, window) in (0..).zip(windows) {
            let owner = owners.get(&window.user_playbook_id);
            let owner = owner.ok_or_else(|| StoreError::Failed("a linked playbook is missing".to_owned()))?;
            rows.push(NewLink {
                org_id: org_id.as_str(),
                agent_playbook_id: id.number(),
                position,
                user_playbook_id: window.user_playbook_id.number(),
                user_id: owner.as_str(),
                source_interaction_ids: turns_text(&window.source_interaction_ids)?,
            });
        }
        for rows in rows.chunks(1000) {
            self.query(|conn, _| {
                on_each!(conn, |c| diesel::insert_into(playbook_source_links::table).values(rows).execute(c))
            })?;
        }
        Ok(())
    }

    /// Removes the links of an agent playbook.
    pub(super) fn unlink(&mut self, id: AgentPlaybookId) -> Result<(), StoreError> {
        self.query(|conn, org| {
            let links = playbook_source_links::table
                .filter(playbook_source_links::org_id.eq(org))
                .filter(playbook_source_links::agent_playbook_id.eq(id.number()));
            diesel::delete(links).execute(conn)
        })?;
        Ok(())
    }
}
