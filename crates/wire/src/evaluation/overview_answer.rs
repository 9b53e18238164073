//! The overview as it is told.

use evaluation::Overview;
use evaluation::overview::{
    CORRECTION_LABELS, ContextTiles, Hero, HeroBucket, MeanTile, PartnerTile, RateTile, RuleAttribution,
    ScoreDistribution, ShadowTrend,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::overview_sources::{SourceSetComparisonRecord, texts};
use super::pair;
use super::result::ResultRecord;

/// How the agent does, over the whole window.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeroBlock {
    /// `empty`, `shadow_off`, `early` or `full`.
    pub state: String,
    /// The share of sessions that succeeded, in percent; 0 when there are none.
    pub regular_success_rate_pp: f64,
    /// Its 95 % interval, in percent; null when there are no sessions.
    pub ci95: Option<[f64; 2]>,
    /// Always null: a shadow track is never graded as a session.
    pub shadow_success_rate_pp: Option<f64>,
    /// Always null, for the same reason.
    pub delta_pp: Option<f64>,
    /// The window in pieces, those with data.
    pub buckets: Vec<HeroBucketRecord>,
}

/// One piece of the window.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HeroBucket)]
pub struct HeroBucketRecord {
    /// Its first second.
    pub ts: i64,
    /// The share of sessions that succeeded, 0 to 1.
    pub regular_rate: f64,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// Always null: a shadow track is never graded as a session.
    pub shadow_rate: Option<f64>,
    /// Sessions.
    pub regular_n: u64,
    /// Shadow verdicts of the pinned rubric.
    pub shadow_n: u64,
    /// Corrections per session.
    pub avg_corrections: f64,
    /// The share of sessions that escalated, 0 to 1.
    pub escalation_rate: f64,
}

impl From<&HeroBucket> for HeroBucketRecord {
    fn from(bucket: &HeroBucket) -> Self {
        Self {
            ts: bucket.ts.seconds(),
            regular_rate: bucket.regular_rate,
            ci95: pair(bucket.ci95),
            shadow_rate: None,
            regular_n: bucket.regular_n,
            shadow_n: bucket.shadow_n,
            avg_corrections: bucket.avg_corrections,
            escalation_rate: bucket.escalation_rate,
        }
    }
}

impl From<&Hero> for HeroBlock {
    fn from(hero: &Hero) -> Self {
        Self {
            state: hero.state.as_str().to_owned(),
            regular_success_rate_pp: hero.regular_success_rate_pp,
            ci95: pair(hero.ci95),
            shadow_success_rate_pp: None,
            delta_pp: None,
            buckets: hero.buckets.iter().map(Into::into).collect(),
        }
    }
}

/// A share now, and against the seven days before.
#[derive(Debug, Serialize, ToSchema)]
pub struct RateTileRecord {
    /// In percent.
    pub current: f64,
    /// In percentage points.
    pub delta_pp: f64,
    /// The 95 % interval of `current`, in percent.
    pub ci95: Option<[f64; 2]>,
    /// The 95 % interval of `delta_pp`; null when either side has no session.
    pub delta_ci95: Option<[f64; 2]>,
}

impl From<&RateTile> for RateTileRecord {
    fn from(tile: &RateTile) -> Self {
        Self {
            current: tile.current,
            delta_pp: tile.delta_pp,
            ci95: pair(tile.ci95),
            delta_ci95: pair(tile.delta_ci95),
        }
    }
}

/// A mean now, and against the seven days before.
#[derive(Debug, Serialize, ToSchema)]
pub struct MeanTileRecord {
    /// The mean.
    pub current: f64,
    /// The difference.
    pub delta: f64,
    /// The 95 % interval of `delta`; null when either side has fewer than two observations.
    pub delta_ci95: Option<[f64; 2]>,
}

impl From<&MeanTile> for MeanTileRecord {
    fn from(tile: &MeanTile) -> Self {
        Self { current: tile.current, delta: tile.delta, delta_ci95: pair(tile.delta_ci95) }
    }
}

