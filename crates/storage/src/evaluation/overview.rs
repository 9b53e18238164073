//! The counts of the overview, all of them from one snapshot and in a fixed number of queries.

mod cited;
mod spans;
mod tallies;

use ::evaluation::overview::{
    CitingSession, Cut, PartnerSum, RuleKey, RuleTitle, Slice, SourceSession, TallyRow, VerdictCount,
};
use ::evaluation::{Bucket, CitedRuleReceiver, KeptResult, OverviewSnapshot, PromptVersion, ServicePosition};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Double, Nullable, Text};
use kernel::{AgentVersion, Label, OrgId, StoreError, Timestamp, UnitOfWork, Verdict, Window, Work};

pub(crate) use tallies::evaluated;

use super::rows::{ResultRow, corrupt, count, epochs_of, kept_results, session_of, source_of, version_of};
use super::shadow_rows::better_request_of;
use crate::database::Database;
use crate::schema::{evaluation_results, session_outcomes};
use crate::transaction::OrgSnapshot;

/// Says that the result of this version (the bind of this number) speaks for the session of a row.
fn spoken_by_version(row: &str, bind: u32) -> String {
    format!(
        "EXISTS (SELECT 1 FROM session_outcomes AS s JOIN evaluation_results AS r \
         ON r.org_id = s.org_id AND r.result_id = s.result_id \
         WHERE s.org_id = {row}.org_id AND s.user_id = {row}.user_id AND s.session_id = {row}.session_id \
         AND r.agent_version = ${bind})"
    )
}

/// Steps from version to version along their index, and looks once into the window of each.
///
/// That look is a minimum rather than an `EXISTS`, which a planner may turn into a join with the whole window.
const VERSIONS: &str = "WITH RECURSIVE versions (agent_version) AS (\
     SELECT min(agent_version) FROM evaluation_results WHERE org_id = $1 \
     UNION ALL SELECT (SELECT min(r.agent_version) FROM evaluation_results AS r \
     WHERE r.org_id = $1 AND r.agent_version > versions.agent_version) \
     FROM versions WHERE versions.agent_version IS NOT NULL) \
     SELECT agent_version FROM versions WHERE agent_version IS NOT NULL AND (\
     SELECT min(r.created_at) FROM evaluation_results AS r WHERE r.org_id = $1 \
     AND r.agent_version = versions.agent_version AND r.created_at BETWEEN $2 AND $3) IS NOT NULL \
     ORDER BY agent_version LIMIT 100";

impl UnitOfWork<dyn OverviewSnapshot> for Database {
    /// Nothing is ever written, so there is nothing to keep or undo.
    fn run(&self, org: &OrgId, work: &mut Work<'_, dyn OverviewSnapshot>) -> Result<(), StoreError> {
        self.look(org, |snapshot| {
            let (Verdict::Commit | Verdict::RollBack) = work(snapshot);
        })
    }
}

impl OverviewSnapshot for OrgSnapshot {
    fn tallies(&mut self, slice: &Slice, cut: Cut) -> Result<Vec<TallyRow>, StoreError> {
        match &slice.agent_version {
            None => tallies::read(self, slice.window, cut),
            Some(version) => tallies::of_version(self, slice.window, version, cut),
        }
    }

    fn cited_rules(&mut self, slice: &Slice, receiver: &mut dyn CitedRuleReceiver) -> Result<(), StoreError> {
        cited::rules(self, slice, receiver)
    }

    fn rule_titles(&mut self, window: Window, rules: &[RuleKey]) -> Result<Vec<RuleTitle>, StoreError> {
        cited::titles(self, window, rules)
    }

    fn citing_sessions(
        &mut self,
        slice: &Slice,
        rules: &[RuleKey],
    ) -> Result<Vec<CitingSession>, StoreError> {
        cited::sessions(self, slice, rules)
    }

    fn sessions(&mut self, slice: &Slice) -> Result<Vec<SourceSession>, StoreError> {
        use session_outcomes as t;
        let rows: Vec<(String, String, String)> = self.query(|conn, org| {
            let mut sessions = t::table
                .filter(t::org_id.eq(org))
                .filter(t::created_at.between(slice.window.start().seconds(), slice.window.end().seconds()))
                .select((t::source, t::user_id, t::session_id))
                .into_boxed();
            if let Some(version) = &slice.agent_version {
                let spoken = evaluation_results::table
                    .filter(evaluation_results::org_id.eq(t::org_id))
                    .filter(evaluation_results::result_id.eq(t::result_id))
                    .filter(evaluation_results::agent_version.eq(version.as_str()));
                sessions = sessions.filter(exists(spoken));
            }
            sessions.load(conn)
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

    fn partner_sums(&mut self, slice: &Slice) -> Result<Vec<PartnerSum>, StoreError> {
        let version = match &slice.agent_version {
            None => String::new(),
            Some(_) => format!(" AND {}", spoken_by_version("p", 4)),
        };
        let sql = format!(
            "SELECT scorer_name, o.source AS source, sum(value) AS total, count(*) AS n \
             FROM partner_scores AS p LEFT JOIN session_outcomes AS o \
             ON o.org_id = p.org_id AND o.user_id = p.user_id AND o.session_id = p.session_id \
             WHERE p.org_id = $1 AND p.ts BETWEEN $2 AND $3{version} GROUP BY 1, 2"
        );
        let rows: Vec<ScoreSum> = self.query(|conn, org| {
            let mut query = diesel::sql_query(sql)
                .into_boxed()
                .bind::<Text, _>(org)
                .bind::<BigInt, _>(slice.window.start().seconds())
                .bind::<BigInt, _>(slice.window.end().seconds());
            if let Some(version) = &slice.agent_version {
                query = query.bind::<Text, _>(version.as_str());
            }
            query.load(conn)
        })?;
        rows.into_iter().map(PartnerSum::try_from).collect()
    }

    fn recent(&mut self, slice: &Slice, limit: u32) -> Result<Vec<KeptResult>, StoreError> {
        use evaluation_results as t;
        let (rows, epochs) = self.query(|conn, org| {
            let mut recent = t::table
                .filter(t::org_id.eq(org))
                .filter(t::created_at.between(slice.window.start().seconds(), slice.window.end().seconds()))
                .order((t::created_at.desc(), t::result_id.desc()))
                .limit(i64::from(limit))
                .select(ResultRow::as_select())
                .into_boxed();
            if let Some(version) = &slice.agent_version {
                recent = recent.filter(t::agent_version.eq(version.as_str()));
            }
            let rows = recent.load(conn)?;
            let epochs = epochs_of(conn, org, &rows)?;
            Ok((rows, epochs))
        })?;
        kept_results(rows, &epochs)
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

    fn agent_versions(&mut self, window: Window) -> Result<Vec<AgentVersion>, StoreError> {
        let rows: Vec<VersionRow> = self.query(|conn, org| {
            diesel::sql_query(VERSIONS)
                .bind::<Text, _>(org)
                .bind::<BigInt, _>(window.start().seconds())
                .bind::<BigInt, _>(window.end().seconds())
                .load(conn)
        })?;
        rows.into_iter().map(|row| version_of(&row.agent_version, "evaluation_results")).collect()
    }
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    n: i64,
}

#[derive(QueryableByName)]
struct VersionRow {
    #[diesel(sql_type = Text)]
    agent_version: String,
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
