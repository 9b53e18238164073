//! Finding learnings by their words.

use ::learning::{
    AgentPlaybook, AgentPlaybookScope, Match, Profile, ProfileScope, Retrieval, UserPlaybook,
    UserPlaybookScope,
};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{QueryableByName, RunQueryDsl as _};
use kernel::{AgentVersion, OrgId, Period, Source, StoreError, Timestamp};

use super::columns::{decision_text, tags_text};
use super::playbook_rows::{AgentPlaybookRow, UserPlaybookRow};
use super::profiles::ProfileRow;
use super::source_links::{WINDOWS_IN_JSON, windows_in};
use super::words::Mark;
use crate::backend::fulltext::{Library, expression, statement};
use crate::database::Database;
use crate::kept::Keep as _;

const PROFILES: Library = Library {
    table: "profiles",
    key: "profile_key",
    words: "profile_words",
    index: "profile_index",
    filters: "profiles.user_id = $5 AND ($6 IS NULL OR profiles.source = $6) \
         AND ($7 IS NULL OR profiles.last_modified_timestamp >= $7) \
         AND ($8 IS NULL OR profiles.last_modified_timestamp <= $8) \
         AND (profiles.expiration_timestamp IS NULL OR profiles.expiration_timestamp > $9)",
    ties: "profiles.last_modified_timestamp DESC, profiles.profile_id DESC",
    columns: "profile_id, user_id, content, source, generated_from_request_id, time_to_live, tags, \
         last_modified_timestamp, expiration_timestamp, status",
    details: "",
};

const USER_PLAYBOOKS: Library = Library {
    table: "user_playbooks",
    key: "user_playbook_id",
    words: "user_playbook_words",
    index: "user_playbook_index",
    filters: "user_playbooks.user_id = $5 AND ($6 IS NULL OR user_playbooks.source = $6) \
         AND ($7 IS NULL OR user_playbooks.created_at >= $7) \
         AND ($8 IS NULL OR user_playbooks.created_at <= $8) \
         AND ($9 IS NULL OR user_playbooks.agent_version = $9) \
         AND ($10 IS NULL OR user_playbooks.playbook_name = $10)",
    ties: "user_playbooks.created_at DESC, user_playbooks.user_playbook_id DESC",
    columns: "user_playbook_id, user_id, request_id, playbook_name, agent_version, content, trigger, rationale, \
         structured_data, tags, source, source_interaction_ids, created_at, status",
    details: "",
};

const AGENT_PLAYBOOKS: Library = Library {
    table: "agent_playbooks",
    key: "agent_playbook_id",
    words: "agent_playbook_words",
    index: "agent_playbook_index",
    filters: "agent_playbooks.playbook_status <> 'rejected' \
         AND ($5 IS NULL OR agent_playbooks.playbook_status = $5) \
         AND ($6 IS NULL OR agent_playbooks.agent_version = $6) \
         AND ($7 IS NULL OR agent_playbooks.playbook_name = $7) \
         AND ($8 IS NULL OR agent_playbooks.created_at >= $8) \
         AND ($9 IS NULL OR agent_playbooks.created_at <= $9)",
    ties: "agent_playbooks.created_at DESC, agent_playbooks.agent_playbook_id DESC",
    columns: "agent_playbook_id, playbook_name, agent_version, content, trigger, rationale, structured_data, tags, \
         playbook_status, metadata, created_at, status",
    details: WINDOWS_IN_JSON,
};

/// An agent playbook that was found, with its source windows by the same statement.
#[derive(QueryableByName)]
struct FoundAgentPlaybook {
    #[diesel(embed)]
    playbook: AgentPlaybookRow,
    #[diesel(sql_type = Nullable<Text>)]
    source_windows: Option<String>,
}

/// Begins the statement of a search in an index: the parameters that all of them have.
macro_rules! search {
    ($conn:expr, $index:expr, $org:expr, $wanted:expr, $mark:expr, $tags:expr) => {
        diesel::sql_query(statement($conn, $index))
            .bind::<Text, _>(expression($conn, &$mark.wanted($wanted)))
            .bind::<Text, _>($org.as_str())
            .bind::<Text, _>(&$tags)
            .bind::<BigInt, _>(i64::from($wanted.top_k.rows()))
    };
}

impl Retrieval for Database {
    fn profiles(
        &self,
        org: &OrgId,
        wanted: &Match,
        scope: &ProfileScope,
    ) -> Result<Vec<Profile>, StoreError> {
        let mark = Mark::of_user(org, &scope.user);
        let tags = tags_text(&scope.tags)?;
        let (start, end) = ends(scope.period);
        let rows: Vec<ProfileRow> = self.read(|conn| {
            search!(conn, &PROFILES, org, wanted, mark, tags)
                .bind::<Text, _>(scope.user.as_str())
                .bind::<Nullable<Text>, _>(scope.source.as_ref().map(Source::as_str))
                .bind::<Nullable<BigInt>, _>(start)
                .bind::<Nullable<BigInt>, _>(end)
                .bind::<BigInt, _>(scope.live_at.seconds())
                .kept()
                .load(conn)
        })?;
        rows.into_iter().map(Profile::try_from).collect()
    }

    fn user_playbooks(
        &self,
        org: &OrgId,
        wanted: &Match,
        scope: &UserPlaybookScope,
    ) -> Result<Vec<UserPlaybook>, StoreError> {
        let mark = Mark::of_user(org, &scope.user);
        let tags = tags_text(&scope.tags)?;
        let (start, end) = ends(scope.period);
        let rows: Vec<UserPlaybookRow> = self.read(|conn| {
            search!(conn, &USER_PLAYBOOKS, org, wanted, mark, tags)
                .bind::<Text, _>(scope.user.as_str())
                .bind::<Nullable<Text>, _>(scope.source.as_ref().map(Source::as_str))
                .bind::<Nullable<BigInt>, _>(start)
                .bind::<Nullable<BigInt>, _>(end)
                .bind::<Nullable<Text>, _>(scope.agent_version.as_ref().map(AgentVersion::as_str))
                .bind::<Nullable<Text>, _>(scope.playbook_name.as_ref().map(::learning::PlaybookName::as_str))
                .kept()
                .load(conn)
        })?;
        rows.into_iter().map(UserPlaybook::try_from).collect()
    }

    fn agent_playbooks(
        &self,
        org: &OrgId,
        wanted: &Match,
        scope: &AgentPlaybookScope,
    ) -> Result<Vec<AgentPlaybook>, StoreError> {
        let mark = Mark::of_org(org);
        let tags = tags_text(&scope.tags)?;
        let (start, end) = ends(scope.period);
        let rows: Vec<FoundAgentPlaybook> = self.read(|conn| {
            search!(conn, &AGENT_PLAYBOOKS, org, wanted, mark, tags)
                .bind::<Nullable<Text>, _>(scope.playbook_status.map(decision_text))
                .bind::<Nullable<Text>, _>(scope.agent_version.as_ref().map(AgentVersion::as_str))
                .bind::<Nullable<Text>, _>(scope.playbook_name.as_ref().map(::learning::PlaybookName::as_str))
                .bind::<Nullable<BigInt>, _>(start)
                .bind::<Nullable<BigInt>, _>(end)
                .kept()
                .load(conn)
        })?;
        rows.into_iter()
            .map(|found| found.playbook.playbook(windows_in(found.source_windows.as_deref())?))
            .collect()
    }
}

fn ends(period: Period) -> (Option<i64>, Option<i64>) {
    (period.start().map(Timestamp::seconds), period.end().map(Timestamp::seconds))
}
