//! What a caller may say about a planned experiment, each figure valid once it exists.

use crate::HoldoutPercentage;

/// Why a planning figure cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlan {
    /// An experiment needs users.
    #[error("must be between 1 and 10,000,000,000")]
    Users,
    /// A user that counts has at least one session.
    #[error("must be between 1 and 1,000,000")]
    SessionsPerUser,
    /// A rate is a fraction.
    #[error("must be between 0 and 1")]
    Rate,
    /// A lift is positive and cannot exceed 100 percentage points.
    #[error("must be greater than 0 and at most 100")]
    Lift,
}

/// Users expected while the experiment runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedUsers(u64);

impl ExpectedUsers {
    /// Checks the number of users.
    ///
    /// # Errors
    /// When it is 0 or beyond belief.
    pub fn new(users: u64) -> Result<Self, InvalidPlan> {
        if (1..=10_000_000_000).contains(&users) { Ok(Self(users)) } else { Err(InvalidPlan::Users) }
    }

    /// The number of users.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.0
    }
}

/// Evaluated sessions per user, on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionsPerUser(f64);

impl SessionsPerUser {
    /// Checks the average.
    ///
    /// # Errors
    /// When it is below 1 or beyond belief.
    pub fn new(sessions: f64) -> Result<Self, InvalidPlan> {
        if (1.0..=1e6).contains(&sessions) { Ok(Self(sessions)) } else { Err(InvalidPlan::SessionsPerUser) }
    }

    /// The average.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

/// The success rate without the lift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaselineRate(f64);

impl BaselineRate {
    /// Checks the rate.
    ///
    /// # Errors
    /// When it is not a fraction from 0 to 1.
    pub fn new(rate: f64) -> Result<Self, InvalidPlan> {
        if (0.0..=1.0).contains(&rate) { Ok(Self(rate)) } else { Err(InvalidPlan::Rate) }
    }

    /// The rate, 0–1.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

/// The smallest lift worth finding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimumLift(f64);

impl MinimumLift {
    /// Checks a lift in percentage points.
    ///
    /// # Errors
    /// When it is not positive, or more than 100.
    pub fn from_percentage_points(lift: f64) -> Result<Self, InvalidPlan> {
        if lift > 0.0 && lift <= 100.0 { Ok(Self(lift)) } else { Err(InvalidPlan::Lift) }
    }

    /// The lift in percentage points.
    #[must_use]
    pub const fn percentage_points(self) -> f64 {
        self.0
    }
}

/// A planned experiment; what is left open comes from the organization's own history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanRequest {
    /// The share to hold out.
    pub holdout: HoldoutPercentage,
    /// Users expected while the experiment runs.
    pub expected_users: Option<ExpectedUsers>,
    /// Evaluated sessions per user.
    pub expected_sessions_per_user: Option<SessionsPerUser>,
    /// The success rate without the lift.
    pub baseline_rate: Option<BaselineRate>,
    /// The smallest lift worth finding.
    pub minimum_lift: Option<MinimumLift>,
}
