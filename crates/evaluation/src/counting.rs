//! From counts to the numbers that people read: the store counts, this divides.

/// A count as a number to calculate with.
///
/// Exact up to 2⁵³, far beyond any number of sessions.
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "the standard library offers no other way from u64 to f64; rounding starts at 2^53"
)]
pub(crate) const fn number(count: u64) -> f64 {
    count as f64
}

/// `part` of `whole` as a fraction; 0 when there is nothing to divide by.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

/// `part` of `whole` in percentage points, 0 to 100; 0 when there is nothing to divide by.
pub(crate) fn percentage(part: u64, whole: u64) -> f64 {
    // Multiplied first, so that whole percentages come out whole.
    if whole == 0 { 0.0 } else { number(part) * 100.0 / number(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_of_four_are_three_quarters_and_75_percent() {
        assert_eq!((ratio(3, 4), percentage(3, 4)), (0.75, 75.0));
    }

    #[test]
    fn nothing_of_nothing_counts_0() {
        assert_eq!((ratio(0, 0), percentage(0, 0)), (0.0, 0.0));
    }

    #[test]
    fn whole_percentages_come_out_whole() {
        for whole in [50, 100, 200, 1_000] {
            for percent in 0..=100 {
                assert_eq!(
                    percentage(whole * percent / 100, whole),
                    number(whole * percent / 100 * 100 / whole)
                );
            }
        }
    }
}