/// Success without the sessions that a system error spoiled.
#[derive(Debug, Serialize, ToSchema)]
pub struct BehaviorTileRecord {
    /// In percent; null when no session is eligible.
    pub current: Option<f64>,
    /// In percentage points; null when either side has none.
    pub delta_pp: Option<f64>,
    /// Sessions that count.
    pub eligible_sessions: u64,
    /// Sessions left out.
    pub excluded_system_errors: u64,
    /// The 95 % interval of `current`, in percent.
    pub ci95: Option<[f64; 2]>,
    /// The 95 % interval of `delta_pp`; null when either side has none.
    pub delta_ci95: Option<[f64; 2]>,
}

/// The last seven days against the seven before.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextTile {
    /// Success.
    pub success: RateTileRecord,
    /// Corrections per session.
    pub corrections: MeanTileRecord,
    /// User turns until success.
    pub turns: MeanTileRecord,
    /// Escalation.
    pub escalation: RateTileRecord,
    /// Success without system errors.
    pub behavior_success: BehaviorTileRecord,
    /// How many sessions the last seven days hold.
    pub current_sessions: u64,
    /// How many sessions the seven days before hold.
    pub baseline_sessions: u64,
}

impl From<&ContextTiles> for ContextTile {
    fn from(tiles: &ContextTiles) -> Self {
        let behavior = &tiles.behavior_success;
        Self {
            success: (&tiles.success).into(),
            corrections: (&tiles.corrections).into(),
            turns: (&tiles.turns).into(),
            escalation: (&tiles.escalation).into(),
            behavior_success: BehaviorTileRecord {
                current: behavior.current,
                delta_pp: behavior.delta_pp,
                eligible_sessions: behavior.eligible_sessions,
                excluded_system_errors: behavior.excluded_system_errors,
                ci95: pair(behavior.ci95),
                delta_ci95: pair(behavior.delta_ci95),
            },
            current_sessions: tiles.current_sessions,
            baseline_sessions: tiles.baseline_sessions,
        }
    }
}

/// How many sessions needed how many corrections.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScoreDistribution)]
pub struct ScoreDistributionRecord {
    /// The bins.
    pub labels: Vec<String>,
    /// The last seven days.
    pub current_bins: Vec<u64>,
    /// The seven days before.
    pub baseline_bins: Vec<u64>,
}

impl From<&ScoreDistribution> for ScoreDistributionRecord {
    fn from(distribution: &ScoreDistribution) -> Self {
        Self {
            labels: CORRECTION_LABELS.iter().map(|&label| label.to_owned()).collect(),
            current_bins: distribution.current_bins.to_vec(),
            baseline_bins: distribution.baseline_bins.to_vec(),
        }
    }
}

/// A cited learning and how the sessions that cite it went.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleAttributionRow {
    /// The learning.
    pub rule_id: String,
    /// Its kind.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Sessions that cite it and succeeded.
    pub successes_with: u64,
    /// Sessions that cite it and failed.
    pub failures_with: u64,
    /// The difference.
    pub net_sessions: i64,
    /// The sessions that cite it.
    pub cited_session_ids: Vec<String>,
}

impl From<&RuleAttribution> for RuleAttributionRow {
    fn from(row: &RuleAttribution) -> Self {
        Self {
            rule_id: row.rule.rule_id.clone(),
            kind: row.rule.kind.as_str().to_owned(),
            title: row.title.clone(),
            successes_with: row.successes_with,
            failures_with: row.failures_with,
            net_sessions: row.net_sessions,
            cited_session_ids: texts(&row.cited_session_ids),
        }
    }
}

/// What somebody else's scorer says.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerTileRow {
    /// The scorer.
    pub scorer_name: String,
    /// The mean now.
    pub current: f64,
    /// Scores.
    pub n: u64,
    /// Against the seven days before.
    pub delta: f64,
}

impl From<&PartnerTile> for PartnerTileRow {
    fn from(tile: &PartnerTile) -> Self {
        let scorer_name = tile.scorer_name.as_str().to_owned();
        Self { scorer_name, current: tile.current, n: tile.n, delta: tile.delta }
    }
}

