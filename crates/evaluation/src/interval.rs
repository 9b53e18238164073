//! The 95 % interval of a share (Wilson's score interval).

use crate::counting::number;

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The span that holds the true value with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of `successes` out of `n` as fractions of one; `None` when nothing was observed.
    #[must_use]
    pub fn of_share(successes: u64, n: u64) -> Option<Self> {
        if n == 0 {
            return None;
        }
        let (total, share) = (number(n), number(successes) / number(n));
        let z2 = Z * Z;
        let scale = 1.0 + z2 / total;
        let centre = (share + z2 / (2.0 * total)) / scale;
        let half = Z * (share * (1.0 - share) / total + z2 / (4.0 * total * total)).sqrt() / scale;
        // At the edges the formula gives exactly 0 and 1; rounding must not say otherwise.
        let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if successes == n { 1.0 } else { (centre + half).min(1.0) };
        Some(Self { low, high })
    }

    /// The interval of `successes` out of `n` in percentage points; `None` when nothing was observed.
    #[must_use]
    pub fn of_percentage(successes: u64, n: u64) -> Option<Self> {
        Self::of_share(successes, n).map(|share| Self { low: share.low * 100.0, high: share.high * 100.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(actual: Option<Interval>, low: f64, high: f64) {
        let actual = actual.unwrap();
        assert!((actual.low - low).abs() < 1e-9, "{} is not {low}", actual.low);
        assert!((actual.high - high).abs() < 1e-9, "{} is not {high}", actual.high);
    }

    #[test]
    fn nothing_observed_has_no_interval() {
        assert_eq!(Interval::of_share(0, 0), None);
        assert_eq!(Interval::of_percentage(0, 0), None);
    }

    #[test]
    fn one_success_of_one_reaches_from_a_fifth_to_all() {
        // 1 / (1 + z²) = 1 / 4.841458820694124
        assert_close(Interval::of_share(1, 1), 0.206_549_314_377_237_42, 1.0);
        assert_eq!(Interval::of_share(1, 1).unwrap().high, 1.0);
    }

    #[test]
    fn no_success_of_ten_starts_at_exactly_nothing() {
        // z² / (10 + z²) = 3.841458820694124 / 13.841458820694124
        assert_close(Interval::of_share(0, 10), 0.0, 0.277_532_799_862_889_2);
        assert_eq!(Interval::of_share(0, 10).unwrap().low, 0.0);
    }

    #[test]
    fn half_of_a_hundred_lies_evenly_around_the_half() {
        // Centre ½; half-width z·√(0.0025 + z²/40000) / (1 + z²/100).
        assert_close(Interval::of_share(50, 100), 0.403_831_530_365_956_3, 0.596_168_469_634_043_7);
    }

    #[test]
    fn in_percentage_points_it_is_a_hundred_times_as_wide() {
        assert_close(Interval::of_percentage(50, 100), 40.383_153_036_595_63, 59.616_846_963_404_37);
    }
}
