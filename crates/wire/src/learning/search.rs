//! Searching learnings.

use kernel::{AgentVersion, CredentialKind, OrgId, Period, SessionId, Source, Timestamp, UserId};
use learning::{
    AgentPlaybook, AgentPlaybookQuery, Attribution, Found, Learnings, LearningsQuery, PlaybookName, Profile,
    ProfileQuery, SearchText, Searcher, Tag, TopK, UserPlaybook, UserPlaybookQuery,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::agent_playbook::{AgentPlaybookRecord, PlaybookStatusName};
use super::profile::ProfileRecord;
use super::publish::ArmName;
use super::tags;
use super::user_playbook::UserPlaybookRecord;
use crate::time::Moment;
use crate::{Fields, Invalid};

/// What to look for; all four search routes take these, and each uses what concerns it.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SearchRequest {
    /// The words to look for.
    #[schema(min_length = 1)]
    pub query: String,
    /// For whom.
    pub user_id: Option<String>,
    /// In which conversation.
    pub session_id: Option<String>,
    /// How many of each list at most: 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub top_k: Option<i64>,
    /// Only for this version of the agent.
    pub agent_version: Option<String>,
    /// Only of this name.
    pub playbook_name: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only with all of these tags.
    pub tags: Option<Vec<String>>,
    /// Only playbooks of the organization with this decision.
    pub playbook_status_filter: Option<PlaybookStatusName>,
    /// Only from this time on.
    pub start_time: Option<Moment>,
    /// Only up to this time.
    pub end_time: Option<Moment>,
}

/// The valid fields of a search, before a route picks its own.
struct Parsed {
    searcher: Searcher,
    text: SearchText,
    top_k: TopK,
    agent_version: Option<AgentVersion>,
    playbook_name: Option<PlaybookName>,
    source: Option<Source>,
    tags: Vec<Tag>,
    period: Period,
}

impl SearchRequest {
    fn parse(self, org: &OrgId, kind: CredentialKind, usual: TopK) -> Result<Parsed, Invalid> {
        let mut fields = Fields::of_body();
        let text = fields.required("query", self.query.as_str(), SearchText::new);
        let user = fields.name("user_id", self.user_id, UserId::new);
        let session = fields.name("session_id", self.session_id, SessionId::new);
        let top_k = fields.optional("top_k", self.top_k, |rows| {
            u32::try_from(rows).map_err(|_| learning::TopKOutOfRange).and_then(TopK::new)
        });
        let agent_version = fields.name("agent_version", self.agent_version, AgentVersion::new);
        let playbook_name = fields.name("playbook_name", self.playbook_name, PlaybookName::new);
        let source = fields.name("source", self.source, Source::new);
        let tags = tags(&mut fields, self.tags);
        let start: Option<Option<Timestamp>> =
            fields.optional("start_time", self.start_time.as_ref(), Moment::parse);
        let end = fields.optional("end_time", self.end_time.as_ref(), Moment::parse);
        let period = start.zip(end).and_then(|(start, end)| {
            fields.required("end_time", (start, end), |(start, end)| Period::new(start, end))
        });
        let parsed = || {
            Some(Parsed {
                searcher: Searcher { org: org.clone(), kind, user: user?, session: session? },
                text: text?,
                top_k: top_k?.unwrap_or(usual),
                agent_version: agent_version?,
                playbook_name: playbook_name?,
                source: source?,
                tags: tags?,
                period: period?,
            })
        };
        let parsed = parsed();
        fields.finish(parsed)
    }

    /// A valid search of everything.
    pub fn in_all(self, org: &OrgId, kind: CredentialKind) -> Result<(Searcher, LearningsQuery), Invalid> {
        let Parsed { searcher, text, top_k, agent_version, playbook_name, source, tags, .. } =
            self.parse(org, kind, TopK::IN_ALL)?;
        Ok((searcher, LearningsQuery { text, top_k, agent_version, playbook_name, source, tags }))
    }

    /// A valid search of profiles.
    pub fn in_profiles(self, org: &OrgId, kind: CredentialKind) -> Result<(Searcher, ProfileQuery), Invalid> {
        let Parsed { searcher, text, top_k, source, tags, period, .. } =
            self.parse(org, kind, TopK::IN_ONE)?;
        Ok((searcher, ProfileQuery { text, top_k, source, tags, period }))
    }

    /// A valid search of users' playbooks.
    pub fn in_user_playbooks(
        self,
        org: &OrgId,
        kind: CredentialKind,
    ) -> Result<(Searcher, UserPlaybookQuery), Invalid> {
        let Parsed { searcher, text, top_k, agent_version, playbook_name, source, tags, period } =
            self.parse(org, kind, TopK::IN_ONE)?;
        Ok((searcher, UserPlaybookQuery { text, top_k, agent_version, playbook_name, source, tags, period }))
    }

