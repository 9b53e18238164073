//! The counts of the overview, all of them from one snapshot and in a fixed number of queries.

mod cited;
mod spans;
mod tallies;

use ::evaluation::overview::{
    CitingSession, Cut, PartnerSum, RuleKey, RuleTitle, SourceSession, TallyRow, VerdictCount,
};
use ::evaluation::{
    AgentSuccessResult, Bucket, CitedRuleReceiver, OverviewSnapshot, PromptVersion, ServicePosition,
};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Double, Nullable, Text};
use kernel::{Label, OrgId, StoreError, Timestamp, UnitOfWork, Verdict, Window, Work};

use super::rows::{ResultRow, corrupt, count, session_of, source_of};
use super::shadow_rows::better_request_of;
use crate::database::Database;
use crate::schema::{evaluation_results, session_outcomes};
use crate::transaction::OrgSnapshot;

impl UnitOfWork<dyn OverviewSnapshot> for Database {
    /// Nothing is ever written, so there is nothing to keep or undo.
    fn run(&self, org: &OrgId, work: &mut Work<'_, dyn OverviewSnapshot>) -> Result<(), StoreError> {
        self.look(org, |snapshot| {
            let (Verdict::Commit | Verdict::RollBack) = work(snapshot);
        })
    }
}

impl OverviewSnapshot for OrgSnapshot {
    fn tallies(&mut self, window: Window, cut: Cut) -> Result<Vec<TallyRow>, StoreError> {
        tallies::read(self, window, cut)
    }

    fn cited_rules(
        &mut self,
        window: Window,
        receiver: &mut dyn CitedRuleReceiver,
    ) -> Result<(), StoreError> {
        cited::rules(self, window, receiver)
    }

    fn rule_titles(&mut self, window: Window, rules: &[RuleKey]) -> Result<Vec<RuleTitle>, StoreError> {
        cited::titles(self, window, rules)
    }

    fn citing_sessions(
        &mut self,
        window: Window,
        rules: &[RuleKey],
    ) -> Result<Vec<CitingSession>, StoreError> {
        cited::sessions(self, window, rules)
    }

    fn sessions(&mut self, window: Window) -> Result<Vec<SourceSession>, StoreError> {
        use session_outcomes as t;
        let rows: Vec<(String, String, String)> = self.query(|conn, org| {
            t::table
                .filter(t::org_id.eq(org))
                .filter(t::created_at.between(window.start().seconds(), window.end().seconds()))
                .select((t::source, t::user_id, t::session_id))
                .load(conn)
        })?;
        let session = |(source, user, id): (String, String, String)| {
            let session = session_of(&user, &id, "session_outcomes")?;
            Ok(SourceSession { source: source_of(&source, "session_outcomes")?, session })
        };
        rows.into_iter().map(session).collect()
    }

    fn verdicts(
        &mut self,
        window: Window,
        version: &PromptVersion,
        bucket: Bucket,
    ) -> Result<Vec<VerdictCount>, StoreError> {
        let sql = format!(
            "SELECT {} AS start, source, better_request, service_is_request_1, count(*) AS n \
             FROM shadow_verdicts WHERE org_id = $1 AND judge_prompt_version = $2 AND created_at BETWEEN $3 AND $4 \
             GROUP BY 1, 2, 3, 4",
            spans::bucket_start("created_at", bucket)
        );
        let rows: Vec<VerdictRow> = self.query(|conn, org| {
            diesel::sql_query(sql)
                .bind::<Text, _>(org)
                .bind::<Text, _>(version.as_str())
                .bind::<BigInt, _>(window.start().seconds())
                .bind::<BigInt, _>(window.end().seconds())
                .load(conn)
        })?;
        rows.into_iter().map(VerdictCount::try_from).collect()
    }

