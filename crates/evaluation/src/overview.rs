//! The overview of a window of time: counts come in, the numbers that people read go out.

pub mod attribution;
pub mod distribution;
pub mod hero;
pub mod partner_tiles;
pub mod shadow_trend;
pub mod sources;
pub mod tiles;

use std::sync::Arc;

use kernel::{AgentVersion, Clock, OrgId, Source, StoreError, Timestamp, UnitOfWork, Window};

use crate::{Bucket, EvaluationError, KeptResult, OverviewSnapshot, ShadowSettings, ShadowSetup, Tally};

pub use attribution::{CitedRule, CitingSession, RuleAttribution, RuleKey, RuleTitle};
pub use distribution::{CORRECTION_LABELS, ScoreDistribution};
pub use hero::{Hero, HeroBucket, HeroState};
pub use partner_tiles::{PartnerSum, PartnerTile};
pub use shadow_trend::{ShadowCounts, ShadowDay, ShadowTotal, ShadowTrend, VerdictCount};
pub use sources::{
    InvalidSourceSets, SourceSession, SourceSessions, SourceSet, SourceSetComparison, SourceSetMetrics,
    SourceSets,
};
pub use tiles::{BehaviorTile, ContextTiles, MeanTile, RateTile, TileWindows};

use attribution::{Ranking, RuleDetails, RuleLists};
use hero::Maturity;
use sources::Scope;

/// Most results that the overview lists.
pub const MOST_RECENT: u32 = 100;

/// Whether a part that costs something is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// It is.
    Included,
    /// It is not: its lists stay empty and nothing is read for it.
    LeftOut,
}

/// What to look at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OverviewQuery {
    /// The window of time.
    pub window: Window,
    /// Only sessions of this version of the agent; shadow verdicts are counted whatever the version.
    pub agent_version: Option<AgentVersion>,
    /// How long the buckets of the trend are.
    pub bucket: Bucket,
    /// Whether shadow verdicts are read.
    pub shadow: Part,
    /// Whether the lists that grow with the number of sessions are read.
    pub sessions: Part,
    /// The cohorts to compare.
    pub source_sets: SourceSets,
}

/// The sessions that are counted: those of a window, and of one version of the agent if it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The window of time.
    pub window: Window,
    /// The version of the agent in the result that speaks for the session.
    pub agent_version: Option<AgentVersion>,
}

impl Slice {
    /// All sessions of a window.
    #[must_use]
    pub const fn all(window: Window) -> Self {
        Self { window, agent_version: None }
    }
}

impl OverviewQuery {
    /// The sessions of a window that the query is about.
    fn slice(&self, window: Window) -> Slice {
        Slice { window, agent_version: self.agent_version.clone() }
    }
}

/// Into what pieces a window is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// One piece: the window itself.
    Whole,
    /// One piece for each bucket that it touches.
    Into(Bucket),
}

/// The sessions of one source in one piece of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyRow {
    /// The start of the piece.
    pub start: Timestamp,
    /// The source.
    pub source: Source,
    /// What is counted.
    pub tally: Tally,
}

/// How well the agent did in a window of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// The headline.
    pub hero: Hero,
    /// The last week against the week before.
    pub context_tiles: ContextTiles,
    /// The rules whose sessions came out best.
    pub rule_attribution: Vec<RuleAttribution>,
    /// The rules whose sessions failed more often than not, most harmful first.
    pub harmful_rules: Vec<RuleAttribution>,
    /// Sessions by number of corrections.
    pub score_distribution: ScoreDistribution,
    /// What partners' scorers say.
    pub partner_tiles: Vec<PartnerTile>,
    /// How the service did against its shadow.
    pub shadow_win_rate_trend: ShadowTrend,
    /// The newest results of the window.
    pub recent_results: Vec<KeptResult>,
    /// The same by request source.
    pub source_set_comparison: SourceSetComparison,
    /// The versions of the agent that were judged in the window, ascending.
    pub available_agent_versions: Vec<AgentVersion>,
}

/// Everything that one look at the store brings: counts, no rates.
#[derive(Default)]
struct Facts {
    buckets: Vec<TallyRow>,
    current: Vec<TallyRow>,
    previous: Vec<TallyRow>,
    verdicts: Vec<VerdictCount>,
    verdict_count: u64,
    partner_current: Vec<PartnerSum>,
    partner_previous: Vec<PartnerSum>,
    rules: Vec<RuleLists>,
    details: RuleDetails,
    sessions: Vec<SourceSession>,
    recent: Vec<KeptResult>,
    first_result_at: Option<Timestamp>,
    versions: Vec<AgentVersion>,
}

/// Reads the overview.
#[derive(Clone)]
pub struct ReadOverview {
    store: Arc<dyn UnitOfWork<dyn OverviewSnapshot>>,
    settings: Arc<dyn ShadowSettings>,
    clock: Arc<dyn Clock>,
}

impl ReadOverview {
    /// Reads from snapshots of this store, by these settings and this clock.
    #[must_use]
    pub fn new(
        store: Arc<dyn UnitOfWork<dyn OverviewSnapshot>>,
        settings: Arc<dyn ShadowSettings>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, settings, clock }
    }

    /// The overview of a window, every number of it from one snapshot and a fixed number of queries.
    ///
    /// # Errors
    /// When the store failed.
    pub fn read(&self, org: &OrgId, query: &OverviewQuery) -> Result<Overview, EvaluationError> {
        let now = self.clock.now();
        let setup = self.settings.shadow(org)?;
        let scopes = Scope::all(&query.source_sets);
        let facts = self.store.transact(org, |snapshot| gather(snapshot, query, &setup, &scopes))?;
        Ok(assemble(query, setup, now, &scopes, facts))
    }
}