    /// A valid search of the organization's playbooks.
    pub fn in_agent_playbooks(
        self,
        org: &OrgId,
        kind: CredentialKind,
    ) -> Result<(Searcher, AgentPlaybookQuery), Invalid> {
        let playbook_status = self.playbook_status_filter.map(Into::into);
        let Parsed { searcher, text, top_k, agent_version, playbook_name, tags, period, .. } =
            self.parse(org, kind, TopK::IN_ONE)?;
        let query =
            AgentPlaybookQuery { text, top_k, agent_version, playbook_name, playbook_status, tags, period };
        Ok((searcher, query))
    }
}

/// The experiment that a search was part of.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExperimentMark {
    /// The experiment; publish it as `retrieval_experiment_id`.
    pub experiment_id: String,
    /// The user's arm; publish it as `retrieval_experiment_arm`.
    pub arm: ArmName,
}

impl From<&Attribution> for ExperimentMark {
    fn from(attribution: &Attribution) -> Self {
        Self { experiment_id: attribution.experiment.as_str().to_owned(), arm: attribution.arm.into() }
    }
}

/// What was found in everything.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchResponse {
    /// Always true.
    pub success: bool,
    /// The user's profiles.
    pub profiles: Vec<ProfileRecord>,
    /// The user's playbooks.
    pub user_playbooks: Vec<UserPlaybookRecord>,
    /// The organization's playbooks.
    pub agent_playbooks: Vec<AgentPlaybookRecord>,
    /// What was found, for people.
    pub msg: String,
    /// The experiment the search was part of, if one is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentMark>,
}

/// Profiles that were found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchProfilesResponse {
    /// Always true.
    pub success: bool,
    /// The profiles.
    pub user_profiles: Vec<ProfileRecord>,
    /// What was found, for people.
    pub msg: String,
    /// The experiment the search was part of, if one is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentMark>,
}

/// Users' playbooks that were found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchUserPlaybooksResponse {
    /// Always true.
    pub success: bool,
    /// The playbooks.
    pub user_playbooks: Vec<UserPlaybookRecord>,
    /// What was found, for people.
    pub msg: String,
    /// The experiment the search was part of, if one is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentMark>,
}

/// Playbooks of the organization that were found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchAgentPlaybooksResponse {
    /// Always true.
    pub success: bool,
    /// The playbooks.
    pub agent_playbooks: Vec<AgentPlaybookRecord>,
    /// What was found, for people.
    pub msg: String,
    /// The experiment the search was part of, if one is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentMark>,
}

fn told<T>(found: &Found<T>, count: usize, thing: &str) -> String {
    match &found.experiment {
        Some(Attribution { arm: learning::Arm::Holdout, .. }) => {
            "This user is held out of retrieval by the active experiment".to_owned()
        }
        _ => format!("Found {count} matching {thing}(s)"),
    }
}

impl From<&Found<Learnings>> for SearchResponse {
    fn from(found: &Found<Learnings>) -> Self {
        let Learnings { profiles, user_playbooks, agent_playbooks } = &found.learnings;
        let count = profiles.len() + user_playbooks.len() + agent_playbooks.len();
        Self {
            success: true,
            profiles: profiles.iter().map(Into::into).collect(),
            user_playbooks: user_playbooks.iter().map(Into::into).collect(),
            agent_playbooks: agent_playbooks.iter().map(Into::into).collect(),
            msg: told(found, count, "learning"),
            experiment: found.experiment.as_ref().map(Into::into),
        }
    }
}

impl From<&Found<Vec<Profile>>> for SearchProfilesResponse {
    fn from(found: &Found<Vec<Profile>>) -> Self {
        Self {
            success: true,
            user_profiles: found.learnings.iter().map(Into::into).collect(),
            msg: told(found, found.learnings.len(), "profile"),
            experiment: found.experiment.as_ref().map(Into::into),
        }
    }
}

impl From<&Found<Vec<UserPlaybook>>> for SearchUserPlaybooksResponse {
    fn from(found: &Found<Vec<UserPlaybook>>) -> Self {
        Self {
            success: true,
            user_playbooks: found.learnings.iter().map(Into::into).collect(),
            msg: told(found, found.learnings.len(), "user playbook"),
            experiment: found.experiment.as_ref().map(Into::into),
        }
    }
}

impl From<&Found<Vec<AgentPlaybook>>> for SearchAgentPlaybooksResponse {
    fn from(found: &Found<Vec<AgentPlaybook>>) -> Self {
        Self {
            success: true,
            agent_playbooks: found.learnings.iter().map(Into::into).collect(),
            msg: told(found, found.learnings.len(), "agent playbook"),
            experiment: found.experiment.as_ref().map(Into::into),
        }
    }
}
