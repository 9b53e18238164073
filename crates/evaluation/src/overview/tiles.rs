//! The context tiles: the last seven days of the window against the seven days before.

use kernel::{Timestamp, Window};

use crate::calendar::WEEK;
use crate::counting::percentage;
use crate::{Interval, Moments, Tally};

/// The two windows that the tiles compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileWindows {
    /// The last seven days of the window, or all of it if it is shorter.
    pub current: Window,
    /// The seven days before that, up to but without the current window's first second; `None` before time began.
    pub previous: Option<Window>,
}

impl TileWindows {
    /// The windows to compare at the end of this window.
    #[must_use]
    pub fn of(window: Window) -> Self {
        let start = window.start().max(window.end().plus_seconds(-WEEK));
        let current = Window::new(start, window.end()).unwrap_or(window);
        // Whole seconds: up to but without `start` is up to and with the second before.
        let previous = start
            .seconds()
            .checked_sub(1)
            .and_then(|last| Window::new(start.plus_seconds(-WEEK), Timestamp::from_seconds(last)).ok());
        Self { current, previous }
    }
}

/// A rate now, and how it moved, in percentage points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateTile {
    /// The rate of the current window, 0 to 100; 0 when it is empty.
    pub current: f64,
    /// The move from the previous window; the whole rate when that is empty.
    pub delta_pp: f64,
    /// The interval of the current rate; `None` when the window is empty.
    pub ci95: Option<Interval>,
    /// The interval of the move; `None` when either window is empty.
    pub delta_ci95: Option<Interval>,
}

/// A mean now, and how it moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanTile {
    /// The mean of the current window; 0 when it is empty.
    pub current: f64,
    /// The move from the previous window; the whole mean when that is empty.
    pub delta: f64,
    /// The interval of the move; `None` when either window has fewer than two observations.
    pub delta_ci95: Option<Interval>,
}

/// The success rate without failures by system errors: what the agent itself can answer for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BehaviorTile {
    /// The rate of the current window, 0 to 100; `None` when no session is eligible.
    pub current: Option<f64>,
    /// The move from the previous window; `None` when either side has no eligible session.
    pub delta_pp: Option<f64>,
    /// Sessions of the current window that count.
    pub eligible_sessions: u64,
    /// Sessions of the current window that were left out.
    pub excluded_system_errors: u64,
    /// The interval of the current rate; `None` when no session is eligible.
    pub ci95: Option<Interval>,
    /// The interval of the move; `None` when either side has no eligible session.
    pub delta_ci95: Option<Interval>,
}

/// The context tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContextTiles {
    /// The share of sessions that succeeded.
    pub success: RateTile,
    /// Corrections per session.
    pub corrections: MeanTile,
    /// User turns to resolution, over the sessions that have it.
    pub turns: MeanTile,
    /// The share of sessions that were handed to a person.
    pub escalation: RateTile,
    /// The share that succeeded without failures by system errors.
    pub behavior_success: BehaviorTile,
    /// Sessions of the current window.
    pub current_sessions: u64,
    /// Sessions of the previous window: without any, a delta is no comparison.
    pub baseline_sessions: u64,
}

impl ContextTiles {
    /// The tiles of two windows.
    #[must_use]
    pub fn of(current: &Tally, previous: &Tally) -> Self {
        Self {
            success: rate((current.successes, current.n), (previous.successes, previous.n)),
            corrections: mean(current.corrections_moments(), previous.corrections_moments()),
            turns: mean(current.turns_moments(), previous.turns_moments()),
            escalation: rate((current.escalations, current.n), (previous.escalations, previous.n)),
            behavior_success: behavior(current, previous),
            current_sessions: current.n,
            baseline_sessions: previous.n,
        }
    }
}

fn rate(current: (u64, u64), previous: (u64, u64)) -> RateTile {
    let now = percentage(current.0, current.1);
    RateTile {
        current: now,
        delta_pp: now - percentage(previous.0, previous.1),
        ci95: Interval::of_percentage(current.0, current.1),
        delta_ci95: Interval::of_difference(current, previous),
    }
}

