//! Stored learnings as judging reads them, whatever their status.

use ::evaluation::LearningKind;
use ::evaluation::judging::{LearningReader, LearningText, StoredLearning};
use diesel::prelude::*;
use kernel::{OrgId, StoreError, UserId};

use super::super::rows::corrupt;
use crate::database::Database;
use crate::schema::{agent_playbooks, profiles, user_playbooks};

impl LearningReader for Database {
    fn learnings(
        &self,
        org: &OrgId,
        learnings: &[(LearningKind, String)],
    ) -> Result<Vec<StoredLearning>, StoreError> {
        let ids = |kind| learnings.iter().filter(move |(one, _)| *one == kind).map(|(_, id)| id.as_str());
        // A number is written in one way only: "07" names nothing.
        let numbers = |kind| {
            let numbers = ids(kind).filter_map(|id| id.parse().ok().filter(|n: &i64| n.to_string() == id));
            numbers.collect::<Vec<_>>()
        };
        let mut found = self.profiles(org, &ids(LearningKind::Profile).collect::<Vec<_>>())?;
        found.extend(self.user_playbooks(org, &numbers(LearningKind::UserPlaybook))?);
        found.extend(self.agent_playbooks(org, &numbers(LearningKind::AgentPlaybook))?);
        Ok(found)
    }
}

impl Database {
    fn profiles(&self, org: &OrgId, ids: &[&str]) -> Result<Vec<StoredLearning>, StoreError> {
        use profiles as t;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<(String, String, String)> = self.read(|conn| {
            t::table
                .filter(t::org_id.eq(org.as_str()))
                .filter(t::profile_id.eq_any(ids))
                .select((t::profile_id, t::user_id, t::content))
                .load(conn)
        })?;
        rows.into_iter()
            .map(|(learning_id, owner, content)| {
                let text = LearningText::Profile { content };
                Ok(StoredLearning {
                    kind: LearningKind::Profile,
                    learning_id,
                    owner: owner_of(&owner)?,
                    text,
                })
            })
            .collect()
    }

    fn user_playbooks(&self, org: &OrgId, ids: &[i64]) -> Result<Vec<StoredLearning>, StoreError> {
        use user_playbooks as t;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<(i64, String, String, String)> = self.read(|conn| {
            t::table
                .filter(t::org_id.eq(org.as_str()))
                .filter(t::user_playbook_id.eq_any(ids))
                .select((t::user_playbook_id, t::user_id, t::content, t::trigger))
                .load(conn)
        })?;
        rows.into_iter()
            .map(|(id, owner, content, trigger)| {
                Ok(StoredLearning {
                    kind: LearningKind::UserPlaybook,
                    learning_id: id.to_string(),
                    owner: owner_of(&owner)?,
                    text: LearningText::Playbook { content, trigger },
                })
            })
            .collect()
    }

    fn agent_playbooks(&self, org: &OrgId, ids: &[i64]) -> Result<Vec<StoredLearning>, StoreError> {
        use agent_playbooks as t;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<(i64, String, String)> = self.read(|conn| {
            t::table
                .filter(t::org_id.eq(org.as_str()))
                .filter(t::agent_playbook_id.eq_any(ids))
                .select((t::agent_playbook_id, t::content, t::trigger))
                .load(conn)
        })?;
        let playbooks = rows.into_iter().map(|(id, content, trigger)| StoredLearning {
            kind: LearningKind::AgentPlaybook,
            learning_id: id.to_string(),
            owner: None,
            text: LearningText::Playbook { content, trigger },
        });
        Ok(playbooks.collect())
    }
}

fn owner_of(user: &str) -> Result<Option<UserId>, StoreError> {
    UserId::new(user).map(Some).map_err(|_| corrupt("a learning's user_id"))
}
