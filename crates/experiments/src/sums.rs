//! The seven sums that say all an interval needs to know about an arm's users.

/// Sums over the users of an arm, where a user has `N` evaluated sessions (at least one) of which `Y` succeeded.
///
/// Users without an evaluated session are in none of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClusterSums {
    /// `G`: the users.
    pub users: u64,
    /// `ΣN`: their evaluated sessions.
    pub sessions: u64,
    /// `ΣY`: their successful sessions.
    pub successes: u64,
    /// `ΣN²`.
    pub sessions_squared: u64,
    /// `ΣY²`.
    pub successes_squared: u64,
    /// `ΣY·N`.
    pub successes_times_sessions: u64,
    /// `ΣY²/N`, divided in floating point user by user, then summed.
    pub successes_squared_per_session: f64,
}

impl ClusterSums {
    /// The sums over nobody.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a user with this many evaluated sessions, of which this many succeeded; no session, no change.
    pub fn add_user(&mut self, sessions: u32, successes: u32) {
        if sessions == 0 {
            return;
        }
        let [n, y] = [u64::from(sessions), u64::from(successes)];
        self.users += 1;
        self.sessions += n;
        self.successes += y;
        self.sessions_squared += n * n;
        self.successes_squared += y * y;
        self.successes_times_sessions += y * n;
        self.successes_squared_per_session += real(y * y) / real(n);
    }

    /// The share of sessions that succeeded; `None` without a session.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        ratio(self.successes, self.sessions)
    }

    /// Sessions per user; `None` without a user.
    #[must_use]
    pub fn sessions_per_user(&self) -> Option<f64> {
        ratio(self.sessions, self.users)
    }

    /// `ΣN²/ΣN`: how many sessions the user of an average session has.
    #[must_use]
    pub fn sessions_per_session_owner(&self) -> Option<f64> {
        ratio(self.sessions_squared, self.sessions)
    }

    /// The cluster-robust variance of the rate, `G/(G−1)·Σ(Y − m·N)²/n²`; `None` with fewer than two users.
    #[must_use]
    pub fn robust_variance(&self) -> Option<f64> {
        if self.users < 2 || self.sessions == 0 {
            return None;
        }
        let users = real(self.users);
        let sessions = real(self.sessions);
        Some(users / (users - 1.0) * self.squared_residuals() / (sessions * sessions))
    }

    /// `Σ(Y − m·N)²`, exactly 0 when every user has the same rate.
    ///
    /// Multiplied out over integers: in floating point the three terms would cancel to noise.
    fn squared_residuals(&self) -> f64 {
        let [n, y] = [i128::from(self.sessions), i128::from(self.successes)];
        let terms = || {
            let own = n.checked_mul(n)?.checked_mul(i128::from(self.successes_squared))?;
            let cross = n.checked_mul(y)?.checked_mul(i128::from(self.successes_times_sessions))?;
            let size = y.checked_mul(y)?.checked_mul(i128::from(self.sessions_squared))?;
            own.checked_sub(cross.checked_mul(2)?)?.checked_add(size)
        };
        if let Some(exact) = terms() {
            return real(exact) / (real(n) * real(n));
        }
        // Beyond 10^9 sessions; the noise is far below what such an experiment can resolve.
        let m = real(y) / real(n);
        let cross = 2.0 * m * real(self.successes_times_sessions);
        (real(self.successes_squared) - cross + m * m * real(self.sessions_squared)).max(0.0)
    }

    /// Sum of squares between users, `ΣN(Y/N − m)²`.
    pub(crate) fn between_users(&self) -> f64 {
        let Some(rate) = self.rate() else { return 0.0 };
        (self.successes_squared_per_session - rate * real(self.successes)).max(0.0)
    }

    /// Sum of squares within users, `ΣY(1 − Y/N)`.
    pub(crate) fn within_users(&self) -> f64 {
        (real(self.successes) - self.successes_squared_per_session).max(0.0)
    }
}

impl FromIterator<(u32, u32)> for ClusterSums {
    /// The sums over users given as (sessions, successes).
    fn from_iter<Users: IntoIterator<Item = (u32, u32)>>(users: Users) -> Self {
        users.into_iter().fold(Self::none(), |mut sums, (sessions, successes)| {
            sums.add_user(sessions, successes);
            sums
        })
    }
}

/// A count as a number to calculate with: exact up to 2^53, which no count of ours reaches.
#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "there is no lossless way beyond 2^53"
)]
pub(crate) fn real(count: impl Into<i128>) -> f64 {
    count.into() as f64
}

/// A total over a count; `None` over nothing.
pub(crate) fn ratio(total: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| real(total) / real(count))
}
