//! Verdicts inside a transaction, behind the fence that keeps an older run of the judge from overwriting a newer one.

use std::collections::{BTreeMap, HashMap};
use std::slice;

use ::evaluation::{Fenced, NewLearningVerdict, NewShadowVerdict, SessionKey, VerdictFence, VerdictTx};
use diesel::dsl::{count_star, max};
use diesel::prelude::*;
use kernel::StoreError;

use super::learning_rows::{NewLearning, NumberedLearning};
use super::results::ROWS_PER_STATEMENT;
use super::shadow_rows::NewShadow;
use crate::backend::AnyConnection;
use crate::schema::{interactions, retrieved_learning_results, session_judgings, sessions, shadow_verdicts};
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn VerdictTx);

/// What makes a verdict on a learning the same verdict within its session.
type LearningPlace = (Option<i64>, String, String);

impl VerdictTx for OrgTx {
    fn begin_run(&mut self, session: &SessionKey) -> Result<VerdictFence, StoreError> {
        self.pass_gate(slice::from_ref(&session.user_id))?;
        self.must_have_admitted(&session.user_id)?;
        let generation = self.query(|conn, org| {
            use session_judgings as t;
            let first = (
                t::org_id.eq(org),
                t::user_id.eq(session.user_id.as_str()),
                t::session_id.eq(session.session_id.as_str()),
                t::begun_generation.eq(1),
                t::kept_generation.eq(0),
            );
            on_each!(conn, |c| diesel::insert_into(t::table)
                .values(first)
                .on_conflict((t::org_id, t::user_id, t::session_id))
                .do_update()
                .set(t::begun_generation.eq(t::begun_generation + 1))
                .returning(t::begun_generation)
                .get_result(c))
        })?;
        Ok(VerdictFence { generation, fingerprint: self.fingerprint(session)? })
    }

    fn replace_learning_verdicts(
        &mut self,
        session: &SessionKey,
        fence: &VerdictFence,
        verdicts: &[NewLearningVerdict],
    ) -> Result<Fenced, StoreError> {
        self.pass_gate(slice::from_ref(&session.user_id))?;
        if self.kept_generation(session)? > fence.generation
            || self.fingerprint(session)? != fence.fingerprint
        {
            return Ok(Fenced::Stale);
        }
        let numbers = self.take_out(session)?;
        self.put_in(session, verdicts, &numbers)?;
        self.close_fence(session, fence)?;
        Ok(Fenced::Kept)
    }

    fn keep_shadow_verdict(&mut self, verdict: &NewShadowVerdict) -> Result<i64, StoreError> {
        let session = &verdict.session;
        self.pass_gate(slice::from_ref(&session.user_id))?;
        self.must_have_admitted(&session.user_id)?;
        let source: Option<String> = self.query(|conn, org| {
            sessions::table
                .find((org, session.user_id.as_str(), session.session_id.as_str()))
                .select(sessions::source)
                .first(conn)
                .optional()
        })?;
        self.query(|conn, org| {
            use shadow_verdicts as t;
            let row = NewShadow::of(org, verdict, source.as_deref().unwrap_or_default());
            on_each!(conn, |c| diesel::insert_into(t::table)
                .values(&row)
                .on_conflict((t::org_id, t::interaction_id, t::judge_prompt_version))
                .do_update()
                .set(&row)
                .returning(t::verdict_id)
                .get_result(c))
        })
    }
}

impl OrgTx {
    /// The session as it is now.
    pub(super) fn fingerprint(&mut self, session: &SessionKey) -> Result<String, StoreError> {
        self.query(|conn, org| fingerprint_of(conn, org, session))
    }

    /// The generation whose verdicts are kept; 0 when there are none.
    fn kept_generation(&mut self, session: &SessionKey) -> Result<i64, StoreError> {
        let kept: Option<i64> = self.query(|conn, org| {
            session_judgings::table
                .find((org, session.user_id.as_str(), session.session_id.as_str()))
                .select(session_judgings::kept_generation)
                .first(conn)
                .optional()
        })?;
        Ok(kept.unwrap_or_default())
    }

