//! Which rules evaluated sessions cited, and how those sessions came out.

use std::collections::BTreeSet;

use ::evaluation::overview::{CitedRule, CitingSession, RuleKey, RuleTitle, Slice};
use ::evaluation::{CitedRuleReceiver, LearningKind};
use diesel::connection::DefaultLoadingMode;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{SessionId, StoreError, Window};

use super::spoken_by_version;
use crate::evaluation::rows::{corrupt, count, source_of};
use crate::schema::{cited_outcomes, evaluation_results, session_outcomes};
use crate::transaction::OrgSnapshot;

#[derive(QueryableByName)]
struct RuleRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    rule_id: String,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = BigInt)]
    successes: i64,
    #[diesel(sql_type = BigInt)]
    n: i64,
}

impl TryFrom<RuleRow> for CitedRule {
    type Error = StoreError;

    fn try_from(row: RuleRow) -> Result<Self, StoreError> {
        let successes = count(row.successes, "cited_outcomes")?;
        Ok(Self {
            rule: key_of(&row.kind, row.rule_id)?,
            source: source_of(&row.source, "cited_outcomes")?,
            successes,
            failures: count(row.n, "cited_outcomes")?.saturating_sub(successes),
        })
    }
}

fn key_of(kind: &str, rule_id: String) -> Result<RuleKey, StoreError> {
    let kind = LearningKind::parse(kind).ok_or_else(|| corrupt("cited_outcomes.kind"))?;
    Ok(RuleKey { kind, rule_id })
}

/// Grouped in the order of the index, and handed on row by row.
fn rules_statement(slice: &Slice) -> String {
    let version = match &slice.agent_version {
        None => String::new(),
        Some(_) => format!(" AND {}", spoken_by_version("c", 4)),
    };
    format!(
        "SELECT kind, rule_id, source, CAST(sum(CASE WHEN is_success THEN 1 ELSE 0 END) AS BIGINT) AS successes, \
         count(*) AS n FROM cited_outcomes AS c WHERE org_id = $1 AND created_at BETWEEN $2 AND $3{version} \
         GROUP BY kind, rule_id, source ORDER BY kind, rule_id, source"
    )
}

pub(super) fn rules(
    snapshot: &mut OrgSnapshot,
    slice: &Slice,
    receiver: &mut dyn CitedRuleReceiver,
) -> Result<(), StoreError> {
    snapshot
        .query(|conn, org| {
            let mut query = diesel::sql_query(rules_statement(slice))
                .into_boxed()
                .bind::<Text, _>(org)
                .bind::<BigInt, _>(slice.window.start().seconds())
                .bind::<BigInt, _>(slice.window.end().seconds());
            if let Some(version) = &slice.agent_version {
                query = query.bind::<Text, _>(version.as_str());
            }
            let rows = query.load_iter::<RuleRow, DefaultLoadingMode>(conn)?;
            let mut unreadable = None;
            for row in rows {
                match CitedRule::try_from(row?) {
                    Ok(cited) => receiver.receive(cited),
                    Err(error) => unreadable = Some(error),
                }
            }
            Ok(unreadable)
        })?
        .map_or(Ok(()), Err)
}

#[derive(QueryableByName)]
struct TitleRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    rule_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
}

/// One look into the index of titles for each rule; it begins with the newest.
fn titles_statement(rules: usize) -> String {
    let pairs: Vec<_> = (0..rules).map(|rule| format!("(${}, ${})", 2 * rule + 1, 2 * rule + 2)).collect();
    let next = 2 * rules + 1;
    format!(
        "WITH rules (kind, rule_id) AS (VALUES {}) SELECT kind, rule_id, (SELECT title FROM cited_outcomes AS c \
         WHERE c.org_id = ${next} AND c.kind = rules.kind AND c.rule_id = rules.rule_id AND c.title <> '' \
         AND c.created_at BETWEEN ${} AND ${} ORDER BY c.titled_at DESC, c.titled_by DESC LIMIT 1) AS title FROM rules",
        pairs.join(", "),
        next + 1,
        next + 2
    )
}

pub(super) fn titles(
    snapshot: &mut OrgSnapshot,
    window: Window,
    rules: &[RuleKey],
) -> Result<Vec<RuleTitle>, StoreError> {
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<TitleRow> = snapshot.query(|conn, org| {
        let mut query = diesel::sql_query(titles_statement(rules.len())).into_boxed();
        for rule in rules {
            query = query.bind::<Text, _>(rule.kind.as_str()).bind::<Text, _>(&rule.rule_id);
        }
        query
            .bind::<Text, _>(org)
            .bind::<BigInt, _>(window.start().seconds())
            .bind::<BigInt, _>(window.end().seconds())
            .load(conn)
    })?;
    let titled = rows.into_iter().filter_map(|row| Some((row.kind, row.rule_id, row.title?)));
    titled.map(|(kind, id, title)| Ok(RuleTitle { rule: key_of(&kind, id)?, title })).collect()
}

pub(super) fn sessions(
    snapshot: &mut OrgSnapshot,
    slice: &Slice,
    rules: &[RuleKey],
) -> Result<Vec<CitingSession>, StoreError> {
    use cited_outcomes as t;
    let wanted: BTreeSet<_> = rules.iter().collect();
    let (kinds, ids): (BTreeSet<_>, BTreeSet<_>) =
        rules.iter().map(|rule| (rule.kind.as_str(), rule.rule_id.as_str())).unzip();
    let rows: Vec<(String, String, String, String)> = snapshot.query(|conn, org| {
        let mut citing = t::table
            .filter(t::org_id.eq(org))
            .filter(t::kind.eq_any(kinds))
            .filter(t::rule_id.eq_any(ids))
            .filter(t::created_at.between(slice.window.start().seconds(), slice.window.end().seconds()))
            .select((t::kind, t::rule_id, t::source, t::session_id))
            .into_boxed();
        if let Some(version) = &slice.agent_version {
            let spoken = session_outcomes::table
                .inner_join(
                    evaluation_results::table
                        .on(evaluation_results::result_id.eq(session_outcomes::result_id)),
                )
                .filter(session_outcomes::org_id.eq(t::org_id))
                .filter(session_outcomes::user_id.eq(t::user_id))
                .filter(session_outcomes::session_id.eq(t::session_id))
                .filter(evaluation_results::agent_version.eq(version.as_str()));
            citing = citing.filter(exists(spoken));
        }
        citing.load(conn)
    })?;
    let mut citing = Vec::with_capacity(rows.len());
    for (kind, rule_id, source, session) in rows {
        let rule = key_of(&kind, rule_id)?;
        if wanted.contains(&rule) {
            let session_id = SessionId::new(&session).map_err(|_| corrupt("cited_outcomes.session_id"))?;
            citing.push(CitingSession { rule, source: source_of(&source, "cited_outcomes")?, session_id });
        }
    }
    Ok(citing)
}
