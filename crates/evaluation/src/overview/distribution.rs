//! How many corrections sessions needed.

use crate::Tally;
use crate::tally::CORRECTION_BINS;

/// The names of the bins.
pub const CORRECTION_LABELS: [&str; CORRECTION_BINS] = ["0", "1", "2", "3", "4", "5+"];

/// Sessions by number of corrections, over the same two windows as the tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreDistribution {
    /// Sessions of the current window, by bin.
    pub current_bins: [u64; CORRECTION_BINS],
    /// Sessions of the previous window, by bin.
    pub baseline_bins: [u64; CORRECTION_BINS],
}

impl ScoreDistribution {
    /// The distribution in two windows.
    #[must_use]
    pub const fn of(current: &Tally, previous: &Tally) -> Self {
        Self { current_bins: current.corrections_histogram, baseline_bins: previous.corrections_histogram }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Judgement;
    use crate::samples::success;

    fn with_corrections(counts: &[u32]) -> Tally {
        counts.iter().map(|&corrections| Tally::of(&Judgement { corrections, ..success() })).sum()
    }

    #[test]
    fn each_session_falls_into_the_bin_of_its_corrections() {
        let distribution =
            ScoreDistribution::of(&with_corrections(&[0, 0, 1, 4, 5, 17]), &with_corrections(&[3]));

        assert_eq!(distribution.current_bins, [2, 1, 0, 0, 1, 2]);
        assert_eq!(distribution.baseline_bins, [0, 0, 0, 1, 0, 0]);
        assert_eq!(CORRECTION_LABELS, ["0", "1", "2", "3", "4", "5+"]);
    }
}