fn mean(current: Moments, previous: Moments) -> MeanTile {
    MeanTile {
        current: current.mean(),
        delta: current.mean() - previous.mean(),
        delta_ci95: Interval::of_mean_difference(current, previous),
    }
}

fn behavior(current: &Tally, previous: &Tally) -> BehaviorTile {
    let rate = |tally: &Tally| {
        let eligible = tally.eligible();
        (eligible > 0).then(|| percentage(tally.successes, eligible))
    };
    let now = rate(current);
    BehaviorTile {
        current: now,
        delta_pp: now.zip(rate(previous)).map(|(now, before)| now - before),
        eligible_sessions: current.eligible(),
        excluded_system_errors: current.system_error_failures,
        ci95: Interval::of_percentage(current.successes, current.eligible()),
        delta_ci95: Interval::of_difference(
            (current.successes, current.eligible()),
            (previous.successes, previous.eligible()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::DAY;
    use crate::samples::at;

    fn window(start: i64, end: i64) -> Window {
        Window::new(at(start), at(end)).unwrap()
    }

    /// 3 of 4 sessions succeed, one fails by a system error; 6 corrections, 1 escalation, 9 turns over 3 sessions.
    fn three_of_four() -> Tally {
        Tally {
            n: 4,
            successes: 3,
            corrections: 6,
            corrections_squares: 14,
            corrections_histogram: [1, 1, 1, 1, 0, 0],
            escalations: 1,
            turns_sum: 9,
            turns_squares: 29,
            turns_n: 3,
            system_error_failures: 1,
        }
    }

    /// 9 of 10 succeed, the failure is the agent's own; 5 corrections, 4 escalations, 18 turns over 9 sessions.
    fn nine_of_ten() -> Tally {
        Tally {
            n: 10,
            successes: 9,
            corrections: 5,
            corrections_squares: 5,
            corrections_histogram: [5, 5, 0, 0, 0, 0],
            escalations: 4,
            turns_sum: 18,
            turns_squares: 40,
            turns_n: 9,
            system_error_failures: 0,
        }
    }

    #[test]
    fn the_current_window_is_the_last_seven_days_and_the_previous_the_seven_before() {
        let windows = TileWindows::of(window(0, 30 * DAY));

        assert_eq!(windows.current, window(23 * DAY, 30 * DAY));
        assert_eq!(windows.previous, Some(window(16 * DAY, 23 * DAY - 1)));
    }

    #[test]
    fn a_second_belongs_to_one_window_only() {
        let windows = TileWindows::of(window(0, 30 * DAY));
        let previous = windows.previous.unwrap();

        assert!(windows.current.contains(at(23 * DAY)) && !previous.contains(at(23 * DAY)));
        assert!(previous.contains(at(23 * DAY - 1)) && previous.contains(at(16 * DAY)));
        assert!(!previous.contains(at(16 * DAY - 1)));
    }

    #[test]
    fn a_window_shorter_than_seven_days_is_compared_with_the_seven_days_before_it() {
        let windows = TileWindows::of(window(20 * DAY, 22 * DAY));

        assert_eq!(windows.current, window(20 * DAY, 22 * DAY));
        assert_eq!(windows.previous, Some(window(13 * DAY, 20 * DAY - 1)));
    }

    #[test]
    fn windows_at_the_ends_of_time_do_not_wrap_around() {
        let late = TileWindows::of(window(0, i64::MAX));
        let early = TileWindows::of(window(i64::MIN, i64::MIN));

        assert_eq!(late.current.start(), Timestamp::from_seconds(i64::MAX - WEEK));
        assert_eq!((early.current, early.previous), (window(i64::MIN, i64::MIN), None));
    }

    #[test]
    fn rates_and_means_move_by_the_difference_of_the_two_windows() {
        let tiles = ContextTiles::of(&three_of_four(), &nine_of_ten());

        // 75 − 90, 25 − 40 percentage points; 6/4 − 5/10 corrections; 9/3 − 18/9 turns.
        assert_eq!((tiles.success.current, tiles.success.delta_pp), (75.0, -15.0));
        assert_eq!((tiles.escalation.current, tiles.escalation.delta_pp), (25.0, -15.0));
        assert_eq!((tiles.corrections.current, tiles.corrections.delta), (1.5, 1.0));
        assert_eq!((tiles.turns.current, tiles.turns.delta), (3.0, 1.0));
        assert_eq!((tiles.current_sessions, tiles.baseline_sessions), (4, 10));
    }

    #[test]
    fn every_move_carries_its_interval() {
        let (now, before) = (three_of_four(), nine_of_ten());
        let tiles = ContextTiles::of(&now, &before);

        assert_eq!(tiles.success.delta_ci95, Interval::of_difference((3, 4), (9, 10)));
        assert_eq!(tiles.escalation.delta_ci95, Interval::of_difference((1, 4), (4, 10)));
        assert_eq!(tiles.behavior_success.delta_ci95, Interval::of_difference((3, 3), (9, 10)));
        let moments = |n, sum, squares| Moments { n, sum, squares };
        let corrections = Interval::of_mean_difference(moments(4, 6, 14), moments(10, 5, 5));
        assert_eq!(tiles.corrections.delta_ci95, corrections);
        let turns = Interval::of_mean_difference(moments(3, 9, 29), moments(9, 18, 40));
        assert!(turns.is_some() && tiles.turns.delta_ci95 == turns);
    }

    #[test]
    fn the_success_tile_carries_the_interval_of_the_current_rate() {
        let ci95 = ContextTiles::of(&three_of_four(), &nine_of_ten()).success.ci95.unwrap();

        // Wilson for 3 of 4.
        assert!((ci95.low - 30.064_184_258_240_184).abs() < 1e-9, "{}", ci95.low);
        assert!((ci95.high - 95.441_273_919_029_95).abs() < 1e-9, "{}", ci95.high);
    }

    #[test]
    fn behavior_success_leaves_out_failures_by_system_errors() {
        let tile = ContextTiles::of(&three_of_four(), &nine_of_ten()).behavior_success;

        // 3 of the 3 eligible now, 9 of 10 before.
        assert_eq!((tile.current, tile.delta_pp), (Some(100.0), Some(10.0)));
        assert_eq!((tile.eligible_sessions, tile.excluded_system_errors), (3, 1));
        assert_eq!(tile.ci95, Interval::of_percentage(3, 3));
    }

    #[test]
    fn only_system_errors_leave_behavior_success_without_a_value() {
        let only_errors = Tally { n: 2, system_error_failures: 2, ..Tally::default() };

        let tiles = ContextTiles::of(&only_errors, &nine_of_ten());

        assert_eq!(tiles.success.current, 0.0);
        assert_eq!((tiles.behavior_success.current, tiles.behavior_success.delta_pp), (None, None));
        assert_eq!(tiles.behavior_success.ci95, None);
        assert_eq!(
            (tiles.behavior_success.eligible_sessions, tiles.behavior_success.excluded_system_errors),
            (0, 2)
        );
    }

    #[test]
    fn without_a_baseline_the_delta_is_the_current_value() {
        let tiles = ContextTiles::of(&three_of_four(), &Tally::default());

        assert_eq!((tiles.success.current, tiles.success.delta_pp), (75.0, 75.0));
        assert_eq!(tiles.corrections, MeanTile { current: 1.5, delta: 1.5, delta_ci95: None });
        assert_eq!((tiles.success.delta_ci95, tiles.behavior_success.delta_pp), (None, None));
        assert_eq!(tiles.baseline_sessions, 0);
    }

    #[test]
    fn an_empty_current_window_counts_0_and_has_no_interval() {
        let tiles = ContextTiles::of(&Tally::default(), &nine_of_ten());

        assert_eq!(tiles.success, RateTile { current: 0.0, delta_pp: -90.0, ci95: None, delta_ci95: None });
        assert_eq!(tiles.turns, MeanTile { current: 0.0, delta: -2.0, delta_ci95: None });
    }
}