    /// Removes the verdicts of a session and answers what number each had.
    fn take_out(&mut self, session: &SessionKey) -> Result<HashMap<LearningPlace, i64>, StoreError> {
        use retrieved_learning_results as t;
        self.must_have_admitted(&session.user_id)?;
        let numbers: Vec<(LearningPlace, i64)> = self.query(|conn, org| {
            t::table
                .filter(t::org_id.eq(org))
                .filter(t::session_id.eq(session.session_id.as_str()))
                .filter(t::user_id.eq(session.user_id.as_str()))
                .select(((t::interaction_id, t::kind, t::learning_id), t::result_id))
                .load(conn)
        })?;
        self.query(|conn, org| {
            let kept = t::table
                .filter(t::org_id.eq(org))
                .filter(t::session_id.eq(session.session_id.as_str()))
                .filter(t::user_id.eq(session.user_id.as_str()));
            diesel::delete(kept).execute(conn)
        })?;
        Ok(numbers.into_iter().collect())
    }

    /// Writes verdicts; those that were there before get their number back.
    fn put_in(
        &mut self,
        session: &SessionKey,
        verdicts: &[NewLearningVerdict],
        numbers: &HashMap<LearningPlace, i64>,
    ) -> Result<(), StoreError> {
        self.must_have_admitted(&session.user_id)?;
        let org = self.org.clone();
        // Of two verdicts on one learning at one turn the later stands.
        let verdicts: BTreeMap<_, _> = verdicts.iter().map(|verdict| (place_of(verdict), verdict)).collect();
        let (mut known, mut new) = (Vec::new(), Vec::new());
        for (place, verdict) in verdicts {
            let verdict = NewLearning::of(org.as_str(), session, verdict)?;
            match numbers.get(&place) {
                Some(&result_id) => known.push(NumberedLearning { result_id, verdict }),
                None => new.push(verdict),
            }
        }
        let table = retrieved_learning_results::table;
        for rows in known.chunks(ROWS_PER_STATEMENT) {
            self.query(|conn, _| on_each!(conn, |c| diesel::insert_into(table).values(rows).execute(c)))?;
        }
        for rows in new.chunks(ROWS_PER_STATEMENT) {
            self.query(|conn, _| on_each!(conn, |c| diesel::insert_into(table).values(rows).execute(c)))?;
        }
        Ok(())
    }

    /// Notes whose verdicts are kept now.
    fn close_fence(&mut self, session: &SessionKey, fence: &VerdictFence) -> Result<(), StoreError> {
        use session_judgings as t;
        self.must_have_admitted(&session.user_id)?;
        let kept =
            (t::kept_generation.eq(fence.generation), t::kept_fingerprint.eq(Some(&fence.fingerprint)));
        self.query(|conn, org| {
            let row = (
                t::org_id.eq(org),
                t::user_id.eq(session.user_id.as_str()),
                t::session_id.eq(session.session_id.as_str()),
                t::begun_generation.eq(fence.generation),
                kept,
            );
            on_each!(conn, |c| diesel::insert_into(t::table)
                .values(row)
                .on_conflict((t::org_id, t::user_id, t::session_id))
                .do_update()
                .set(kept)
                .execute(c))
        })?;
        Ok(())
    }
}

/// The session as it is now: turns are only ever added, so their number and the newest of them tell.
pub(super) fn fingerprint_of(
    conn: &mut AnyConnection,
    org: &str,
    session: &SessionKey,
) -> QueryResult<String> {
    let (turns, newest): (i64, Option<i64>) = interactions::table
        .filter(interactions::org_id.eq(org))
        .filter(interactions::session_id.eq(session.session_id.as_str()))
        .filter(interactions::user_id.eq(session.user_id.as_str()))
        .select((count_star(), max(interactions::interaction_id)))
        .first(conn)?;
    Ok(format!("{turns}:{}", newest.unwrap_or_default()))
}

fn place_of(verdict: &NewLearningVerdict) -> LearningPlace {
    let turn = verdict.interaction_id.map(|turn| turn.0);
    (turn, verdict.kind.as_str().to_owned(), verdict.learning_id.clone())
}
