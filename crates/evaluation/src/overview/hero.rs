//! The headline: the success rate of the window, its trend, and how far it can be trusted.

use std::collections::BTreeMap;

use kernel::Timestamp;

use super::sources::Scope;
use super::{TallyRow, VerdictCount};
use crate::calendar::DAY;
use crate::counting::{number, percentage, ratio};
use crate::vocabulary::vocabulary;
use crate::{Bucket, Interval, ShadowMode, Tally};

/// Seconds for which an organization's numbers are early.
pub const EARLY: i64 = 14 * DAY;

/// Verdicts of the pinned rubric from which on the comparison is full.
pub const MANY_VERDICTS: u64 = 500;

vocabulary! {
    /// How much there is to see.
    HeroState {
        /// No session in the window.
        Empty => "empty",
        /// No shadow mode, and no verdict to compare with.
        ShadowOff => "shadow_off",
        /// Too little time or too few verdicts to compare.
        Early => "early",
        /// Everything.
        Full => "full",
    }
}

/// What decides about the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Maturity {
    pub(crate) sessions: u64,
    pub(crate) shadow_mode: ShadowMode,
    pub(crate) verdicts: u64,
    pub(crate) first_result_at: Option<Timestamp>,
    pub(crate) now: Timestamp,
}

/// The first state that fits.
pub(crate) fn state_of(maturity: &Maturity) -> HeroState {
    if maturity.sessions == 0 {
        return HeroState::Empty;
    }
    if maturity.shadow_mode == ShadowMode::Off && maturity.verdicts == 0 {
        return HeroState::ShadowOff;
    }
    let young = maturity.first_result_at.is_none_or(|first| maturity.now.seconds_since(first) < EARLY);
    if young || maturity.verdicts < MANY_VERDICTS { HeroState::Early } else { HeroState::Full }
}

/// One bucket of the trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeroBucket {
    /// When it starts; the first may start before the window.
    pub ts: Timestamp,
    /// The share of sessions that succeeded, 0 to 1.
    pub regular_rate: f64,
    /// The interval of that share, 0 to 1.
    pub ci95: Option<Interval>,
    /// Sessions.
    pub regular_n: u64,
    /// Verdicts of the pinned rubric.
    pub shadow_n: u64,
    /// Corrections per session.
    pub avg_corrections: f64,
    /// The share of sessions that were handed to a person, 0 to 1.
    pub escalation_rate: f64,
}

/// The headline. A shadow track is never graded as a session, so it has no rate and there is no delta.
#[derive(Debug, Clone, PartialEq)]
pub struct Hero {
    /// How much there is to see.
    pub state: HeroState,
    /// The share of sessions of the window that succeeded, 0 to 100; 0 when there are none.
    pub regular_success_rate_pp: f64,
    /// The interval of that share, 0 to 100; `None` when there are no sessions.
    pub ci95: Option<Interval>,
    /// The trend: buckets with sessions, ascending.
    pub buckets: Vec<HeroBucket>,
}

impl Hero {
    /// The headline over a window's sessions.
    pub(crate) fn of(total: &Tally, buckets: Vec<HeroBucket>, state: HeroState) -> Self {
        Self {
            state,
            regular_success_rate_pp: percentage(total.successes, total.n),
            ci95: Interval::of_percentage(total.successes, total.n),
            buckets,
        }
    }
}

/// The buckets that hold sessions of the scope, ascending.
pub(crate) fn buckets(
    scope: Scope<'_>,
    bucket: Bucket,
    rows: &[TallyRow],
    verdicts: &[VerdictCount],
) -> Vec<HeroBucket> {
    let mut tallies: BTreeMap<Timestamp, Tally> = BTreeMap::new();
    for row in rows.iter().filter(|row| scope.holds(&row.source)) {
        *tallies.entry(row.start).or_default() += row.tally;
    }
    let mut shadow: BTreeMap<Timestamp, u64> = BTreeMap::new();
    for row in verdicts.iter().filter(|row| scope.holds(&row.source)) {
        *shadow.entry(bucket.start_of(row.start)).or_default() += row.n;
    }
    let with_sessions = tallies.into_iter().filter(|(_, tally)| tally.n > 0);
    with_sessions.map(|(ts, tally)| one_bucket(ts, &tally, shadow.get(&ts).copied().unwrap_or(0))).collect()
}

