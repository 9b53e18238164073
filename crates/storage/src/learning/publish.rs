//! Publishing inside a transaction.

use std::collections::{BTreeMap, BTreeSet};

use ::learning::{
    Arm, BodyDigest, Interaction, InteractionId, PublishTx, Recorded, Request, SessionKey, TimedInteraction,
};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{StoreError, Timestamp, UserId};

use super::columns::kind_text;
use super::interactions::{NewInteraction, interaction_id_of};
use super::requests::{NewRequest, digest_of};
use crate::experiments::entry::TaggedRequest;
use crate::kept::Keep as _;
use crate::queue::WorkKind;
use crate::schema::{interactions, requests, retrieved_learnings};
use crate::transaction::{OrgTx, unit_of_work};

/// More rows than this go in several statements: databases limit the values in one.
const ROWS_IN_A_STATEMENT: usize = 1000;

unit_of_work!(dyn PublishTx);

/// The row of a rule that is cited already takes the title and place of a citation that ranks higher.
const NOTE_CITATION: &str = "INSERT INTO session_citations \
     (org_id, user_id, session_id, kind, rule_id, title, interaction_id, cited_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
     ON CONFLICT (org_id, user_id, session_id, kind, rule_id) DO UPDATE SET \
     title = excluded.title, interaction_id = excluded.interaction_id, cited_at = excluded.cited_at \
     WHERE (excluded.title <> '', excluded.cited_at, excluded.interaction_id) \
     > (session_citations.title <> '', session_citations.cited_at, session_citations.interaction_id)";

impl PublishTx for OrgTx {
    fn admit(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        self.pass_gate(users)
    }

    fn insert_request(&mut self, request: &Request, digest: &BodyDigest) -> Result<Recorded, StoreError> {
        self.must_have_admitted(&request.session.user)?;
        let inserted = self.query(|conn, org| {
            let row = NewRequest::of(org, request, digest);
            on_each!(conn, |c| diesel::insert_into(requests::table)
                .values(&row)
                .on_conflict((requests::org_id, requests::request_id))
                .do_nothing()
                .execute(c))
        })?;
        if inserted == 1 { Ok(Recorded::Now) } else { self.recorded_before(request) }
    }

    fn insert_interactions(
        &mut self,
        request: &Request,
        turns: &[TimedInteraction],
    ) -> Result<Vec<InteractionId>, StoreError> {
        self.must_have_admitted(&request.session.user)?;
        let org_id = self.org.clone();
        let rows: Result<Vec<_>, _> = turns
            .iter()
            .enumerate()
            .map(|(position, turn)| NewInteraction::of(org_id.as_str(), request, position, turn))
            .collect();
        let rows = rows?;
        let mut numbered: Vec<(i32, i64)> = self.query(|conn, _| {
            let numbers = (interactions::position, interactions::interaction_id);
            insert_rows!(conn, interactions::table, &rows, returning numbers)
        })?;
        numbered.sort_unstable();
        let ids: Result<Vec<_>, _> = numbered.into_iter().map(|(_, id)| interaction_id_of(id)).collect();
        let ids = ids?;
        self.note_citations(request, turns, &ids)?;
        self.note_retrieved(request, turns, &ids)?;
        self.note_in_experiment(request, turns)?;
        Ok(ids)
    }

    fn record_session(&mut self, request: &Request) -> Result<(), StoreError> {
        self.note_in_session(request)
    }

    fn schedule_evaluation(&mut self, session: &SessionKey, due_at: Timestamp) -> Result<(), StoreError> {
        self.make_session_due(WorkKind::SessionEvaluation, session, due_at)
    }

    fn queue_shadow_turns(&mut self, request: &Request, turns: &[InteractionId]) -> Result<(), StoreError> {
        self.queue_turns(WorkKind::ShadowTurn, &request.session, turns)
    }

    fn append_to_feed(&mut self, request: &Request) -> Result<(), StoreError> {
        self.feed(request)
    }
}

/// A rule that a turn cites.
struct CitedRule<'a> {
    session: &'a SessionKey,
    kind: &'static str,
    rule_id: &'a str,
    title: &'a str,
    interaction_id: i64,
    cited_at: i64,
}

#[derive(Insertable)]
#[diesel(table_name = retrieved_learnings, treat_none_as_default_value = false)]
struct NewRetrieved<'a> {
    org_id: &'a str,
    user_id: &'a str,
    session_id: &'a str,
    interaction_id: i64,
    kind: &'static str,
    learning_id: &'a str,
}

