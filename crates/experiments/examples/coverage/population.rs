//! Users as the simulation draws them: how many sessions each has, and how many of those succeed.

use touchstone_experiments::ClusterSums;

use crate::random::Random;

/// How the sessions fall on the users.
#[derive(Clone, Copy)]
pub(crate) enum SessionCounts {
    /// Geometric from 1 on, mean 5.
    Geometric,
    /// A log-normal number of median 3 and sigma 1, rounded up: mean 5.5, with a long tail.
    LogNormal,
}

impl SessionCounts {
    /// The name in the tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Geometric => "geometric",
            Self::LogNormal => "log-normal",
        }
    }

    fn draw(self, random: &mut Random) -> u32 {
        match self {
            Self::Geometric => {
                let mut sessions = 1;
                while random.uniform() < 0.8 {
                    sessions += 1;
                }
                sessions
            }
            Self::LogNormal => whole((3.0_f64.ln() + random.normal()).exp().ceil()),
        }
    }
}

/// What all users of a cell have in common.
#[derive(Clone, Copy)]
pub(crate) struct Population {
    /// The mean success rate of the users.
    pub(crate) rate: f64,
    /// The intraclass correlation of their sessions.
    pub(crate) correlation: f64,
    /// How many sessions they have.
    pub(crate) sessions: SessionCounts,
}

impl Population {
    /// An arm of this many users.
    pub(crate) fn arm(self, users: u32, random: &mut Random) -> ClusterSums {
        (0..users).map(|_| self.user(random)).collect()
    }

    fn user(self, random: &mut Random) -> (u32, u32) {
        let sessions = self.sessions.draw(random);
        let rate = random.beta(self.rate, self.correlation);
        let successes = (0..sessions).map(|_| u32::from(random.uniform() < rate)).sum();
        (sessions, successes)
    }
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rounded-up number of sessions, positive and far below the limit; `as` saturates"
)]
fn whole(sessions: f64) -> u32 {
    sessions as u32
}
