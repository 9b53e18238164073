//! 95 % intervals: of a share (Wilson's score interval), and of the difference between two shares or two means.

use crate::counting::{number, ratio};

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
        Self::of_share(successes, n).map(Self::in_percentage_points)
    }

    /// The interval of the first share less the second, in percentage points (Newcombe's square-and-add from the two
    /// Wilson intervals); `None` when either side observed nothing. Each side is (successes, n).
    #[must_use]
    pub fn of_difference(first: (u64, u64), second: (u64, u64)) -> Option<Self> {
        let (one, other) = (Self::of_share(first.0, first.1)?, Self::of_share(second.0, second.1)?);
        let (p, q) = (ratio(first.0, first.1), ratio(second.0, second.1));
        let low = p - q - (p - one.low).hypot(other.high - q);
        let high = p - q + (one.high - p).hypot(q - other.low);
        Some(Self { low, high }.in_percentage_points())
    }

    /// The interval of the first mean less the second (normal approximation, the variances not taken for equal); `None`
    /// when either side has fewer than two observations, or sums that no observations have.
    #[must_use]
    pub fn of_mean_difference(first: Moments, second: Moments) -> Option<Self> {
        let (p, q) = (first.squared_error()?, second.squared_error()?);
        let (difference, half) = (first.mean() - second.mean(), Z * (p + q).sqrt());
        Some(Self { low: difference - half, high: difference + half })
    }

    fn in_percentage_points(self) -> Self {
        Self { low: self.low * 100.0, high: self.high * 100.0 }
    }
}

/// What a mean and its uncertainty follow from; sums of different observations add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moments {
    /// Observations.
    pub n: u64,
    /// Their sum.
    pub sum: u64,
    /// The sum of their squares.
    pub squares: u64,
}

impl Moments {
    /// The mean; 0 when nothing was observed.
    #[must_use]
    pub fn mean(self) -> f64 {
        ratio(self.sum, self.n)
    }

    /// The square of the mean's standard error.
    fn squared_error(self) -> Option<f64> {
        let degrees = self.n.checked_sub(1).filter(|degrees| *degrees > 0)?;
        let spread = number(self.squares) - number(self.sum) * self.mean();
        // Squares of absurd values are capped where they are kept; their sums then contradict each other.
        (spread > -1e-6 * number(self.squares)).then(|| spread.max(0.0) / number(degrees) / number(self.n))
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
    fn the_difference_of_two_shares_adds_the_squares_of_their_wilson_distances() {
        // 56 of 70 less 48 of 80, the worked example of Newcombe's paper: 0.0524 to 0.3339.
        let found = Interval::of_difference((56, 70), (48, 80)).unwrap();

        assert!((found.low - 5.24).abs() < 0.01, "{}", found.low);
        assert!((found.high - 33.39).abs() < 0.01, "{}", found.high);
        assert_eq!(Interval::of_difference((1, 1), (0, 0)), None);
        assert_eq!(Interval::of_difference((0, 0), (1, 1)), None);
    }

    #[test]
    fn the_difference_of_two_means_follows_from_sums_and_squares() {
        // 1, 2, 3, 4: mean 2.5, variance 5/3; 0, 2: mean 1, variance 2.
        let (four, two) = (Moments { n: 4, sum: 10, squares: 30 }, Moments { n: 2, sum: 2, squares: 4 });
        let half = 1.959_963_984_540_054 * (5.0_f64 / 12.0 + 1.0).sqrt();

        assert_close(Interval::of_mean_difference(four, two), 1.5 - half, 1.5 + half);
    }

    #[test]
    fn a_mean_of_one_observation_or_of_impossible_sums_has_no_interval() {
        let two = Moments { n: 2, sum: 2, squares: 4 };

        assert_eq!(Interval::of_mean_difference(Moments { n: 1, sum: 3, squares: 9 }, two), None);
        assert_eq!(Interval::of_mean_difference(two, Moments { n: 0, sum: 0, squares: 0 }), None);
        assert_eq!(Interval::of_mean_difference(Moments { n: 2, sum: 100, squares: 50 }, two), None);
    }

    #[test]
    fn in_percentage_points_it_is_a_hundred_times_as_wide() {
        assert_close(Interval::of_percentage(50, 100), 40.383_153_036_595_63, 59.616_846_963_404_37);
    }
}
