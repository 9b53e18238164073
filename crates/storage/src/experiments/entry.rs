//! Sessions that enter an experiment, in the transaction that publishes their tagged requests.

use ::experiments::Arm;
use diesel::sql_types::{BigInt, Bool, Text};
use kernel::{ExperimentId, RequestId, SessionId, StoreError, Timestamp, UserId};

use crate::kept::Keep as _;
use crate::transaction::OrgTx;

/// A published request that is tagged with an experiment, as far as the experiment is concerned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaggedRequest<'a> {
    pub(crate) experiment: &'a ExperimentId,
    pub(crate) arm: Arm,
    pub(crate) user: &'a UserId,
    pub(crate) session: &'a SessionId,
    pub(crate) request: &'a RequestId,
    pub(crate) at: Timestamp,
    /// The tokens of its non-user turns, as far as they are counted.
    pub(crate) output_tokens: i64,
    /// Its non-user turns without a count.
    pub(crate) uncounted_turns: i64,
    /// Whether a turn of it declares a retrieved learning or a citation.
    pub(crate) declares_learnings: bool,
}

/// One statement whatever the order of arrival: the arm moves only for an earlier request. An outcome that is there
/// already is taken over; one that comes later is brought by a trigger.
const ENTER: &str = "INSERT INTO experiment_sessions \
     (org_id, user_id, session_id, experiment_id, arm, first_tagged_at, first_tagged_id, last_tagged_at, \
      output_tokens, uncounted_turns, is_contaminated, evaluated_at, is_success, corrections, turns, is_escalated) \
     SELECT tagged.*, outcome.created_at, outcome.is_success, outcome.corrections, outcome.turns, \
         outcome.is_escalated \
     FROM (SELECT CAST($1 AS TEXT) AS org_id, CAST($2 AS TEXT) AS user_id, CAST($3 AS TEXT) AS session_id, \
         CAST($4 AS TEXT) AS experiment_id, CAST($5 AS TEXT) AS arm, CAST($6 AS BIGINT) AS first_tagged_at, \
         CAST($7 AS TEXT) AS first_tagged_id, CAST($6 AS BIGINT) AS last_tagged_at, \
         CAST($8 AS BIGINT) AS output_tokens, CAST($9 AS BIGINT) AS uncounted_turns, \
         CAST($10 AS BOOLEAN) AS is_contaminated) AS tagged \
     LEFT JOIN session_outcomes AS outcome ON outcome.org_id = tagged.org_id \
         AND outcome.user_id = tagged.user_id AND outcome.session_id = tagged.session_id \
     WHERE true \
     ON CONFLICT (org_id, user_id, session_id, experiment_id) DO UPDATE SET \
     arm = CASE WHEN (excluded.first_tagged_at, excluded.first_tagged_id) \
         < (experiment_sessions.first_tagged_at, experiment_sessions.first_tagged_id) \
         THEN excluded.arm ELSE experiment_sessions.arm END, \
     first_tagged_id = CASE WHEN (excluded.first_tagged_at, excluded.first_tagged_id) \
         < (experiment_sessions.first_tagged_at, experiment_sessions.first_tagged_id) \
         THEN excluded.first_tagged_id ELSE experiment_sessions.first_tagged_id END, \
     first_tagged_at = CASE WHEN excluded.first_tagged_at < experiment_sessions.first_tagged_at \
         THEN excluded.first_tagged_at ELSE experiment_sessions.first_tagged_at END, \
     last_tagged_at = CASE WHEN excluded.last_tagged_at > experiment_sessions.last_tagged_at \
         THEN excluded.last_tagged_at ELSE experiment_sessions.last_tagged_at END, \
     output_tokens = experiment_sessions.output_tokens + excluded.output_tokens, \
     uncounted_turns = experiment_sessions.uncounted_turns + excluded.uncounted_turns, \
     is_contaminated = experiment_sessions.is_contaminated OR excluded.is_contaminated";

impl OrgTx {
    /// Notes what a newly published request means to the experiment it is tagged with.
    pub(crate) fn enter_experiment(&mut self, tagged: &TaggedRequest<'_>) -> Result<(), StoreError> {
        self.must_have_admitted(tagged.user)?;
        let is_contaminated = tagged.declares_learnings && tagged.arm == Arm::Holdout;
        self.query(|conn, org| {
            diesel::sql_query(ENTER)
                .bind::<Text, _>(org)
                .bind::<Text, _>(tagged.user.as_str())
                .bind::<Text, _>(tagged.session.as_str())
                .bind::<Text, _>(tagged.experiment.as_str())
                .bind::<Text, _>(tagged.arm.as_str())
                .bind::<BigInt, _>(tagged.at.seconds())
                .bind::<Text, _>(tagged.request.as_str())
                .bind::<BigInt, _>(tagged.output_tokens)
                .bind::<BigInt, _>(tagged.uncounted_turns)
                .bind::<Bool, _>(is_contaminated)
                .kept()
                .run(conn)
        })
    }
}
