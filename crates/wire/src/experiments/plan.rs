//! The plan of an experiment on the wire.

use experiments::plan::{
    BaselineRate, ExpectedUsers, Figure, MinimumLift, PlanRequest, PlanWarning, SessionsPerUser,
};
use experiments::{HoldoutPercentage, Plan};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Fields, Invalid};

/// A planned experiment; what is left out comes from the organization's last 28 days.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PlanExperimentRequest {
    /// The share of users to hold out, in percent.
    #[schema(exclusive_minimum = 0, exclusive_maximum = 100)]
    pub holdout_percentage: f64,
    /// Users expected while the experiment runs.
    #[schema(minimum = 1)]
    pub expected_users: Option<u64>,
    /// Evaluated sessions per user.
    #[schema(minimum = 1)]
    pub expected_sessions_per_user: Option<f64>,
    /// The success rate without the lift, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub baseline_success_rate: Option<f64>,
    /// The smallest lift worth finding.
    #[schema(exclusive_minimum = 0, maximum = 100)]
    pub minimum_lift_percentage_points: Option<f64>,
}

impl PlanExperimentRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<PlanRequest, Invalid> {
        let mut fields = Fields::of_body();
        let holdout = fields.required("holdout_percentage", self.holdout_percentage, HoldoutPercentage::new);
        let users = fields.optional("expected_users", self.expected_users, ExpectedUsers::new);
        let sessions = fields.optional(
            "expected_sessions_per_user",
            self.expected_sessions_per_user,
            SessionsPerUser::new,
        );
        let rate = fields.optional("baseline_success_rate", self.baseline_success_rate, BaselineRate::new);
        let lift = fields.optional(
            "minimum_lift_percentage_points",
            self.minimum_lift_percentage_points,
            MinimumLift::from_percentage_points,
        );
        let built = holdout.zip(users).zip(sessions.zip(rate)).zip(lift);
        fields.finish(built.map(|(((holdout, users), (sessions, rate)), lift)| PlanRequest {
            holdout,
            expected_users: users,
            expected_sessions_per_user: sessions,
            baseline_rate: rate,
            minimum_lift: lift,
        }))
    }
}

/// A figure that the plan rests on.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlanFigure {
    /// The figure.
    pub value: f64,
    /// Where it comes from: `given`, `history` (the last 28 days) or `assumed`.
    pub origin: &'static str,
}

impl From<Figure> for PlanFigure {
    fn from(figure: Figure) -> Self {
        Self { value: figure.value, origin: figure.origin.as_str() }
    }
}

/// What speaks against a plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlanWarningEntry {
    /// `cannot_find_anything`, `lift_impossible`, `too_few_users`, `few_holdout_users` or `figures_assumed`.
    pub code: &'static str,
    /// A sentence for people.
    pub message: &'static str,
}

impl From<&PlanWarning> for PlanWarningEntry {
    fn from(warning: &PlanWarning) -> Self {
        Self { code: warning.as_str(), message: warning.message() }
    }
}

/// What an experiment could find.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlanExperimentResponse {
    /// The share of users to hold out, in percent.
    pub holdout_percentage: f64,
    /// Users expected while the experiment runs, both arms together.
    pub expected_users: PlanFigure,
    /// Evaluated sessions per user.
    pub expected_sessions_per_user: PlanFigure,
    /// The success rate without the lift, from 0 to 1.
    pub baseline_success_rate: PlanFigure,
    /// How alike the sessions of one user are, from 0 to 1.
    pub intraclass_correlation: PlanFigure,
    /// The smallest lift worth finding.
    pub minimum_lift_percentage_points: PlanFigure,
    /// The smallest lift that would be called clear four times out of five; null when none would.
    pub detectable_lift_percentage_points: Option<f64>,
    /// Users, both arms together, to find the smallest lift worth finding four times out of five; null when no number
    /// would do.
    pub users_needed: Option<u64>,
    /// What speaks against the plan.
    pub warnings: Vec<PlanWarningEntry>,
}

impl From<&Plan> for PlanExperimentResponse {
    fn from(plan: &Plan) -> Self {
        Self {
            holdout_percentage: plan.holdout.percent(),
            expected_users: plan.users.into(),
            expected_sessions_per_user: plan.sessions_per_user.into(),
            baseline_success_rate: plan.baseline_rate.into(),
            intraclass_correlation: plan.intraclass_correlation.into(),
            minimum_lift_percentage_points: plan.minimum_lift.into(),
            detectable_lift_percentage_points: plan.detectable_lift,
            users_needed: plan.users_needed,
            warnings: plan.warnings.iter().map(Into::into).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(body: serde_json::Value) -> Result<PlanRequest, Invalid> {
        serde_json::from_value::<PlanExperimentRequest>(body).unwrap().parse()
    }

    #[test]
    fn a_plan_needs_a_holdout_and_nothing_else() {
        let plan = parsed(json!({ "holdout_percentage": 10, "expected_users": null })).unwrap();

        assert_eq!(plan.expected_users, None);
        assert_eq!(plan.minimum_lift, None);
    }

    #[test]
    fn every_figure_out_of_range_is_named() {
        let Invalid(errors) = parsed(json!({
            "holdout_percentage": 100,
            "expected_users": 0,
            "expected_sessions_per_user": 0.5,
            "baseline_success_rate": 1.5,
            "minimum_lift_percentage_points": 0
        }))
        .unwrap_err();

        let places: Vec<_> = errors.iter().map(|error| error.loc.join(".")).collect();
        assert_eq!(
            places,
            [
                "body.holdout_percentage",
                "body.expected_users",
                "body.expected_sessions_per_user",
                "body.baseline_success_rate",
                "body.minimum_lift_percentage_points"
            ]
        );
    }
}
