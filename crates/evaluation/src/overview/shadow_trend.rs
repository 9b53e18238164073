//! How the service's responses did against their shadow, day by day.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use kernel::{Source, Timestamp};

use crate::calendar::utc_date;
use crate::counting::{number, ratio};
use crate::{BetterRequest, Bucket, Interval, PromptVersion, ServicePosition, ShadowOutcome};

/// How often a kind of verdict was made in one bucket of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictCount {
    /// The start of the bucket.
    pub start: Timestamp,
    /// The source of the sessions.
    pub source: Source,
    /// Which response was better.
    pub better_request: BetterRequest,
    /// Where the service's response was shown.
    pub service: ServicePosition,
    /// How many verdicts.
    pub n: u64,
}

/// The grain in which verdicts are counted: fine enough for days and for the buckets of the trend.
pub(crate) const fn grain(bucket: Bucket) -> Bucket {
    match bucket {
        Bucket::Hour => Bucket::Hour,
        Bucket::Day | Bucket::Week => Bucket::Day,
    }
}

/// Verdicts by what they mean for the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShadowCounts {
    /// The service's response was better.
    pub wins: u64,
    /// The shadow response was better.
    pub losses: u64,
    /// Neither was better.
    pub ties: u64,
}

impl ShadowCounts {
    /// All verdicts.
    #[must_use]
    pub const fn n(&self) -> u64 {
        self.wins + self.losses + self.ties
    }

    fn count(&mut self, row: &VerdictCount) {
        match row.better_request.outcome(row.service) {
            ShadowOutcome::Win => self.wins += row.n,
            ShadowOutcome::Loss => self.losses += row.n,
            ShadowOutcome::Tie => self.ties += row.n,
        }
    }
}

impl AddAssign for ShadowCounts {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.ties += other.ties;
    }
}

/// The verdicts of one day, UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowDay {
    /// The day, `YYYY-MM-DD`.
    pub date: String,
    /// Its verdicts.
    pub counts: ShadowCounts,
}

/// The verdicts of the whole window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShadowTotal {
    /// The verdicts.
    pub counts: ShadowCounts,
    /// The share of wins, ties included in the whole; 0 when there are no verdicts.
    pub win_rate: f64,
    /// Wins less losses, as a share of all; 0 when there are no verdicts.
    pub net_win: f64,
    /// The interval of the share of wins; `None` when there are no verdicts.
    pub ci95: Option<Interval>,
}

/// How the service did against its shadow, by one rubric.
#[derive(Debug, Clone, PartialEq)]
pub struct ShadowTrend {
    /// Days with verdicts, ascending.
    pub daily: Vec<ShadowDay>,
    /// All days together.
    pub window_total: ShadowTotal,
    /// The rubric whose verdicts these are.
    pub judge_prompt_version: PromptVersion,
}

impl ShadowTrend {
    /// The trend over counted verdicts.
    #[must_use]
    pub fn of(rows: &[VerdictCount], judge_prompt_version: PromptVersion) -> Self {
        let mut days: BTreeMap<Timestamp, ShadowCounts> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.n > 0) {
            days.entry(Bucket::Day.start_of(row.start)).or_default().count(row);
        }
        let mut counts = ShadowCounts::default();
        for day in days.values() {
            counts += *day;
        }
        let daily = days.into_iter().map(|(day, counts)| ShadowDay { date: utc_date(day), counts }).collect();
        Self { daily, window_total: total(counts), judge_prompt_version }
    }
}

fn total(counts: ShadowCounts) -> ShadowTotal {
    let n = counts.n();
    let net_win = if n == 0 { 0.0 } else { (number(counts.wins) - number(counts.losses)) / number(n) };
    ShadowTotal { counts, win_rate: ratio(counts.wins, n), net_win, ci95: Interval::of_share(counts.wins, n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{DAY, HOUR};
    use crate::overview::tests::support::verdict_count;
    use BetterRequest::{First, Second, Tie};

    /// 2024-02-29 00:00 UTC.
    const LEAP_DAY: i64 = 1_709_164_800;

    fn trend(rows: &[VerdictCount]) -> ShadowTrend {
        ShadowTrend::of(rows, PromptVersion::new("v1").unwrap())
    }

    #[test]
    fn wins_losses_and_ties_follow_from_preference_and_position() {
        let shown_first = |better, n| verdict_count(LEAP_DAY, "", better, ServicePosition::First, n);
        let shown_second = |better, n| verdict_count(LEAP_DAY, "", better, ServicePosition::Second, n);

        let total = trend(&[
            shown_first(First, 4),
            shown_second(Second, 2),
            shown_first(Second, 1),
            shown_second(First, 2),
            shown_first(Tie, 1),
        ])
        .window_total;

        // 6 wins, 3 losses, 1 tie.
        assert_eq!(total.counts, ShadowCounts { wins: 6, losses: 3, ties: 1 });
        assert_eq!((total.win_rate, total.net_win), (0.6, 0.3));
        assert_eq!(total.ci95, Interval::of_share(6, 10));
    }

    #[test]
    fn more_losses_than_wins_make_a_negative_net() {
        let total = trend(&[
            verdict_count(0, "", First, ServicePosition::First, 1),
            verdict_count(0, "", Second, ServicePosition::First, 3),
        ])
        .window_total;

        assert_eq!((total.win_rate, total.net_win), (0.25, -0.5));
    }

    #[test]
    fn days_with_verdicts_are_listed_ascending_by_their_utc_date() {
        let on = |start, n| verdict_count(start, "web", Tie, ServicePosition::First, n);

        let daily = trend(&[
            on(LEAP_DAY + 2 * DAY, 1),
            on(LEAP_DAY, 2),
            on(LEAP_DAY + 23 * HOUR, 3),
            on(LEAP_DAY + DAY, 0),
        ])
        .daily;

        let ties = |ties| ShadowCounts { ties, ..ShadowCounts::default() };
        assert_eq!(
            daily,
            [
                ShadowDay { date: "2024-02-29".to_owned(), counts: ties(5) },
                ShadowDay { date: "2024-03-02".to_owned(), counts: ties(1) },
            ]
        );
    }

    #[test]
    fn no_verdicts_count_0_and_have_no_interval() {
        let trend = trend(&[]);

        assert_eq!(trend.daily, []);
        assert_eq!((trend.window_total.win_rate, trend.window_total.net_win), (0.0, 0.0));
        assert_eq!((trend.window_total.counts.n(), trend.window_total.ci95), (0, None));
    }

    #[test]
    fn verdicts_are_counted_by_the_day_unless_buckets_are_hours() {
        assert_eq!(
            [Bucket::Hour, Bucket::Day, Bucket::Week].map(grain),
            [Bucket::Hour, Bucket::Day, Bucket::Day]
        );
    }
}