/// Reads all counts that the answer needs.
fn gather(
    snapshot: &mut dyn OverviewSnapshot,
    query: &OverviewQuery,
    setup: &ShadowSetup,
    scopes: &[Scope<'_>],
) -> Result<Facts, StoreError> {
    let tiles = TileWindows::of(query.window);
    let mut facts = Facts {
        buckets: snapshot.tallies(&query.slice(query.window), Cut::Into(query.bucket))?,
        current: snapshot.tallies(&query.slice(tiles.current), Cut::Whole)?,
        partner_current: snapshot.partner_sums(&query.slice(tiles.current))?,
        recent: snapshot.recent(&query.slice(query.window), MOST_RECENT)?,
        first_result_at: snapshot.first_result_at()?,
        versions: snapshot.agent_versions(query.window)?,
        ..Facts::default()
    };
    if let Some(previous) = tiles.previous {
        facts.previous = snapshot.tallies(&query.slice(previous), Cut::Whole)?;
        facts.partner_previous = snapshot.partner_sums(&query.slice(previous))?;
    }
    if query.shadow == Part::Included {
        let grain = shadow_trend::grain(query.bucket);
        facts.verdicts = or_none(snapshot.verdicts(query.window, &setup.pinned, grain))?;
        facts.verdict_count = or_none(snapshot.verdict_count(&setup.pinned, hero::MANY_VERDICTS))?;
    }
    if query.sessions == Part::Included {
        facts.sessions = snapshot.sessions(&query.slice(query.window))?;
    }
    gather_rules(snapshot, query, scopes, &mut facts)?;
    Ok(facts)
}

/// Ranks the cited rules of each scope, then reads more about those that made it.
fn gather_rules(
    snapshot: &mut dyn OverviewSnapshot,
    query: &OverviewQuery,
    scopes: &[Scope<'_>],
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let mut ranking = Ranking::new(scopes);
    snapshot.cited_rules(&query.slice(query.window), &mut ranking)?;
    facts.rules = ranking.finish();
    let rules = attribution::keys(&facts.rules);
    if rules.is_empty() {
        return Ok(());
    }
    let titles = snapshot.rule_titles(query.window, &rules)?;
    let citing = match query.sessions {
        Part::Included => snapshot.citing_sessions(&query.slice(query.window), &rules)?,
        Part::LeftOut => Vec::new(),
    };
    facts.details = RuleDetails::new(titles, citing);
    Ok(())
}

/// A store that keeps no verdicts has none.
fn or_none<T: Default>(answer: Result<T, StoreError>) -> Result<T, StoreError> {
    match answer {
        Err(StoreError::Unsupported(_)) => Ok(T::default()),
        answer => answer,
    }
}

/// The numbers of one scope: all sources together, or one set of them.
struct Metrics {
    total: Tally,
    buckets: Vec<HeroBucket>,
    context_tiles: ContextTiles,
    score_distribution: ScoreDistribution,
    rule_attribution: Vec<RuleAttribution>,
    harmful_rules: Vec<RuleAttribution>,
    partner_tiles: Vec<PartnerTile>,
}

impl Metrics {
    fn of(scope: Scope<'_>, bucket: Bucket, rules: &RuleLists, facts: &Facts) -> Self {
        let (current, previous) = (scope.tally(&facts.current), scope.tally(&facts.previous));
        Self {
            total: scope.tally(&facts.buckets),
            buckets: hero::buckets(scope, bucket, &facts.buckets, &facts.verdicts),
            context_tiles: ContextTiles::of(&current, &previous),
            score_distribution: ScoreDistribution::of(&current, &previous),
            rule_attribution: attribution::rows(scope, &rules.best, &facts.details),
            harmful_rules: attribution::rows(scope, &rules.harmful, &facts.details),
            partner_tiles: partner_tiles::tiles(scope, &facts.partner_current, &facts.partner_previous),
        }
    }
}

/// Divides, adds intervals, and puts the answer together.
fn assemble(
    query: &OverviewQuery,
    setup: ShadowSetup,
    now: Timestamp,
    scopes: &[Scope<'_>],
    mut facts: Facts,
) -> Overview {
    let mut metrics = scopes
        .iter()
        .zip(&facts.rules)
        .map(|(scope, rules)| Metrics::of(*scope, query.bucket, rules, &facts));
    let none = RuleLists::default();
    let all = metrics.next().unwrap_or_else(|| Metrics::of(Scope::Everything, query.bucket, &none, &facts));
    let sets: Vec<_> = metrics.collect();
    let maturity = Maturity {
        sessions: all.total.n,
        shadow_mode: setup.mode,
        verdicts: facts.verdict_count,
        first_result_at: facts.first_result_at,
        now,
    };
    let sessions = std::mem::take(&mut facts.sessions);
    Overview {
        hero: Hero::of(&all.total, all.buckets, hero::state_of(&maturity)),
        context_tiles: all.context_tiles,
        rule_attribution: all.rule_attribution,
        harmful_rules: all.harmful_rules,
        score_distribution: all.score_distribution,
        partner_tiles: all.partner_tiles,
        shadow_win_rate_trend: ShadowTrend::of(&facts.verdicts, setup.pinned),
        source_set_comparison: sources::compare(&query.source_sets, sets, &facts.buckets, sessions),
        recent_results: facts.recent,
        available_agent_versions: facts.versions,
    }
}

#[cfg(test)]
mod tests;
