//! Waiting for what another process brings about by itself.

use std::time::{Duration, Instant};

/// Looks again and again until there is something to see.
///
/// # Panics
/// When there is nothing after two minutes, which even a busy machine does not need.
pub fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "it never came about");
        std::thread::sleep(Duration::from_millis(50));
    }
}