/// Shadow verdicts by day.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShadowWinRateTrend {
    /// Days with verdicts, ascending.
    pub daily: Vec<ShadowWinRateTrendPoint>,
    /// The whole window.
    pub window_total: ShadowWinRateTrendWindowTotal,
    /// The pinned rubric epoch.
    pub judge_prompt_version: String,
}

/// One UTC day.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShadowWinRateTrendPoint {
    /// The day, `YYYY-MM-DD`.
    pub date: String,
    /// Verdicts.
    pub n: u64,
    /// The service was better.
    pub wins: u64,
    /// The shadow was better.
    pub losses: u64,
    /// Neither was.
    pub ties: u64,
}

/// The whole window.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShadowWinRateTrendWindowTotal {
    /// Verdicts.
    pub n: u64,
    /// The service was better.
    pub wins: u64,
    /// The shadow was better.
    pub losses: u64,
    /// Neither was.
    pub ties: u64,
    /// Wins over verdicts; 0 when there are none.
    pub win_rate: f64,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// Wins less losses, over verdicts; 0 when there are none.
    pub net_win: f64,
}

impl From<&ShadowTrend> for ShadowWinRateTrend {
    fn from(trend: &ShadowTrend) -> Self {
        let total = &trend.window_total;
        let daily = trend.daily.iter().map(|day| ShadowWinRateTrendPoint {
            date: day.date.clone(),
            n: day.counts.n(),
            wins: day.counts.wins,
            losses: day.counts.losses,
            ties: day.counts.ties,
        });
        Self {
            daily: daily.collect(),
            window_total: ShadowWinRateTrendWindowTotal {
                n: total.counts.n(),
                wins: total.counts.wins,
                losses: total.counts.losses,
                ties: total.counts.ties,
                win_rate: total.win_rate,
                ci95: pair(total.ci95),
                net_win: total.net_win,
            },
            judge_prompt_version: trend.judge_prompt_version.as_str().to_owned(),
        }
    }
}

/// How well the agent does.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetEvaluationOverviewResponse {
    /// The whole window.
    pub hero: HeroBlock,
    /// The last seven days against the seven before.
    pub context_tiles: ContextTile,
    /// Cited learnings and how their sessions went: those that went best.
    pub rule_attribution: Vec<RuleAttributionRow>,
    /// Those that went worst, of which more failed than succeeded.
    pub harmful_rules: Vec<RuleAttributionRow>,
    /// Corrections per session.
    pub score_distribution: ScoreDistributionRecord,
    /// Somebody else's scorers.
    pub partner_tiles: Vec<PartnerTileRow>,
    /// Shadow verdicts by day.
    pub shadow_win_rate_trend: ShadowWinRateTrend,
    /// The 100 newest results of the window.
    pub recent_results: Vec<ResultRecord>,
    /// Cohorts compared.
    pub source_set_comparison: SourceSetComparisonRecord,
    /// The versions of the agent that were judged in the window, ascending; at most 100.
    pub available_agent_versions: Vec<String>,
}

impl From<&Overview> for GetEvaluationOverviewResponse {
    fn from(overview: &Overview) -> Self {
        Self {
            hero: (&overview.hero).into(),
            context_tiles: (&overview.context_tiles).into(),
            rule_attribution: overview.rule_attribution.iter().map(Into::into).collect(),
            harmful_rules: overview.harmful_rules.iter().map(Into::into).collect(),
            score_distribution: (&overview.score_distribution).into(),
            partner_tiles: overview.partner_tiles.iter().map(Into::into).collect(),
            shadow_win_rate_trend: (&overview.shadow_win_rate_trend).into(),
            recent_results: overview.recent_results.iter().map(Into::into).collect(),
            source_set_comparison: (&overview.source_set_comparison).into(),
            available_agent_versions: overview
                .available_agent_versions
                .iter()
                .map(|version| version.as_str().to_owned())
                .collect(),
        }
    }
}
