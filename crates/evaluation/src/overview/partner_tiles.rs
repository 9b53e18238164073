//! What partners' scorers say now, and how that moved.

use std::collections::BTreeMap;

use kernel::{Label, Source};

use super::sources::Scope;
use crate::counting::number;

/// The scores of one scorer for the sessions of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct PartnerSum {
    /// The scorer.
    pub scorer_name: Label,
    /// The source of the evaluated sessions that the scores name; `None` for scores that name none.
    pub source: Option<Source>,
    /// The sum of the scores.
    pub sum: f64,
    /// How many scores.
    pub n: u64,
}

/// One scorer's tile.
#[derive(Debug, Clone, PartialEq)]
pub struct PartnerTile {
    /// The scorer.
    pub scorer_name: Label,
    /// The mean of the current window.
    pub current: f64,
    /// Scores of the current window.
    pub n: u64,
    /// The move from the previous window; the whole mean when that is empty.
    pub delta: f64,
}

/// One tile for each scorer with scores in the current window, ascending by name.
pub(crate) fn tiles(scope: Scope<'_>, current: &[PartnerSum], previous: &[PartnerSum]) -> Vec<PartnerTile> {
    let before = by_scorer(scope, previous);
    by_scorer(scope, current)
        .into_iter()
        .map(|(scorer, (sum, n))| {
            let current = mean(sum, n);
            let baseline = before.get(scorer).map_or(0.0, |(sum, n)| mean(*sum, *n));
            PartnerTile { scorer_name: scorer.clone(), current, n, delta: current - baseline }
        })
        .collect()
}

fn mean(sum: f64, n: u64) -> f64 {
    sum / number(n)
}

fn by_scorer<'a>(scope: Scope<'_>, sums: &'a [PartnerSum]) -> BTreeMap<&'a Label, (f64, u64)> {
    let mut scorers: BTreeMap<_, (f64, u64)> = BTreeMap::new();
    for row in sums.iter().filter(|row| row.n > 0 && scope.holds_score_of(row.source.as_ref())) {
        let entry = scorers.entry(&row.scorer_name).or_default();
        entry.0 += row.sum;
        entry.1 += row.n;
    }
    scorers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overview::tests::support::{partner_sum, set_of};

    #[test]
    fn a_tile_tells_the_mean_its_n_and_the_move_ascending_by_name() {
        let current = [partner_sum("tone", None, 3.0, 4), partner_sum("facts", None, 1.0, 2)];
        let previous = [partner_sum("facts", None, 3.0, 4), partner_sum("gone", None, 1.0, 1)];

        let tiles = tiles(Scope::Everything, &current, &previous);

        // facts: 1/2 now, 3/4 before; tone: 3/4 now, nothing before.
        let tile = |name: &str, current, n, delta| PartnerTile {
            scorer_name: Label::new(name).unwrap(),
            current,
            n,
            delta,
        };
        assert_eq!(tiles, [tile("facts", 0.5, 2, -0.25), tile("tone", 0.75, 4, 0.75)]);
    }

    #[test]
    fn a_set_uses_the_scores_of_its_sessions_and_everything_uses_all() {
        let current = [
            partner_sum("facts", Some("web"), 1.0, 1),
            partner_sum("facts", Some("app"), 3.0, 3),
            partner_sum("facts", None, 0.0, 4),
        ];
        let web = set_of("w", &["web"]);

        assert_eq!(tiles(Scope::Everything, &current, &[])[0].n, 8);
        assert_eq!(tiles(Scope::Everything, &current, &[])[0].current, 0.5);
        assert_eq!((tiles(Scope::Set(&web), &current, &[])[0].n), 1);
    }
}
