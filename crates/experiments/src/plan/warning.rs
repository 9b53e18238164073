//! What speaks against a plan.

use super::{Origin, Plan};

/// Fewer holdout users than this leave the interval wide and rough.
const FEW_HOLDOUT_USERS: f64 = 20.0;

/// A reason to think again before starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanWarning {
    /// Even if every treated session succeeded, the lift would often be missed.
    CannotFindAnything,
    /// The smallest lift worth finding would take the success rate beyond 100 %.
    LiftImpossible,
    /// More users are needed for the smallest lift worth finding.
    TooFewUsers,
    /// Few users would be held out.
    FewHoldoutUsers,
    /// Figures that neither the caller nor history gave were assumed.
    FiguresAssumed,
}

impl PlanWarning {
    /// The warning for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CannotFindAnything => "cannot_find_anything",
            Self::LiftImpossible => "lift_impossible",
            Self::TooFewUsers => "too_few_users",
            Self::FewHoldoutUsers => "few_holdout_users",
            Self::FiguresAssumed => "figures_assumed",
        }
    }

    /// The warning for people.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::CannotFindAnything => {
                "even if every treated session succeeded, this experiment would often miss it: expect more users or \
                 hold out more of them"
            }
            Self::LiftImpossible => {
                "the smallest lift worth finding would take the success rate beyond 100 %"
            }
            Self::TooFewUsers => "the smallest lift worth finding needs more users than are expected",
            Self::FewHoldoutUsers => {
                "fewer than 20 users would be held out: the interval will be wide and rough"
            }
            Self::FiguresAssumed => {
                "there is no history for some figures and none was given: they are assumed, see their origin"
            }
        }
    }
}

/// What speaks against this plan.
pub(super) fn against(plan: &Plan) -> Vec<PlanWarning> {
    let users = plan.users.value;
    let possible = plan.baseline_rate.value + plan.minimum_lift.value / 100.0 <= 1.0;
    let enough = plan.users_needed.is_some_and(|needed| users >= crate::sums::real(needed));
    let told = [plan.users, plan.sessions_per_user, plan.baseline_rate, plan.intraclass_correlation];
    [
        (plan.detectable_lift.is_none(), PlanWarning::CannotFindAnything),
        (!possible, PlanWarning::LiftImpossible),
        (possible && !enough, PlanWarning::TooFewUsers),
        (users * plan.holdout.fraction() < FEW_HOLDOUT_USERS, PlanWarning::FewHoldoutUsers),
        (told.iter().any(|figure| figure.origin == Origin::Assumed), PlanWarning::FiguresAssumed),
    ]
    .into_iter()
    .filter_map(|(holds, warning)| holds.then_some(warning))
    .collect()
}
