//! From measurements to the figures in a table.

use std::time::Duration;

/// What was done in a stretch of time, and how long each took.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stretch {
    pub(crate) latencies: Vec<Duration>,
    pub(crate) elapsed: Duration,
}

impl Stretch {
    /// How many were done.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.latencies.len()).unwrap_or(u32::MAX)
    }

    /// How many were done in a second.
    pub(crate) fn rate(&self) -> f64 {
        f64::from(self.count()) / self.elapsed.as_secs_f64()
    }
}

/// The middle one of several measurements.
pub(crate) fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The latency that all but one in a hundred stay under, and the worst, in milliseconds.
pub(crate) fn tail(stretches: &[Stretch]) -> (f64, f64) {
    let mut sorted: Vec<Duration> = stretches.iter().flat_map(|stretch| stretch.latencies.clone()).collect();
    sorted.sort_unstable();
    let at = |index: usize| sorted.get(index).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1_000.0);
    (at(sorted.len() * 99 / 100), at(sorted.len().saturating_sub(1)))
}
