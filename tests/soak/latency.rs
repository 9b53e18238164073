//! How long calls took, in few numbers.

use std::time::Duration;

/// Buckets grow by a twentieth: the error of a quantile stays below five percent, and a soak of days fits in.
#[derive(Clone)]
pub(crate) struct Latency {
    buckets: Vec<u64>,
    calls: u64,
}

impl Default for Latency {
    fn default() -> Self {
        Self { buckets: vec![0; 400], calls: 0 }
    }
}

/// The upper end of a bucket, in milliseconds.
fn end_of(bucket: usize) -> f64 {
    0.05 * 1.05_f64.powi(i32::try_from(bucket).unwrap())
}

impl Latency {
    /// Enters a call.
    pub(crate) fn enter(&mut self, took: Duration) {
        let milliseconds = took.as_secs_f64() * 1_000.0;
        let bucket = (0..self.buckets.len() - 1).find(|bucket| milliseconds <= end_of(*bucket));
        let last = self.buckets.len() - 1;
        self.buckets[bucket.unwrap_or(last)] += 1;
        self.calls += 1;
    }

    /// Adds another's calls.
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
    }

    /// How many calls there were.
    pub(crate) const fn calls(&self) -> u64 {
        self.calls
    }

    /// The time, in milliseconds, within which so many of a thousand calls were answered.
    pub(crate) fn per_mille(&self, share: u64) -> f64 {
        let (mut seen, goal) = (0, (self.calls * share).div_ceil(1_000));
        let bucket = self.buckets.iter().position(|calls| {
            seen += calls;
            seen >= goal
        });
        end_of(bucket.unwrap_or_default())
    }
}
