//! Comparing cohorts of request sources.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Label, SessionId, Source};

use super::{ContextTiles, HeroBucket, Metrics, PartnerTile, RuleAttribution, ScoreDistribution, TallyRow};
use crate::counting::percentage;
use crate::{Interval, SessionKey, Tally};

/// A labeled cohort of request sources.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceSet {
    /// Its name.
    pub label: Label,
    /// The sources that belong to it; the empty one stands for requests that stated none.
    pub sources: Vec<Source>,
}

/// Why cohorts cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSourceSets {
    /// Two sets of one name.
    #[error("the label is used twice")]
    DuplicateLabel {
        /// The position of the set that repeats it.
        set: usize,
    },
    /// A set without a source.
    #[error("a source set needs at least one source")]
    NoSources {
        /// The position of the set.
        set: usize,
    },
    /// A source that would count twice.
    #[error("a source may be named only once, in one source set")]
    SourceTwice {
        /// The position of the set that repeats it.
        set: usize,
        /// The position of the source in that set.
        position: usize,
    },
}

/// Cohorts that share no source and no name, in the order in which they were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SourceSets(Vec<SourceSet>);

impl SourceSets {
    /// Checks the cohorts.
    ///
    /// # Errors
    /// When a label is used twice, a set has no source, or a source is named twice, in one set or across sets.
    pub fn new(sets: Vec<SourceSet>) -> Result<Self, InvalidSourceSets> {
        let (mut labels, mut sources) = (BTreeSet::new(), BTreeSet::new());
        for (position, set) in sets.iter().enumerate() {
            if !labels.insert(&set.label) {
                return Err(InvalidSourceSets::DuplicateLabel { set: position });
            }
            if set.sources.is_empty() {
                return Err(InvalidSourceSets::NoSources { set: position });
            }
            if let Some(twice) = set.sources.iter().position(|source| !sources.insert(source)) {
                return Err(InvalidSourceSets::SourceTwice { set: position, position: twice });
            }
        }
        Ok(Self(sets))
    }

    /// The cohorts in order.
    #[must_use]
    pub fn as_slice(&self) -> &[SourceSet] {
        &self.0
    }
}

/// Whose sessions a number is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope<'a> {
    Everything,
    Set(&'a SourceSet),
}

impl<'a> Scope<'a> {
    /// Everything, then each set in order.
    pub(crate) fn all(sets: &'a SourceSets) -> Vec<Self> {
        std::iter::once(Self::Everything).chain(sets.0.iter().map(Self::Set)).collect()
    }

    pub(crate) fn holds(self, source: &Source) -> bool {
        match self {
            Self::Everything => true,
            Self::Set(set) => set.sources.contains(source),
        }
    }

    /// Whether a score counts that names an evaluated session of this source, or none.
    pub(crate) fn holds_score_of(self, source: Option<&Source>) -> bool {
        match self {
            Self::Everything => true,
            Self::Set(_) => source.is_some_and(|source| self.holds(source)),
        }
    }

    /// The tally of the sessions in scope.
    pub(crate) fn tally(self, rows: &[TallyRow]) -> Tally {
        rows.iter().filter(|row| self.holds(&row.source)).map(|row| row.tally).sum()
    }
}

/// An evaluated session with the source of its first request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceSession {
    /// The source.
    pub source: Source,
    /// The session.
    pub session: SessionKey,
}

/// The evaluated sessions of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSessions {
    /// The source.
    pub source: Source,
    /// Its session ids, each once, ascending.
    pub session_ids: Vec<SessionId>,
    /// Its sessions with their users, ascending.
    pub sessions: Vec<SessionKey>,
}

/// The numbers of one cohort.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSetMetrics {
    /// The name of the cohort.
    pub label: Label,
    /// Its sources.
    pub sources: Vec<Source>,
    /// Its evaluated sessions.
    pub session_count: u64,
    /// Their ids, each once, ascending; empty when session lists were left out.
    pub session_ids: Vec<SessionId>,
    /// The share that succeeded, 0 to 100; 0 when there are none.
    pub success_rate_pp: f64,
    /// The interval of that share, 0 to 100; `None` when there are none.
    pub ci95: Option<Interval>,
    /// The trend.
    pub buckets: Vec<HeroBucket>,
    /// The last week against the week before.
    pub context_tiles: ContextTiles,
    /// Sessions by number of corrections.
    pub score_distribution: ScoreDistribution,
    /// The rules whose sessions came out best.
    pub rule_attribution: Vec<RuleAttribution>,
    /// The rules whose sessions failed more often than not, most harmful first.
    pub harmful_rules: Vec<RuleAttribution>,
    /// What partners' scorers say of its sessions.
    pub partner_tiles: Vec<PartnerTile>,
}

