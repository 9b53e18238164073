//! Request rows and their way to and from the domain.
#![expect(clippy::ref_option_ref, reason = "diesel derives take columns by reference")]

use ::learning::{Attribution, BodyDigest, Purpose, Request, SessionKey};
use diesel::{Insertable, Queryable, Selectable};
use kernel::{AgentVersion, ExperimentId, RequestId, SessionId, Source, StoreError, Timestamp, UserId};

use super::columns::{arm_of, arm_text, corrupt};
use crate::schema::requests;

#[derive(Queryable, Selectable)]
#[diesel(table_name = requests)]
pub(super) struct RequestRow {
    request_id: String,
    user_id: String,
    session_id: String,
    created_at: i64,
    source: String,
    agent_version: String,
    evaluation_only: bool,
    experiment_id: Option<String>,
    experiment_arm: Option<String>,
}

#[derive(Insertable)]
#[diesel(table_name = requests, treat_none_as_default_value = false)]
pub(super) struct NewRequest<'a> {
    org_id: &'a str,
    request_id: &'a str,
    user_id: &'a str,
    session_id: &'a str,
    created_at: i64,
    source: &'a str,
    agent_version: &'a str,
    evaluation_only: bool,
    experiment_id: Option<&'a str>,
    experiment_arm: Option<&'static str>,
    body_digest: String,
}

impl<'a> NewRequest<'a> {
    pub(super) fn of(org_id: &'a str, request: &'a Request, digest: &BodyDigest) -> Self {
        let attribution = request.attribution.as_ref();
        Self {
            org_id,
            request_id: request.request_id.as_str(),
            user_id: request.session.user.as_str(),
            session_id: request.session.session.as_str(),
            created_at: request.created_at.seconds(),
            source: request.source.as_str(),
            agent_version: request.agent_version.as_str(),
            evaluation_only: request.purpose == Purpose::EvaluationOnly,
            experiment_id: attribution.map(|stated| stated.experiment.as_str()),
            experiment_arm: attribution.map(|stated| arm_text(stated.arm)),
            body_digest: hex::encode(digest.as_bytes()),
        }
    }
}

/// Reads a stored digest.
pub(super) fn digest_of(text: &str) -> Result<BodyDigest, StoreError> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| corrupt("requests.body_digest"))?;
    Ok(BodyDigest::from_bytes(bytes))
}

impl TryFrom<RequestRow> for Request {
    type Error = StoreError;

    fn try_from(row: RequestRow) -> Result<Self, StoreError> {
        let attribution = match (&row.experiment_id, &row.experiment_arm) {
            (Some(experiment), Some(arm)) => Some(Attribution {
                experiment: ExperimentId::new(experiment).map_err(|_| corrupt("requests.experiment_id"))?,
                arm: arm_of(arm, "requests.experiment_arm")?,
            }),
            (None, None) => None,
            _ => return Err(corrupt("requests.experiment_arm")),
        };
        Ok(Self {
            request_id: RequestId::new(&row.request_id).map_err(|_| corrupt("requests.request_id"))?,
            session: session_of(&row.user_id, &row.session_id, "requests")?,
            source: Source::new(&row.source).map_err(|_| corrupt("requests.source"))?,
            agent_version: AgentVersion::new(&row.agent_version)
                .map_err(|_| corrupt("requests.agent_version"))?,
            purpose: if row.evaluation_only { Purpose::EvaluationOnly } else { Purpose::Learning },
            attribution,
            created_at: Timestamp::from_seconds(row.created_at),
        })
    }
}

/// Reads the identity of a session.
pub(super) fn session_of(user: &str, session: &str, table: &str) -> Result<SessionKey, StoreError> {
    Ok(SessionKey {
        user: UserId::new(user).map_err(|_| corrupt(&format!("{table}.user_id")))?,
        session: SessionId::new(session).map_err(|_| corrupt(&format!("{table}.session_id")))?,
    })
}
