//! Publishing a request.

use kernel::{AgentVersion, ExperimentId, RequestId, SessionId, Source, UserId};
use learning::{Arm, Attribution, Publication, Published, Purpose, Warning};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::interaction::InteractionData;
use crate::{Fields, Invalid};

/// The arms of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArmName {
    /// Retrieves normally.
    Treatment,
    /// Retrieves nothing.
    Holdout,
}

impl From<ArmName> for Arm {
    fn from(name: ArmName) -> Self {
        match name {
            ArmName::Treatment => Self::Treatment,
            ArmName::Holdout => Self::Holdout,
        }
    }
}

impl From<Arm> for ArmName {
    fn from(arm: Arm) -> Self {
        match arm {
            Arm::Treatment => Self::Treatment,
            Arm::Holdout => Self::Holdout,
        }
    }
}

/// A request to publish.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PublishRequest {
    /// Whose conversation it is.
    #[schema(min_length = 1, max_length = 255)]
    pub user_id: String,
    /// The conversation; absent, the request is one of its own, named by its `request_id`.
    pub session_id: Option<String>,
    /// The request's id, unique in the organization; made when absent.
    pub request_id: Option<String>,
    /// Where the request came from.
    pub source: Option<String>,
    /// The version of the agent that answered.
    pub agent_version: Option<String>,
    /// Whether nothing shall be learned from it.
    pub evaluation_only: Option<bool>,
    /// The experiment that was active, with the arm the user was in: both or neither.
    pub retrieval_experiment_id: Option<String>,
    /// The arm the user was in.
    pub retrieval_experiment_arm: Option<ArmName>,
    /// The turns, 1 to 1000.
    pub interaction_data_list: Vec<InteractionData>,
}

impl PublishRequest {
    /// The valid request.
    pub fn parse(self) -> Result<Publication, Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.required("user_id", self.user_id.as_str(), UserId::new);
        let session = fields.name("session_id", self.session_id, SessionId::new);
        let request = fields.name("request_id", self.request_id, RequestId::new);
        let source = fields.required("source", self.source.as_deref().unwrap_or_default(), Source::new);
        let version = self.agent_version.as_deref().unwrap_or_default();
        let agent_version = fields.required("agent_version", version, AgentVersion::new);
        let experiment =
            fields.name("retrieval_experiment_id", self.retrieval_experiment_id, ExperimentId::new);
        let arm = self.retrieval_experiment_arm.map(Arm::from);
        let attribution = experiment.and_then(|experiment| {
            fields.required("retrieval_experiment_arm", (experiment, arm), |(experiment, arm)| {
                Attribution::of_pair(experiment, arm)
            })
        });
        let interactions =
            fields
                .each("interaction_data_list", self.interaction_data_list, |fields, turn| turn.read(fields));
        let purpose =
            if self.evaluation_only.unwrap_or(false) { Purpose::EvaluationOnly } else { Purpose::Learning };
        let publication = || {
            Some(Publication {
                user: user?,
                session: session?,
                request: request?,
                source: source?,
                agent_version: agent_version?,
                purpose,
                attribution: attribution?,
                interactions: interactions?,
            })
        };
        let publication = publication();
        fields.finish(publication)
    }
}

/// What became of a publish.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublishResponse {
    /// Always true.
    pub success: bool,
    /// What was done, for people.
    pub message: String,
    /// The request's id.
    pub request_id: String,
    /// What was left out.
    pub warnings: Vec<String>,
    /// The ids of the turns that were kept, in their order.
    pub interaction_ids: Vec<i64>,
    /// The kind of database behind this server.
    pub storage_type: String,
    /// The same, for people.
    pub storage_label: String,
    /// Learnings are made by whoever reads the feed, not by a publish: always 0.
    pub profiles_added: u32,
    /// Always 0, for the same reason.
    pub playbooks_added: u32,
}

impl PublishResponse {
    /// Tells what was published, on this kind of database.
    #[must_use]
    pub fn of(published: &Published, storage: &str) -> Self {
        Self {
            success: true,
            message: "Interactions published".to_owned(),
            request_id: published.request.as_str().to_owned(),
            warnings: published.warnings.iter().map(Warning::to_string).collect(),
            interaction_ids: published.interactions.iter().map(|id| id.number()).collect(),
            storage_type: storage.to_owned(),
            storage_label: storage.to_owned(),
            profiles_added: 0,
            playbooks_added: 0,
        }
    }
}
