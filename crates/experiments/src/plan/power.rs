//! The arithmetic of power: which lift a two-sided 95 % comparison finds four times out of five.

use crate::student;

/// How often a true lift should be found.
const POWER: f64 = 0.8;
/// The upper tail that a two-sided 95 % comparison leaves starts here.
const UPPER: f64 = 0.975;
/// An arm needs two users for an interval.
const FEWEST_USERS_PER_ARM: f64 = 2.0;
/// More users than there are people: no plan needs more.
const MOST_USERS: u64 = 10_000_000_000;

/// What stays the same in a design when the number of users changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Design {
    /// The share of users held out, 0–1.
    pub(super) holdout: f64,
    /// The success rate of the holdout, 0–1.
    pub(super) baseline: f64,
    /// Evaluated sessions per user.
    pub(super) sessions_per_user: f64,
    /// How many times more sessions are needed because those of one user are alike.
    pub(super) inflation: f64,
}

impl Design {
    /// The smallest lift, 0–1, found with the wanted power by this many users; `None` when no possible lift is.
    ///
    /// A lift `d` is found when `d = k·SE(d)` with `k = t(0.975) + t(0.8)`. With `SE² = A + B·(p+d)(1−p−d)` that is a
    /// quadratic in `d`, of which the positive root is wanted.
    pub(super) fn detectable_lift(&self, users: f64) -> Option<f64> {
        let [held_out, treated] = [users * self.holdout, users * (1.0 - self.holdout)];
        if held_out.min(treated) < FEWEST_USERS_PER_ARM {
            return None;
        }
        let freedom = users - 2.0;
        let k = student::quantile(UPPER, freedom) + student::quantile(POWER, freedom);
        let per_user = k * k * self.inflation / self.sessions_per_user;
        let [p, b] = [self.baseline, per_user / treated];
        let spread = p * (1.0 - p);
        let constant = spread * (per_user / held_out + b);
        let half_linear = b * (1.0 - 2.0 * p) / 2.0;
        let lift = (half_linear + (half_linear * half_linear + (1.0 + b) * constant).sqrt()) / (1.0 + b);
        (lift <= 1.0 - p).then_some(lift)
    }

    /// The fewest users that find this lift with the wanted power; `None` when no number of them does.
    pub(super) fn users_needed(&self, lift: f64) -> Option<u64> {
        if lift > 1.0 - self.baseline {
            return None;
        }
        let finds =
            |users: u64| self.detectable_lift(crate::sums::real(users)).is_some_and(|least| least <= lift);
        if !finds(MOST_USERS) {
            return None;
        }
        let (mut too_few, mut enough) = (0, MOST_USERS);
        while enough - too_few > 1 {
            let middle = too_few.midpoint(enough);
            if finds(middle) { enough = middle } else { too_few = middle }
        }
        Some(enough)
    }
}