/// The window by request source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSetComparison {
    /// Sources with evaluated sessions in the window, ascending.
    pub available_sources: Vec<Source>,
    /// Their sessions; empty when session lists were left out.
    pub source_sessions: Vec<SourceSessions>,
    /// The cohorts in the order in which they were asked for.
    pub sets: Vec<SourceSetMetrics>,
    /// Evaluated sessions that belong to none of the cohorts; 0 when no cohort was asked for.
    pub unmatched_session_count: u64,
}

/// Puts the comparison together; `metrics` are those of the sets, in order.
pub(super) fn compare(
    sets: &SourceSets,
    metrics: Vec<Metrics>,
    rows: &[TallyRow],
    sessions: Vec<SourceSession>,
) -> SourceSetComparison {
    let available: BTreeSet<_> =
        rows.iter().filter(|row| row.tally.n > 0).map(|row| row.source.clone()).collect();
    let source_sessions = by_source(sessions);
    let sets: Vec<_> = sets
        .0
        .iter()
        .zip(metrics)
        .map(|(set, metrics)| set_metrics(set, metrics, &source_sessions))
        .collect();
    let total = Scope::Everything.tally(rows).n;
    let matched: u64 = sets.iter().map(|set| set.session_count).sum();
    SourceSetComparison {
        available_sources: available.into_iter().collect(),
        source_sessions,
        unmatched_session_count: if sets.is_empty() { 0 } else { total.saturating_sub(matched) },
        sets,
    }
}

fn by_source(sessions: Vec<SourceSession>) -> Vec<SourceSessions> {
    let mut sources: BTreeMap<Source, BTreeSet<SessionKey>> = BTreeMap::new();
    for row in sessions {
        sources.entry(row.source).or_default().insert(row.session);
    }
    sources
        .into_iter()
        .map(|(source, sessions)| SourceSessions {
            source,
            session_ids: distinct_ids(&sessions),
            sessions: sessions.into_iter().collect(),
        })
        .collect()
}

fn distinct_ids<'a>(sessions: impl IntoIterator<Item = &'a SessionKey>) -> Vec<SessionId> {
    let ids: BTreeSet<_> = sessions.into_iter().map(|session| &session.session_id).collect();
    ids.into_iter().cloned().collect()
}

fn set_metrics(set: &SourceSet, metrics: Metrics, sessions: &[SourceSessions]) -> SourceSetMetrics {
    let own = sessions.iter().filter(|row| set.sources.contains(&row.source));
    SourceSetMetrics {
        label: set.label.clone(),
        sources: set.sources.clone(),
        session_count: metrics.total.n,
        session_ids: distinct_ids(own.flat_map(|row| &row.sessions)),
        success_rate_pp: percentage(metrics.total.successes, metrics.total.n),
        ci95: Interval::of_percentage(metrics.total.successes, metrics.total.n),
        buckets: metrics.buckets,
        context_tiles: metrics.context_tiles,
        score_distribution: metrics.score_distribution,
        rule_attribution: metrics.rule_attribution,
        harmful_rules: metrics.harmful_rules,
        partner_tiles: metrics.partner_tiles,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overview::tests::support::{set_of, source};

    #[test]
    fn sets_share_neither_label_nor_source() {
        let sets = |sets: &[(&str, &[&str])]| {
            SourceSets::new(sets.iter().map(|(label, sources)| set_of(label, sources)).collect())
        };

        assert!(sets(&[("a", &["web", ""]), ("b", &["app"])]).is_ok());
        assert!(sets(&[]).is_ok());
        assert_eq!(
            sets(&[("a", &["web"]), (" a ", &["app"])]),
            Err(InvalidSourceSets::DuplicateLabel { set: 1 })
        );
        assert_eq!(sets(&[("a", &["web"]), ("b", &[])]), Err(InvalidSourceSets::NoSources { set: 1 }));
        assert_eq!(
            sets(&[("a", &["web", "app", " web"])]),
            Err(InvalidSourceSets::SourceTwice { set: 0, position: 2 })
        );
        assert_eq!(
            sets(&[("a", &["web"]), ("b", &["app", "web"])]),
            Err(InvalidSourceSets::SourceTwice { set: 1, position: 1 })
        );
    }

    #[test]
    fn the_empty_source_is_a_source_like_any_other() {
        let unstated = set_of("none", &[""]);

        assert!(Scope::Set(&unstated).holds(&Source::unstated()));
        assert!(!Scope::Set(&unstated).holds(&source("web")));
    }
}
