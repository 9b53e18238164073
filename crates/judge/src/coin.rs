//! A fair coin from the operating system's generator.

use evaluation::ServicePosition;
use evaluation::judging::Coin;

/// Tosses with the operating system's random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct OperatingSystemCoin;

impl Coin for OperatingSystemCoin {
    #[expect(
        clippy::expect_used,
        reason = "without chance every comparison would be biased, and nobody would know"
    )]
    fn toss(&self) -> ServicePosition {
        let mut byte = [0_u8];
        getrandom::fill(&mut byte).expect("the operating system gives random numbers");
        ServicePosition::from(byte[0] & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use evaluation::{BetterRequest, ShadowOutcome};

    use super::*;

    /// Six standard deviations: a fair coin fails once in five hundred million runs.
    const FAIR: std::ops::RangeInclusive<usize> = 405..=595;

    #[test]
    fn a_thousand_tosses_are_fair() {
        let first = (0..1_000).filter(|_| OperatingSystemCoin.toss().is_request_1()).count();

        assert!(FAIR.contains(&first), "{first}");
    }

    #[test]
    fn a_judge_that_always_prefers_the_first_wins_about_half() {
        let outcome = || BetterRequest::First.outcome(OperatingSystemCoin.toss());

        let wins = (0..1_000).filter(|_| outcome() == ShadowOutcome::Win).count();

        assert!(FAIR.contains(&wins), "{wins}");
    }
}
