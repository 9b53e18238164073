//! Publishing: one request of one user, with its interactions, in one transaction.

use std::slice;
use std::sync::Arc;

use kernel::{AgentVersion, Clock, OrgId, RequestId, SessionId, Source, Timestamp, UnitOfWork, UserId};

use crate::batch::{Batch, Warning};
use crate::{
    Attribution, AttributionCheck, BodyDigest, Ids, Interaction, InteractionId, LearningError,
    NewInteraction, PublishSettings, PublishTx, Recorded, Request, RetrievalGate, SessionKey,
    TimedInteraction, TokenCounter,
};

#[cfg(test)]
mod tests;

/// What a request is published for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To learn from and to be evaluated.
    Learning,
    /// To be evaluated only: it does not enter the learning feed.
    EvaluationOnly,
}

/// A request as a caller publishes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Whose request it is.
    pub user: UserId,
    /// The session it belongs to; without one it is a session of its own.
    pub session: Option<SessionId>,
    /// Its id, if the caller wants to be able to repeat the call.
    pub request: Option<RequestId>,
    /// Where it came from.
    pub source: Source,
    /// The version of the agent that answered.
    pub agent_version: AgentVersion,
    /// What it is published for.
    pub purpose: Purpose,
    /// The arm that the caller says the user was in.
    pub attribution: Option<Attribution>,
    /// Its turns, in order.
    pub interactions: Vec<NewInteraction>,
}

/// The answer to a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The request's id, given or made.
    pub request: RequestId,
    /// What was left out.
    pub warnings: Vec<Warning>,
    /// The ids of the interactions that were kept, in the order given.
    pub interactions: Vec<InteractionId>,
}

/// Publishes a request.
#[derive(Clone)]
pub struct PublishInteractions {
    store: Arc<dyn UnitOfWork<dyn PublishTx>>,
    gate: Arc<dyn RetrievalGate>,
    settings: Arc<dyn PublishSettings>,
    tokens: Arc<dyn TokenCounter>,
    ids: Arc<dyn Ids>,
    clock: Arc<dyn Clock>,
}

impl PublishInteractions {
    /// Publishes into this store; the gate vouches for attributions.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn PublishTx>>,
        gate: Arc<dyn RetrievalGate>,
        settings: Arc<dyn PublishSettings>,
        tokens: Arc<dyn TokenCounter>,
        ids: Arc<dyn Ids>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, gate, settings, tokens, ids, clock }
    }

    /// Publishes a request, all of it or nothing; repeating a request id with the same body answers the first answer.
    ///
    /// # Errors
    /// When the batch, its times or its attribution are refused, the request id named another body before, the user
    /// is being erased, or the store failed.
    pub fn publish(&self, org: &OrgId, publication: Publication) -> Result<Published, LearningError> {
        let now = self.clock.now();
        let digest = BodyDigest::of(&publication);
        let Publication { user, session, request, source, agent_version, purpose, attribution, interactions } =
            publication;
        let batch = Batch::take(interactions, now)?;
        self.check_attribution(org, &user, attribution.as_ref())?;
        let evaluation_due = now.plus_seconds(i64::from(self.settings.evaluation_delay_seconds(org)?));
        let request_id = request.unwrap_or_else(|| self.ids.request_id());
        let session = session.unwrap_or_else(|| SessionId::named_by(&request_id));
        let request = Request {
            request_id,
            session: SessionKey { user, session },
            source,
            agent_version,
            purpose,
            attribution,
            created_at: batch.time(now),
        };
        let interactions: Vec<_> = batch.kept.into_iter().map(|kept| self.counted(kept)).collect();
        let writing = Writing { request, digest, interactions, evaluation_due };
        let written = self.store.transact(org, |tx| writing.write(tx))?;
        Ok(Published { request: writing.request.request_id, warnings: batch.warnings, interactions: written })
    }

    fn check_attribution(
        &self,
        org: &OrgId,
        user: &UserId,
        stated: Option<&Attribution>,
    ) -> Result<(), LearningError> {
        let Some(stated) = stated else { return Ok(()) };
        match self.gate.check_attribution(org, stated, user)? {
            AttributionCheck::Holds => Ok(()),
            AttributionCheck::UnknownExperiment => Err(LearningError::UnknownExperiment),
            AttributionCheck::WrongArm => Err(LearningError::WrongArm),
        }
    }

    /// Counts the tokens of everything but the user's own words, before any transaction holds up others.
    fn counted(&self, (created_at, body): (Timestamp, Interaction)) -> TimedInteraction {
        let output_tokens = if body.role.is_user() { None } else { self.tokens.count(body.content.as_str()) };
        TimedInteraction { created_at, output_tokens, body }
    }
}

/// Everything that one publication writes, worked out before its transaction begins.
struct Writing {
    request: Request,
    digest: BodyDigest,
    interactions: Vec<TimedInteraction>,
    evaluation_due: Timestamp,
}

impl Writing {
    /// Writes the request, its interactions and every entry for what comes later.
    fn write(&self, tx: &mut dyn PublishTx) -> Result<Vec<InteractionId>, LearningError> {
        let Self { request, digest, interactions, evaluation_due } = self;
        tx.admit(slice::from_ref(&request.session.user))?;
        if let Recorded::Before { digest: earlier, interactions } = tx.insert_request(request, digest)? {
            let repeated = earlier == *digest;
            return if repeated { Ok(interactions) } else { Err(LearningError::RequestIdReused) };
        }
        let ids = tx.insert_interactions(request, interactions)?;
        tx.record_session(request)?;
        tx.schedule_evaluation(&request.session, *evaluation_due)?;
        let shadowed: Vec<_> = ids
            .iter()
            .zip(interactions)
            .filter(|(_, turn)| turn.body.has_shadow())
            .map(|(id, _)| *id)
            .collect();
        if !shadowed.is_empty() {
            tx.queue_shadow_turns(request, &shadowed)?;
        }
        if request.purpose == Purpose::Learning {
            tx.append_to_feed(request)?;
        }
        Ok(ids)
    }
}