impl OrgTx {
    fn recorded_before(&mut self, request: &Request) -> Result<Recorded, StoreError> {
        let id = request.request_id.as_str();
        let digest: String = self
            .query(|conn, org| requests::table.find((org, id)).select(requests::body_digest).first(conn))?;
        let turns: Vec<i64> = self.query(|conn, org| {
            interactions::table
                .filter(interactions::org_id.eq(org))
                .filter(interactions::request_id.eq(id))
                .order(interactions::position)
                .select(interactions::interaction_id)
                .load(conn)
        })?;
        let turns: Result<_, _> = turns.into_iter().map(interaction_id_of).collect();
        Ok(Recorded::Before { digest: digest_of(&digest)?, interactions: turns? })
    }

    /// Notes each rule that the session cites once, under its newest title that is not empty.
    fn note_citations(
        &mut self,
        request: &Request,
        turns: &[TimedInteraction],
        ids: &[InteractionId],
    ) -> Result<(), StoreError> {
        let mut cited: BTreeMap<_, CitedRule<'_>> = BTreeMap::new();
        for (turn, id) in turns.iter().zip(ids) {
            for citation in &turn.body.citations {
                let new = CitedRule {
                    session: &request.session,
                    kind: kind_text(citation.kind),
                    rule_id: citation.real_id.as_str(),
                    title: citation.title.as_str(),
                    interaction_id: id.number(),
                    cited_at: turn.created_at.seconds(),
                };
                let known = cited.get(&(new.kind, new.rule_id));
                if known.is_none_or(|known| new.rank() > known.rank()) {
                    cited.insert((new.kind, new.rule_id), new);
                }
            }
        }
        cited.into_values().try_for_each(|citation| self.note_citation(&citation))
    }

    fn note_citation(&mut self, citation: &CitedRule<'_>) -> Result<(), StoreError> {
        let CitedRule { session, kind, rule_id, title, interaction_id, cited_at } = citation;
        self.query(|conn, org| {
            diesel::sql_query(NOTE_CITATION)
                .bind::<Text, _>(org)
                .bind::<Text, _>(session.user.as_str())
                .bind::<Text, _>(session.session.as_str())
                .bind::<Text, _>(kind)
                .bind::<Text, _>(rule_id)
                .bind::<Text, _>(title)
                .bind::<BigInt, _>(interaction_id)
                .bind::<BigInt, _>(cited_at)
                .kept()
                .run(conn)
        })
    }

    /// Enters the session into the experiment that the request is tagged with, if it is.
    fn note_in_experiment(
        &mut self,
        request: &Request,
        turns: &[TimedInteraction],
    ) -> Result<(), StoreError> {
        let Some(attribution) = &request.attribution else { return Ok(()) };
        let answers = || turns.iter().filter(|turn| !turn.body.role.is_user());
        let counted = answers().filter_map(|turn| turn.output_tokens);
        let uncounted = answers().filter(|turn| turn.output_tokens.is_none()).count();
        self.enter_experiment(&TaggedRequest {
            experiment: &attribution.experiment,
            arm: match attribution.arm {
                Arm::Treatment => ::experiments::Arm::Treatment,
                Arm::Holdout => ::experiments::Arm::Holdout,
            },
            user: &request.session.user,
            session: &request.session.session,
            request: &request.request_id,
            at: request.created_at,
            output_tokens: counted.map(|tokens| i64::from(tokens.0)).sum(),
            uncounted_turns: i64::try_from(uncounted).unwrap_or(i64::MAX),
            declares_learnings: turns
                .iter()
                .any(|turn| !turn.body.retrieved_learnings.is_empty() || !turn.body.citations.is_empty()),
        })
    }

    fn note_retrieved(
        &mut self,
        request: &Request,
        turns: &[TimedInteraction],
        ids: &[InteractionId],
    ) -> Result<(), StoreError> {
        let org_id = self.org.clone();
        let rows: Vec<_> = turns
            .iter()
            .zip(ids)
            .flat_map(|(turn, id)| distinct(&turn.body).into_iter().map(move |learning| (id, learning)))
            .map(|(id, (kind, learning_id))| NewRetrieved {
                org_id: org_id.as_str(),
                user_id: request.session.user.as_str(),
                session_id: request.session.session.as_str(),
                interaction_id: id.number(),
                kind,
                learning_id,
            })
            .collect();
        for rows in rows.chunks(ROWS_IN_A_STATEMENT) {
            self.query(|conn, _| insert_rows!(conn, retrieved_learnings::table, rows))?;
        }
        Ok(())
    }
}

impl CitedRule<'_> {
    /// Of two citations of one rule, the one that ranks higher gives the title.
    const fn rank(&self) -> (bool, i64, i64) {
        (!self.title.is_empty(), self.cited_at, self.interaction_id)
    }
}

fn distinct(body: &Interaction) -> BTreeSet<(&'static str, &str)> {
    let retrieved = body.retrieved_learnings.iter();
    retrieved.map(|learning| (kind_text(learning.kind), learning.learning_id.as_str())).collect()
}
