//! How runs of the judge ended, under which epoch and at which cost.

use std::slice;

use ::evaluation::judging::{Conclusion, Effort, JudgeEpoch, RunTx};
use ::evaluation::{Fenced, InteractionId, PromptVersion, SessionKey};
use diesel::prelude::*;
use kernel::{AgentVersion, StoreError, Timestamp};

use crate::backend::{now, queue};
use crate::schema::{judge_epochs, session_judgings, shadow_verdicts};
use crate::transaction::OrgTx;

impl RunTx for OrgTx {
    fn conclude(&mut self, session: &SessionKey, conclusion: &Conclusion) -> Result<Fenced, StoreError> {
        self.pass_gate(slice::from_ref(&session.user_id))?;
        self.must_have_admitted(&session.user_id)?;
        let (user, id) = (session.user_id.as_str(), session.session_id.as_str());
        self.query(|conn, org| queue::hold_session(conn, org, user, id))?;
        if self.latest_generation(session)? > conclusion.fence.generation
            || self.fingerprint(session)? != conclusion.fence.fingerprint
        {
            return Ok(Fenced::Stale);
        }
        let epoch = conclusion.epoch.as_ref().map(|epoch| self.epoch(epoch, conclusion.at)).transpose()?;
        self.note_conclusion(session, conclusion, epoch)?;
        Ok(Fenced::Kept)
    }

    fn note_asked_version(&mut self, session: &SessionKey, version: &AgentVersion) -> Result<(), StoreError> {
        self.must_have_admitted(&session.user_id)?;
        self.query(|conn, org| {
            let key = (org, session.user_id.as_str(), session.session_id.as_str());
            diesel::update(session_judgings::table.find(key))
                .set(session_judgings::asked_version.eq(version.as_str()))
                .execute(conn)
        })?;
        Ok(())
    }

    fn note_shadow_epoch(
        &mut self,
        turn: InteractionId,
        version: &PromptVersion,
        epoch: &JudgeEpoch,
        effort: &Effort,
    ) -> Result<(), StoreError> {
        use shadow_verdicts as t;
        let at = self.query(|conn, _| diesel::select(now(conn)).get_result(conn))?;
        let epoch = self.epoch(epoch, Timestamp::from_seconds(at))?;
        let (input, output, latency) = cost(effort);
        self.query(|conn, org| {
            let verdict = t::table
                .filter(t::org_id.eq(org))
                .filter(t::interaction_id.eq(turn.0))
                .filter(t::judge_prompt_version.eq(version.as_str()));
            diesel::update(verdict)
                .set((
                    t::epoch_id.eq(epoch),
                    t::input_tokens.eq(input),
                    t::output_tokens.eq(output),
                    t::latency_ms.eq(latency),
                ))
                .execute(conn)
        })?;
        Ok(())
    }
}

impl OrgTx {
    /// The highest generation of which something is kept; 0 when there is none.
    fn latest_generation(&mut self, session: &SessionKey) -> Result<i64, StoreError> {
        let generations: Option<(i64, i64)> = self.query(|conn, org| {
            session_judgings::table
                .find((org, session.user_id.as_str(), session.session_id.as_str()))
                .select((session_judgings::kept_generation, session_judgings::concluded_generation))
                .first(conn)
                .optional()
        })?;
        Ok(generations.map_or(0, |(kept, concluded)| kept.max(concluded)))
    }

    fn note_conclusion(
        &mut self,
        session: &SessionKey,
        conclusion: &Conclusion,
        epoch: Option<i64>,
    ) -> Result<(), StoreError> {
        use session_judgings as t;
        self.must_have_admitted(&session.user_id)?;
        let (input, output, latency) = cost(&conclusion.effort);
        let graded = conclusion.graded.then(|| {
            (
                t::graded_fingerprint.eq(&conclusion.fence.fingerprint),
                t::graded_at.eq(conclusion.at.seconds()),
            )
        });
        self.query(|conn, org| {
            let row = || t::table.find((org, session.user_id.as_str(), session.session_id.as_str()));
            diesel::update(row())
                .set((
                    t::concluded_generation.eq(conclusion.fence.generation),
                    t::learning_status.eq(conclusion.learnings.as_str()),
                    t::epoch_id.eq(epoch),
                    t::input_tokens.eq(input),
                    t::output_tokens.eq(output),
                    t::latency_ms.eq(latency),
                ))
                .execute(conn)?;
            graded.map_or(Ok(0), |graded| diesel::update(row()).set(graded).execute(conn))
        })?;
        Ok(())
    }

    /// The number of an epoch; a new one gets the next.
    pub(in crate::evaluation) fn epoch(
        &mut self,
        epoch: &JudgeEpoch,
        at: Timestamp,
    ) -> Result<i64, StoreError> {
        use judge_epochs as t;
        // Almost always it is known: reading first keeps those who judge at once from meeting in one row.
        if let Some(known) = self.known_epoch(epoch)? {
            return Ok(known);
        }
        self.query(|conn, org| {
            let row = (
                t::org_id.eq(org),
                t::prompt_version.eq(epoch.prompt_version.as_str()),
                t::prompt_hash.eq(&epoch.prompt_hash),
                t::provider.eq(epoch.kind.as_str()),
                t::requested_model.eq(&epoch.requested_model),
                t::returned_model.eq(&epoch.returned_model),
                t::first_used_at.eq(at.seconds()),
            );
            on_each!(conn, |c| diesel::insert_into(t::table).values(row).returning(t::epoch_id).get_result(c))
        })
    }

    fn known_epoch(&mut self, epoch: &JudgeEpoch) -> Result<Option<i64>, StoreError> {
        use judge_epochs as t;
        self.query(|conn, org| {
            t::table
                .filter(t::org_id.eq(org))
                .filter(t::prompt_version.eq(epoch.prompt_version.as_str()))
                .filter(t::prompt_hash.eq(&epoch.prompt_hash))
                .filter(t::provider.eq(epoch.kind.as_str()))
                .filter(t::requested_model.eq(&epoch.requested_model))
                .filter(t::returned_model.eq(&epoch.returned_model))
                .select(t::epoch_id)
                .first(conn)
                .optional()
        })
    }
}

/// What a run cost, as the columns hold it.
fn cost(effort: &Effort) -> (i64, i64, i64) {
    let column = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    (column(effort.input_tokens), column(effort.output_tokens), column(effort.latency_ms))
}