fn one_bucket(ts: Timestamp, tally: &Tally, shadow_n: u64) -> HeroBucket {
    HeroBucket {
        ts,
        regular_rate: ratio(tally.successes, tally.n),
        ci95: Interval::of_share(tally.successes, tally.n),
        regular_n: tally.n,
        shadow_n,
        avg_corrections: number(tally.corrections) / number(tally.n),
        escalation_rate: ratio(tally.escalations, tally.n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overview::tests::support::{source, tally_row, verdict_count};
    use crate::samples::at;
    use crate::{BetterRequest, ServicePosition};

    /// 2024-02-26, a Monday.
    const MONDAY: i64 = 1_708_905_600;

    fn grown() -> Maturity {
        Maturity {
            sessions: 1,
            shadow_mode: ShadowMode::On,
            verdicts: 500,
            first_result_at: Some(at(0)),
            now: at(14 * DAY),
        }
    }

    #[test]
    fn a_window_without_results_is_empty_whatever_else_there_is() {
        assert_eq!(state_of(&Maturity { sessions: 0, ..grown() }), HeroState::Empty);
    }

    #[test]
    fn without_shadow_mode_and_verdicts_the_shadow_is_off() {
        let off = Maturity { shadow_mode: ShadowMode::Off, verdicts: 0, ..grown() };

        assert_eq!(state_of(&off), HeroState::ShadowOff);
        assert_eq!(state_of(&Maturity { verdicts: 1, ..off }), HeroState::Early);
        assert_eq!(state_of(&Maturity { shadow_mode: ShadowMode::On, ..off }), HeroState::Early);
    }

    #[test]
    fn it_is_early_until_14_days_after_the_first_result() {
        assert_eq!(state_of(&Maturity { now: at(14 * DAY - 1), ..grown() }), HeroState::Early);
        assert_eq!(state_of(&grown()), HeroState::Full);
    }

    #[test]
    fn a_first_result_in_the_far_future_is_early() {
        let maturity = Maturity { first_result_at: Some(at(i64::MAX)), now: at(i64::MIN), ..grown() };

        assert_eq!(state_of(&maturity), HeroState::Early);
    }

    #[test]
    fn it_is_early_until_there_are_500_verdicts() {
        assert_eq!(state_of(&Maturity { verdicts: 499, ..grown() }), HeroState::Early);
        let without_mode = Maturity { shadow_mode: ShadowMode::Off, ..grown() };
        assert_eq!(state_of(&without_mode), HeroState::Full);
    }

    #[test]
    fn the_rate_is_over_all_sessions_of_the_window() {
        let hero = Hero::of(&Tally { n: 3, successes: 2, ..Tally::default() }, vec![], HeroState::Early);

        assert!((hero.regular_success_rate_pp - 66.666_666_666_666_67).abs() < 1e-9);
        let ci95 = hero.ci95.unwrap();
        assert!((ci95.low - 20.765_960_080_204_77).abs() < 1e-9, "{}", ci95.low);
        assert!((ci95.high - 93.850_805_527_960_37).abs() < 1e-9, "{}", ci95.high);
    }

    #[test]
    fn an_empty_window_has_rate_0_and_no_interval() {
        let hero = Hero::of(&Tally::default(), vec![], HeroState::Empty);

        assert_eq!((hero.regular_success_rate_pp, hero.ci95), (0.0, None));
    }

    #[test]
    fn a_bucket_adds_up_the_sources_of_its_scope() {
        let web = Tally { n: 3, successes: 2, corrections: 4, escalations: 1, ..Tally::default() };
        let app = Tally { n: 1, successes: 1, corrections: 0, escalations: 0, ..Tally::default() };
        let rows = [tally_row(MONDAY, "web", web), tally_row(MONDAY, "app", app)];

        let buckets = buckets(Scope::Everything, Bucket::Week, &rows, &[]);

        let expected = HeroBucket {
            ts: at(MONDAY),
            regular_rate: 0.75,
            ci95: Interval::of_share(3, 4),
            regular_n: 4,
            shadow_n: 0,
            avg_corrections: 1.0,
            escalation_rate: 0.25,
        };
        assert_eq!(buckets, [expected]);
    }

    #[test]
    fn buckets_ascend_and_only_those_with_sessions_are_listed() {
        let one = Tally { n: 1, ..Tally::default() };
        let rows = [
            tally_row(MONDAY + DAY, "", one),
            tally_row(MONDAY, "", one),
            tally_row(MONDAY - DAY, "", Tally::default()),
        ];

        let starts: Vec<_> =
            buckets(Scope::Everything, Bucket::Day, &rows, &[]).iter().map(|bucket| bucket.ts).collect();

        assert_eq!(starts, [at(MONDAY), at(MONDAY + DAY)]);
    }

    #[test]
    fn verdicts_of_the_days_of_a_week_count_in_its_bucket() {
        let rows = [tally_row(MONDAY, "web", Tally { n: 1, ..Tally::default() })];
        let verdict = |day, name, n| {
            verdict_count(MONDAY + day * DAY, name, BetterRequest::Tie, ServicePosition::First, n)
        };
        let verdicts =
            [verdict(-1, "web", 50), verdict(0, "web", 2), verdict(6, "app", 3), verdict(7, "web", 70)];
        let set = crate::SourceSet { label: kernel::Label::new("w").unwrap(), sources: vec![source("web")] };

        let all = buckets(Scope::Everything, Bucket::Week, &rows, &verdicts);
        let web = buckets(Scope::Set(&set), Bucket::Week, &rows, &verdicts);

        assert_eq!((all[0].shadow_n, web[0].shadow_n), (5, 2));
    }
}
