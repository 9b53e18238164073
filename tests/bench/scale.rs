//! How large a measurement is: `TOUCHSTONE_BENCH_SCALE=0.01` tries everything out with a hundredth of the rows.

use std::time::Duration;

/// The scale in hundredths of a percent, so that rows are counted in whole numbers.
fn scale() -> u32 {
    let full = 10_000;
    let Ok(text) = std::env::var("TOUCHSTONE_BENCH_SCALE") else { return full };
    let share = text.parse::<f64>().unwrap_or(1.0) * f64::from(full);
    format!("{share:.0}").parse().unwrap_or(full).clamp(1, full)
}

/// So many rows, or the share of them that is wanted.
pub(crate) fn rows(full: u32) -> u32 {
    let share = u64::from(full) * u64::from(scale()) / 10_000;
    u32::try_from(share).unwrap_or(full).max(1)
}

/// So long, or a fifth of it when this is a trial.
pub(crate) fn time(full: Duration) -> Duration {
    if scale() < 10_000 { full / 5 } else { full }
}

/// What a reader must know about the figures of a trial.
pub(crate) fn remark() -> &'static str {
    if scale() < 10_000 { "**A trial with a share of the rows: no figures to go by.**\n\n" } else { "" }
}
