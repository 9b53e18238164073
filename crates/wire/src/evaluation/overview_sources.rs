//! Cohorts of sources as the overview tells them.

use evaluation::SessionKey;
use evaluation::overview::{SourceSessions, SourceSetComparison, SourceSetMetrics};
use kernel::{SessionId, Source};
use serde::Serialize;
use utoipa::ToSchema;

use super::overview_answer::{
    ContextTile, HeroBucketRecord, PartnerTileRow, RuleAttributionRow, ScoreDistributionRecord,
};
use super::pair;

/// A session by its user and its id.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionName {
    /// Whose it is.
    pub user_id: String,
    /// The session.
    pub session_id: String,
}

impl From<&SessionKey> for SessionName {
    fn from(key: &SessionKey) -> Self {
        Self { user_id: key.user_id.as_str().to_owned(), session_id: key.session_id.as_str().to_owned() }
    }
}

/// The evaluated sessions of one source.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceSessionsRecord {
    /// The source.
    pub source: String,
    /// Their ids.
    pub session_ids: Vec<String>,
    /// The same with their users.
    pub sessions: Vec<SessionName>,
}

impl From<&SourceSessions> for SourceSessionsRecord {
    fn from(row: &SourceSessions) -> Self {
        Self {
            source: row.source.as_str().to_owned(),
            session_ids: texts(&row.session_ids),
            sessions: row.sessions.iter().map(Into::into).collect(),
        }
    }
}

/// How one cohort does.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceSetEvaluationMetrics {
    /// The cohort.
    pub label: String,
    /// Its sources.
    pub sources: Vec<String>,
    /// Its evaluated sessions.
    pub session_count: u64,
    /// Their ids.
    pub session_ids: Vec<String>,
    /// The share that succeeded, in percent.
    pub success_rate_pp: f64,
    /// Its 95 % interval, in percent.
    pub ci95: Option<[f64; 2]>,
    /// The window in pieces.
    pub buckets: Vec<HeroBucketRecord>,
    /// The last seven days against the seven before.
    pub context_tiles: ContextTile,
    /// Corrections per session.
    pub score_distribution: ScoreDistributionRecord,
    /// Cited learnings.
    pub rule_attribution: Vec<RuleAttributionRow>,
    /// The cited learnings whose sessions went worst.
    pub harmful_rules: Vec<RuleAttributionRow>,
    /// Somebody else's scorers.
    pub partner_tiles: Vec<PartnerTileRow>,
}

impl From<&SourceSetMetrics> for SourceSetEvaluationMetrics {
    fn from(set: &SourceSetMetrics) -> Self {
        Self {
            label: set.label.as_str().to_owned(),
            sources: source_texts(&set.sources),
            session_count: set.session_count,
            session_ids: texts(&set.session_ids),
            success_rate_pp: set.success_rate_pp,
            ci95: pair(set.ci95),
            buckets: set.buckets.iter().map(Into::into).collect(),
            context_tiles: (&set.context_tiles).into(),
            score_distribution: (&set.score_distribution).into(),
            rule_attribution: set.rule_attribution.iter().map(Into::into).collect(),
            harmful_rules: set.harmful_rules.iter().map(Into::into).collect(),
            partner_tiles: set.partner_tiles.iter().map(Into::into).collect(),
        }
    }
}

/// Cohorts compared.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SourceSetComparison)]
pub struct SourceSetComparisonRecord {
    /// The sources of the window.
    pub available_sources: Vec<String>,
    /// Their sessions.
    pub source_sessions: Vec<SourceSessionsRecord>,
    /// The cohorts, in the order asked for.
    pub sets: Vec<SourceSetEvaluationMetrics>,
    /// Sessions in none of the cohorts.
    pub unmatched_session_count: u64,
}

impl From<&SourceSetComparison> for SourceSetComparisonRecord {
    fn from(comparison: &SourceSetComparison) -> Self {
        Self {
            available_sources: source_texts(&comparison.available_sources),
            source_sessions: comparison.source_sessions.iter().map(Into::into).collect(),
            sets: comparison.sets.iter().map(Into::into).collect(),
            unmatched_session_count: comparison.unmatched_session_count,
        }
    }
}

pub(super) fn texts(ids: &[SessionId]) -> Vec<String> {
    ids.iter().map(SessionId::as_str).map(str::to_owned).collect()
}

fn source_texts(sources: &[Source]) -> Vec<String> {
    sources.iter().map(Source::as_str).map(str::to_owned).collect()
}
