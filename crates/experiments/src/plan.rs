//! Before an experiment: what it could find, how many users it needs, and whether it is worth starting.

mod power;
mod request;
mod warning;

use std::sync::Arc;

use kernel::{Clock, OrgId};

use crate::sums::real;
use crate::{ClusterSums, ExperimentError, HistoryReader, HoldoutPercentage, interval};

use power::Design;
pub use request::{BaselineRate, ExpectedUsers, InvalidPlan, MinimumLift, PlanRequest, SessionsPerUser};
pub use warning::PlanWarning;

/// How far back the organization's own figures are taken from, in seconds: 28 days.
const LOOK_BACK_SECONDS: i64 = 28 * 24 * 60 * 60;
/// What to plan with when neither the caller nor the organization's history says anything.
const ASSUMED_SESSIONS_PER_USER: f64 = 5.0;
const ASSUMED_RATE: f64 = 0.7;
const ASSUMED_CORRELATION: f64 = 0.2;
const ASSUMED_MINIMUM_LIFT: f64 = 5.0;

/// Where a planning figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The caller stated it.
    Given,
    /// The organization's last 28 days.
    History,
    /// Nobody knows: a round figure.
    Assumed,
}

impl Origin {
    /// The origin's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::History => "history",
            Self::Assumed => "assumed",
        }
    }
}

/// A planning figure and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Where it comes from.
    pub origin: Origin,
}

impl Figure {
    fn choose(given: Option<f64>, history: Option<f64>, assumed: f64) -> Self {
        match (given, history) {
            (Some(value), _) => Self { value, origin: Origin::Given },
            (None, Some(value)) => Self { value, origin: Origin::History },
            (None, None) => Self { value: assumed, origin: Origin::Assumed },
        }
    }
}

/// What an experiment could find.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The share held out.
    pub holdout: HoldoutPercentage,
    /// Users expected to have an evaluated session while the experiment runs, both arms together.
    pub users: Figure,
    /// Evaluated sessions per user.
    pub sessions_per_user: Figure,
    /// The success rate without the lift, 0–1.
    pub baseline_rate: Figure,
    /// How alike the sessions of one user are, 0–1.
    pub intraclass_correlation: Figure,
    /// The smallest lift worth finding, in percentage points.
    pub minimum_lift: Figure,
    /// The smallest lift, in percentage points, that the experiment would call clear four times out of five; `None` when
    /// even a success rate of 100 % would be found less often.
    pub detectable_lift: Option<f64>,
    /// Users, both arms together, to find the minimum lift four times out of five; `None` when no number would do.
    pub users_needed: Option<u64>,
    /// What speaks against the plan.
    pub warnings: Vec<PlanWarning>,
}

/// Plans an experiment.
#[derive(Clone)]
pub struct PlanExperiment {
    history: Arc<dyn HistoryReader>,
    clock: Arc<dyn Clock>,
}

impl PlanExperiment {
    /// Plans from this history, by this clock.
    #[must_use]
    pub fn new(history: Arc<dyn HistoryReader>, clock: Arc<dyn Clock>) -> Self {
        Self { history, clock }
    }

    /// What such an experiment could find; what the request leaves open comes from the organization's last 28 days.
    ///
    /// # Errors
    /// When the store failed.
    pub fn plan(&self, org: &OrgId, request: &PlanRequest) -> Result<Plan, ExperimentError> {
        let now = self.clock.now();
        let past = self.history.outcomes(org, now.plus_seconds(-LOOK_BACK_SECONDS), now)?;
        Ok(Plan::from_history(request, &past))
    }
}

impl Plan {
    /// The plan that follows from a request and the sums of the organization's history.
    #[must_use]
    pub fn from_history(request: &PlanRequest, past: &ClusterSums) -> Self {
        let mut plan = Self::of_figures(request, past);
        let design = Design {
            holdout: plan.holdout.fraction(),
            baseline: plan.baseline_rate.value,
            sessions_per_user: plan.sessions_per_user.value,
            inflation: design_effect(plan.sessions_per_user.value, plan.intraclass_correlation.value, past),
        };
        plan.detectable_lift = design.detectable_lift(plan.users.value).map(|lift| 100.0 * lift);
        plan.users_needed = design.users_needed(plan.minimum_lift.value / 100.0);
        plan.warnings = warning::against(&plan);
        plan
    }

    /// The figures to plan with, before anything is concluded from them.
    fn of_figures(request: &PlanRequest, past: &ClusterSums) -> Self {
        let known_users = (past.users > 0).then(|| real(past.users));
        // Sessions of one user can only be compared where some user has two.
        let comparable = past.users >= 2 && past.sessions > past.users;
        let correlation = comparable.then(|| interval::intraclass_correlation(&[past]));
        let sessions = request.expected_sessions_per_user.map(SessionsPerUser::value);
        let rate = request.baseline_rate.map(BaselineRate::value);
        let lift = request.minimum_lift.map(MinimumLift::percentage_points);
        Self {
            holdout: request.holdout,
            users: Figure::choose(request.expected_users.map(|users| real(users.count())), known_users, 0.0),
            sessions_per_user: Figure::choose(sessions, past.sessions_per_user(), ASSUMED_SESSIONS_PER_USER),
            baseline_rate: Figure::choose(rate, past.rate(), ASSUMED_RATE),
            intraclass_correlation: Figure::choose(None, correlation, ASSUMED_CORRELATION),
            minimum_lift: Figure::choose(lift, None, ASSUMED_MINIMUM_LIFT),
            detectable_lift: None,
            users_needed: None,
            warnings: vec![],
        }
    }
}

/// How many times more sessions are needed because those of one user are alike: `1 + ρ(ΣN²/ΣN − 1)`.
///
/// How unevenly sessions fall on users is taken from history and kept at other means; without history, as a geometric
/// distribution would have it.
fn design_effect(sessions_per_user: f64, correlation: f64, past: &ClusterSums) -> f64 {
    let unevenness = match (past.sessions_per_session_owner(), past.sessions_per_user()) {
        (Some(owner), Some(mean)) => owner / mean,
        _ => 2.0 - 1.0 / sessions_per_user,
    };
    1.0 + correlation * (sessions_per_user * unevenness - 1.0).max(0.0)
}

#[cfg(test)]
mod tests;
