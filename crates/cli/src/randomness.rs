//! The operating system's random numbers.

use organization::Randomness;

/// Draws from the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OperatingSystem;

impl Randomness for OperatingSystem {
    #[expect(clippy::expect_used, reason = "a machine without randomness must not mint secrets")]
    fn bits(&self) -> [u8; 32] {
        let mut bits = [0; 32];
        getrandom::fill(&mut bits).expect("the operating system gives random numbers");
        bits
    }
}
