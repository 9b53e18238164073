//! Results and verdicts outside a transaction.

use ::evaluation::{
    Cursor, Escalation, KeptResult, LearningVerdict, LearningVerdictFilter, Outcome, PromptVersion,
    ResultFilter, ResultReader, ShadowFilter, ShadowVerdict, ShadowVerdictReader,
};
use diesel::dsl::not;
use diesel::prelude::*;
use kernel::{OrgId, StoreError, Timestamp};

use super::learning_rows::LearningRow;
use super::rows::{ResultRow, epochs_of, kept_results};
use super::shadow_rows::ShadowRow;
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::schema::{evaluation_results, retrieved_learning_results, shadow_verdicts};

impl ResultReader for Database {
    fn results(
        &self,
        org: &OrgId,
        filter: &ResultFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<KeptResult>, StoreError> {
        let (rows, epochs) = self.read(|conn| {
            let rows = result_page(conn, org.as_str(), filter, after, limit)?;
            let epochs = epochs_of(conn, org.as_str(), &rows)?;
            Ok((rows, epochs))
        })?;
        kept_results(rows, &epochs)
    }

    fn learning_verdicts(
        &self,
        org: &OrgId,
        filter: &LearningVerdictFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LearningVerdict>, StoreError> {
        let rows = self.read(|conn| {
            if filter.period.is_open() {
                latest_made(conn, org.as_str(), filter, after, limit)
            } else {
                latest_turns(conn, org.as_str(), filter, after, limit)
            }
        })?;
        rows.into_iter().map(LearningVerdict::try_from).collect()
    }
}

impl ShadowVerdictReader for Database {
    fn recent(
        &self,
        org: &OrgId,
        version: &PromptVersion,
        since: Timestamp,
        filter: &ShadowFilter,
        limit: u32,
    ) -> Result<Vec<ShadowVerdict>, StoreError> {
        use shadow_verdicts as t;
        let rows: Vec<ShadowRow> = self.read(|conn| {
            let mut recent = t::table
                .filter(t::org_id.eq(org.as_str()))
                .filter(t::judge_prompt_version.eq(version.as_str()))
                .filter(t::created_at.ge(since.seconds()))
                .select(ShadowRow::as_select())
                .into_boxed();
            if let Some(user) = &filter.user_id {
                recent = recent.filter(t::user_id.eq(user.as_str()));
            }
            if let Some(session) = &filter.session_id {
                recent = recent.filter(t::session_id.eq(session.as_str()));
            }
            recent.order((t::created_at.desc(), t::verdict_id.desc())).limit(i64::from(limit)).load(conn)
        })?;
        rows.into_iter().map(ShadowVerdict::try_from).collect()
    }
}

/// A page, found by seeking in the index of the filter.
fn result_page(
    conn: &mut AnyConnection,
    org: &str,
    filter: &ResultFilter,
    after: Option<Cursor>,
    limit: u32,
) -> QueryResult<Vec<ResultRow>> {
    use evaluation_results as t;
    let mut page = t::table.filter(t::org_id.eq(org)).select(ResultRow::as_select()).into_boxed();
    if let Some(version) = &filter.agent_version {
        page = page.filter(t::agent_version.eq(version.as_str()));
    }
    if let Some(user) = &filter.user_id {
        page = page.filter(t::user_id.eq(user.as_str()));
    }
    if let Some(session) = &filter.session_id {
        page = page.filter(t::session_id.eq(session.as_str()));
    }
    if let Some(source) = &filter.source {
        page = page.filter(t::source.eq(source.as_str()));
    }
    // Said as their indexes say it, so that those are found.
    page = match filter.outcome {
        None => page,
        Some(Outcome::Success) => page.filter(t::is_success),
        Some(Outcome::Failure) => page.filter(not(t::is_success)),
        Some(Outcome::FailureBy(cause)) => {
            page.filter(not(t::is_success)).filter(t::failure_type.eq(cause.as_str()))
        }
    };
    page = match filter.escalation {
        None => page,
        Some(Escalation::Escalated) => page.filter(t::is_escalated),
        Some(Escalation::NotEscalated) => page.filter(not(t::is_escalated)),
    };
    if let Some(start) = filter.period.start() {
        page = page.filter(t::created_at.ge(start.seconds()));
    }
    if let Some(end) = filter.period.end() {
        page = page.filter(t::created_at.le(end.seconds()));
    }
    if let Some(Cursor { at, id }) = after {
        // Said so that the index finds the place: first the time, then the number within it.
        let later_in_list = t::created_at.lt(at.seconds()).or(t::result_id.lt(id));
        page = page.filter(t::created_at.le(at.seconds())).filter(later_in_list);
    }
    page.order((t::created_at.desc(), t::result_id.desc())).limit(i64::from(limit)).load(conn)
}

fn latest_made(
    conn: &mut AnyConnection,
    org: &str,
    filter: &LearningVerdictFilter,
    after: Option<Cursor>,
    limit: u32,
) -> QueryResult<Vec<LearningRow>> {
    use retrieved_learning_results as t;
    let mut page = t::table.filter(t::org_id.eq(org)).select(LearningRow::as_select()).into_boxed();
    if let Some(user) = &filter.user_id {
        page = page.filter(t::user_id.eq(user.as_str()));
    }
    if let Some(session) = &filter.session_id {
        page = page.filter(t::session_id.eq(session.as_str()));
    }
    if let Some(Cursor { at, id }) = after {
        let later_in_list = t::created_at.lt(at.seconds()).or(t::result_id.lt(id));
        page = page.filter(t::created_at.le(at.seconds())).filter(later_in_list);
    }
    page.order((t::created_at.desc(), t::result_id.desc())).limit(i64::from(limit)).load(conn)
}

fn latest_turns(
    conn: &mut AnyConnection,
    org: &str,
    filter: &LearningVerdictFilter,
    after: Option<Cursor>,
    limit: u32,
) -> QueryResult<Vec<LearningRow>> {
    use retrieved_learning_results as t;
    let turn_at = t::interaction_created_at;
    let mut page = t::table.filter(t::org_id.eq(org)).select(LearningRow::as_select()).into_boxed();
    if let Some(user) = &filter.user_id {
        page = page.filter(t::user_id.eq(user.as_str()));
    }
    if let Some(session) = &filter.session_id {
        page = page.filter(t::session_id.eq(session.as_str()));
    }
    // A verdict without a turn time is in no period: it compares with nothing.
    if let Some(start) = filter.period.start() {
        page = page.filter(turn_at.ge(start.seconds()));
    }
    if let Some(end) = filter.period.end() {
        page = page.filter(turn_at.le(end.seconds()));
    }
    if let Some(Cursor { at, id }) = after {
        let later_in_list = turn_at.lt(at.seconds()).or(t::result_id.nullable().lt(id));
        page = page.filter(turn_at.le(at.seconds())).filter(later_in_list);
    }
    page.order((turn_at.desc(), t::result_id.desc())).limit(i64::from(limit)).load(conn)
}
