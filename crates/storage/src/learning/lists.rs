//! Learnings listed, newest first.

use ::learning::{
    AgentPlaybook, AgentPlaybookFilter, AgentPlaybookId, LearningReader, Profile, ProfileFilter, ProfileId,
    Slice, StatusFilter, Tag, UserPlaybook, UserPlaybookFilter, UserPlaybookId,
};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use kernel::{OrgId, StoreError};

use super::columns::{decision_text, status_text, tags_text};
use super::paging::{in_period, newest_first};
use super::playbook_rows::{AgentPlaybookRow, UserPlaybookRow};
use super::profiles::ProfileRow;
use super::source_links::windows_of;
use crate::backend::{AnyConnection, tags};
use crate::database::Database;
use crate::outcome::answer;
use crate::schema::{agent_playbooks, profiles, user_playbooks};

/// Narrows a boxed query to the rows that carry every tag.
macro_rules! carrying {
    ($query:expr, $tags:expr, $conn:expr, $column:literal) => {
        match $tags {
            None => $query,
            Some(wanted) => {
                let [before, after] = tags::holds_all($conn, $column);
                $query.filter(sql::<Bool>(&before).bind::<Text, _>(wanted).sql(&after))
            }
        }
    };
}

/// Narrows a boxed query to the rows whose column equals a value, if there is one.
macro_rules! equal {
    ($query:expr, $value:expr, $column:expr) => {
        match $value {
            Some(value) => $query.filter($column.eq(value.as_str())),
            None => $query,
        }
    };
}

/// Narrows a boxed query to the statuses asked for.
macro_rules! of_status {
    ($query:expr, $statuses:expr, $column:expr) => {
        match $statuses {
            StatusFilter::Any => $query,
            StatusFilter::Only(statuses) => {
                $query.filter($column.eq_any(statuses.iter().map(|status| status_text(*status))))
            }
        }
    };
}

impl LearningReader for Database {
    fn profiles(
        &self,
        org: &OrgId,
        filter: &ProfileFilter,
        slice: &Slice<ProfileId>,
    ) -> Result<Vec<Profile>, StoreError> {
        let wanted = wanted_tags(&filter.tags)?;
        let rows = self.read(|conn| {
            let query = profiles::table
                .filter(profiles::org_id.eq(org.as_str()))
                .select(ProfileRow::as_select())
                .into_boxed();
            let query = equal!(query, &filter.user, profiles::user_id);
            let query = equal!(query, &filter.source, profiles::source);
            let query = of_status!(query, &filter.statuses, profiles::status);
            let query = carrying!(query, &wanted, conn, "profiles.tags");
            let query = in_period!(query, filter.period, profiles::last_modified_timestamp);
            let (time, key) = (profiles::last_modified_timestamp, profiles::profile_id);
            newest_first!(query, slice, time, key, |id| id.as_str()).load(conn)
        })?;
        rows.into_iter().map(Profile::try_from).collect()
    }

    fn user_playbooks(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        slice: &Slice<UserPlaybookId>,
    ) -> Result<Vec<UserPlaybook>, StoreError> {
        let wanted = wanted_tags(&filter.tags)?;
        let rows = self.read(|conn| {
            let query = user_playbooks::table
                .filter(user_playbooks::org_id.eq(org.as_str()))
                .select(UserPlaybookRow::as_select())
                .into_boxed();
            let query = equal!(query, &filter.user, user_playbooks::user_id);
            let query = equal!(query, &filter.agent_version, user_playbooks::agent_version);
            let query = equal!(query, &filter.playbook_name, user_playbooks::playbook_name);
            let query = equal!(query, &filter.source, user_playbooks::source);
            let query = of_status!(query, &filter.statuses, user_playbooks::status);
            let query = carrying!(query, &wanted, conn, "user_playbooks.tags");
            let query = in_period!(query, filter.period, user_playbooks::created_at);
            let (time, key) = (user_playbooks::created_at, user_playbooks::user_playbook_id);
            newest_first!(query, slice, time, key, |id| id.number()).load(conn)
        })?;
        rows.into_iter().map(UserPlaybook::try_from).collect()
    }

    fn agent_playbooks(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        slice: &Slice<AgentPlaybookId>,
    ) -> Result<Vec<AgentPlaybook>, StoreError> {
        let wanted = wanted_tags(&filter.tags)?;
        self.snapshot(|conn| {
            let rows = answer(agent_playbook_rows(conn, org.as_str(), filter, wanted.as_ref(), slice))?;
            with_windows(conn, org, rows)
        })
    }
}

fn agent_playbook_rows(
    conn: &mut AnyConnection,
    org: &str,
    filter: &AgentPlaybookFilter,
    wanted: Option<&String>,
    slice: &Slice<AgentPlaybookId>,
) -> QueryResult<Vec<AgentPlaybookRow>> {
    let mut query = agent_playbooks::table
        .filter(agent_playbooks::org_id.eq(org))
        .select(AgentPlaybookRow::as_select())
        .into_boxed();
    if let Some(decision) = filter.playbook_status {
        query = query.filter(agent_playbooks::playbook_status.eq(decision_text(decision)));
    }
    let query = equal!(query, &filter.agent_version, agent_playbooks::agent_version);
    let query = equal!(query, &filter.playbook_name, agent_playbooks::playbook_name);
    let query = of_status!(query, &filter.statuses, agent_playbooks::status);
    let query = carrying!(query, wanted, conn, "agent_playbooks.tags");
    let query = in_period!(query, filter.period, agent_playbooks::created_at);
    let (time, key) = (agent_playbooks::created_at, agent_playbooks::agent_playbook_id);
    newest_first!(query, slice, time, key, |id| id.number()).load(conn)
}

/// The playbooks of these rows with the windows they were distilled from.
fn with_windows(
    conn: &mut AnyConnection,
    org: &OrgId,
    rows: Vec<AgentPlaybookRow>,
) -> Result<Vec<AgentPlaybook>, StoreError> {
    let ids: Vec<_> = rows.iter().map(|row| row.agent_playbook_id).collect();
    let mut windows = windows_of(conn, org.as_str(), &ids)?;
    rows.into_iter()
        .map(|row| {
            let sources = windows.remove(&row.agent_playbook_id).unwrap_or_default();
            row.playbook(sources)
        })
        .collect()
}

/// The tags as a JSON list; none when any row will do.
fn wanted_tags(wanted: &[Tag]) -> Result<Option<String>, StoreError> {
    if wanted.is_empty() { Ok(None) } else { tags_text(wanted).map(Some) }
}
