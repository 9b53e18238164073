//! The server's memory over time, as the operating system counts it.

use std::time::{Duration, Instant};

use support::ServerProcess;

/// How much memory the server held at one moment.
pub(crate) struct Sample {
    /// Seconds since the beginning.
    pub(crate) at: u64,
    /// Resident, in megabytes.
    pub(crate) megabytes: u64,
}

/// Looks twenty times until the end.
pub(crate) fn watch(server: &ServerProcess, end: Instant) -> Vec<Sample> {
    let begun = Instant::now();
    let step = end.saturating_duration_since(begun) / 20;
    let mut samples = Vec::new();
    while Instant::now() < end {
        std::thread::sleep(step.max(Duration::from_millis(100)));
        let at = begun.elapsed().as_secs();
        samples.push(Sample { at, megabytes: server.resident_megabytes() });
    }
    samples
}