    fn verdict_count(&mut self, version: &PromptVersion, enough: u64) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) AS n FROM (SELECT 1 AS one FROM shadow_verdicts \
                   WHERE org_id = $1 AND judge_prompt_version = $2 LIMIT $3) AS counted";
        let counted: Counted = self.query(|conn, org| {
            diesel::sql_query(sql)
                .bind::<Text, _>(org)
                .bind::<Text, _>(version.as_str())
                .bind::<BigInt, _>(i64::try_from(enough).unwrap_or(i64::MAX))
                .get_result(conn)
        })?;
        count(counted.n, "shadow_verdicts")
    }

    fn partner_sums(&mut self, window: Window) -> Result<Vec<PartnerSum>, StoreError> {
        let sql = "SELECT scorer_name, o.source AS source, sum(value) AS total, count(*) AS n \
                   FROM partner_scores AS p LEFT JOIN session_outcomes AS o \
                   ON o.org_id = p.org_id AND o.user_id = p.user_id AND o.session_id = p.session_id \
                   WHERE p.org_id = $1 AND p.ts BETWEEN $2 AND $3 GROUP BY 1, 2";
        let rows: Vec<ScoreSum> = self.query(|conn, org| {
            diesel::sql_query(sql)
                .bind::<Text, _>(org)
                .bind::<BigInt, _>(window.start().seconds())
                .bind::<BigInt, _>(window.end().seconds())
                .load(conn)
        })?;
        rows.into_iter().map(PartnerSum::try_from).collect()
    }

    fn recent(&mut self, window: Window, limit: u32) -> Result<Vec<AgentSuccessResult>, StoreError> {
        use evaluation_results as t;
        let rows: Vec<ResultRow> = self.query(|conn, org| {
            t::table
                .filter(t::org_id.eq(org))
                .filter(t::created_at.between(window.start().seconds(), window.end().seconds()))
                .order((t::created_at.desc(), t::result_id.desc()))
                .limit(i64::from(limit))
                .select(ResultRow::as_select())
                .load(conn)
        })?;
        rows.into_iter().map(AgentSuccessResult::try_from).collect()
    }

    fn first_result_at(&mut self) -> Result<Option<Timestamp>, StoreError> {
        use evaluation_results as t;
        let first: Option<i64> = self.query(|conn, org| {
            t::table
                .filter(t::org_id.eq(org))
                .order((t::created_at.asc(), t::result_id.asc()))
                .select(t::created_at)
                .first(conn)
                .optional()
        })?;
        Ok(first.map(Timestamp::from_seconds))
    }
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    n: i64,
}

#[derive(QueryableByName)]
struct VerdictRow {
    #[diesel(sql_type = BigInt)]
    start: i64,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Text)]
    better_request: String,
    #[diesel(sql_type = Bool)]
    service_is_request_1: bool,
    #[diesel(sql_type = BigInt)]
    n: i64,
}

impl TryFrom<VerdictRow> for VerdictCount {
    type Error = StoreError;

    fn try_from(row: VerdictRow) -> Result<Self, StoreError> {
        Ok(Self {
            start: Timestamp::from_seconds(row.start),
            source: source_of(&row.source, "shadow_verdicts")?,
            better_request: better_request_of(&row.better_request)?,
            service: ServicePosition::from(row.service_is_request_1),
            n: count(row.n, "shadow_verdicts")?,
        })
    }
}

#[derive(QueryableByName)]
struct ScoreSum {
    #[diesel(sql_type = Text)]
    scorer_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    source: Option<String>,
    #[diesel(sql_type = Double)]
    total: f64,
    #[diesel(sql_type = BigInt)]
    n: i64,
}

impl TryFrom<ScoreSum> for PartnerSum {
    type Error = StoreError;

    fn try_from(row: ScoreSum) -> Result<Self, StoreError> {
        Ok(Self {
            scorer_name: Label::new(&row.scorer_name).map_err(|_| corrupt("partner_scores.scorer_name"))?,
            source: row.source.as_deref().map(|text| source_of(text, "session_outcomes")).transpose()?,
            sum: row.total,
            n: count(row.n, "partner_scores")?,
        })
    }
}
