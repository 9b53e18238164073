//! Counts over sessions that simply add up: from them follows every rate of the overview.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::{FailureType, Judgement, Moments};

/// Bins of the histogram of corrections: 0, 1, 2, 3, 4, and 5 or more.
pub const CORRECTION_BINS: usize = 6;

/// Counts over a number of sessions, one observation per session.
///
/// Two tallies of different sessions add up to the tally of all of them, so hours make days, days make weeks, and
/// sources make sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Sessions.
    pub n: u64,
    /// Sessions that succeeded.
    pub successes: u64,
    /// Corrections in all sessions together.
    pub corrections: u64,
    /// The squares of the sessions' corrections together.
    pub corrections_squares: u64,
    /// Sessions by their number of corrections: 0, 1, 2, 3, 4, 5 or more.
    pub corrections_histogram: [u64; CORRECTION_BINS],
    /// Sessions that were handed to a person.
    pub escalations: u64,
    /// Turns to resolution of all sessions that have it together.
    pub turns_sum: u64,
    /// The squares of those turns together.
    pub turns_squares: u64,
    /// Sessions that have turns to resolution.
    pub turns_n: u64,
    /// Sessions that failed by a system error.
    pub system_error_failures: u64,
}

impl Tally {
    /// The tally of one session, from the judgement that speaks for it.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let system_error = !judgement.is_success && judgement.failure_type == Some(FailureType::SystemError);
        let mut corrections_histogram = [0; CORRECTION_BINS];
        if let Some(bin) = corrections_histogram.get_mut(correction_bin(judgement.corrections)) {
            *bin = 1;
        }
        Self {
            n: 1,
            successes: u64::from(judgement.is_success),
            corrections: u64::from(judgement.corrections),
            corrections_squares: square(judgement.corrections),
            corrections_histogram,
            escalations: u64::from(judgement.is_escalated),
            turns_sum: judgement.turns_to_resolution.map_or(0, u64::from),
            turns_squares: judgement.turns_to_resolution.map_or(0, square),
            turns_n: u64::from(judgement.turns_to_resolution.is_some()),
            system_error_failures: u64::from(system_error),
        }
    }

    /// What the mean number of corrections follows from.
    #[must_use]
    pub const fn corrections_moments(&self) -> Moments {
        Moments { n: self.n, sum: self.corrections, squares: self.corrections_squares }
    }

    /// What the mean number of turns to resolution follows from.
    #[must_use]
    pub const fn turns_moments(&self) -> Moments {
        Moments { n: self.turns_n, sum: self.turns_sum, squares: self.turns_squares }
    }

    /// Sessions whose outcome says something about the agent: all but failures by a system error.
    #[must_use]
    pub const fn eligible(&self) -> u64 {
        self.n.saturating_sub(self.system_error_failures)
    }
}

/// A number from which on squares stay as they are, so that a sum of absurd ones still fits its column.
const LARGEST_SQUARED: u32 = 1_000_000;

fn square(count: u32) -> u64 {
    u64::from(count.min(LARGEST_SQUARED)).pow(2)
}

/// The bin of the histogram that a number of corrections falls into.
#[must_use]
pub fn correction_bin(corrections: u32) -> usize {
    usize::try_from(corrections).map_or(CORRECTION_BINS - 1, |bin| bin.min(CORRECTION_BINS - 1))
}

impl Add for Tally {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.n += other.n;
        self.successes += other.successes;
        self.corrections += other.corrections;
        self.corrections_squares += other.corrections_squares;
        for (bin, more) in self.corrections_histogram.iter_mut().zip(other.corrections_histogram) {
            *bin += more;
        }
        self.escalations += other.escalations;
        self.turns_sum += other.turns_sum;
        self.turns_squares += other.turns_squares;
        self.turns_n += other.turns_n;
        self.system_error_failures += other.system_error_failures;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{failure, success};

    #[test]
    fn a_session_is_tallied_by_what_was_said_of_it() {
        let judgement =
            Judgement { corrections: 2, turns_to_resolution: Some(3), is_escalated: true, ..success() };

        assert_eq!(
            Tally::of(&judgement),
            Tally {
                n: 1,
                successes: 1,
                corrections: 2,
                corrections_squares: 4,
                corrections_histogram: [0, 0, 1, 0, 0, 0],
                escalations: 1,
                turns_sum: 3,
                turns_squares: 9,
                turns_n: 1,
                system_error_failures: 0,
            }
        );
    }

    #[test]
    fn five_corrections_and_more_share_a_bin() {
        assert_eq!([0, 4, 5, 6, u32::MAX].map(correction_bin), [0, 4, 5, 5, 5]);
    }

    #[test]
    fn the_square_of_an_absurd_number_still_fits() {
        let judgement = Judgement { corrections: u32::MAX, ..success() };

        assert_eq!(Tally::of(&judgement).corrections_squares, 1_000_000_000_000);
    }

    #[test]
    fn only_a_failure_can_be_a_system_error() {
        let contradictory = Judgement { failure_type: Some(FailureType::SystemError), ..success() };

        assert_eq!(Tally::of(&contradictory).system_error_failures, 0);
        assert_eq!(Tally::of(&failure(FailureType::SystemError)).system_error_failures, 1);
        assert_eq!(Tally::of(&failure(FailureType::WrongAnswer)).system_error_failures, 0);
    }

    #[test]
    fn tallies_add_up_field_by_field() {
        let one = Tally {
            n: 1,
            successes: 2,
            corrections: 3,
            corrections_squares: 8,
            corrections_histogram: [1, 2, 3, 4, 5, 6],
            escalations: 4,
            turns_sum: 5,
            turns_squares: 9,
            turns_n: 6,
            system_error_failures: 7,
        };

        assert_eq!(
            [one, one].into_iter().sum::<Tally>(),
            Tally {
                n: 2,
                successes: 4,
                corrections: 6,
                corrections_squares: 16,
                corrections_histogram: [2, 4, 6, 8, 10, 12],
                escalations: 8,
                turns_sum: 10,
                turns_squares: 18,
                turns_n: 12,
                system_error_failures: 14,
            }
        );
    }
}
