//! What a plan promises and warns of.

use kernel::{MockClock, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::ports::MockHistoryReader;

fn request(holdout: f64) -> PlanRequest {
    PlanRequest {
        holdout: HoldoutPercentage::new(holdout).unwrap(),
        expected_users: None,
        expected_sessions_per_user: None,
        baseline_rate: None,
        minimum_lift: None,
    }
}

/// A request that leaves nothing to history but the correlation.
fn full_request(users: u64, sessions: f64, rate: f64, lift: f64) -> PlanRequest {
    PlanRequest {
        holdout: HoldoutPercentage::new(50.0).unwrap(),
        expected_users: Some(ExpectedUsers::new(users).unwrap()),
        expected_sessions_per_user: Some(SessionsPerUser::new(sessions).unwrap()),
        baseline_rate: Some(BaselineRate::new(rate).unwrap()),
        minimum_lift: Some(MinimumLift::from_percentage_points(lift).unwrap()),
    }
}

/// 1,000 users of 4 sessions whose rates are 0, 1/2 and 1.
fn history() -> ClusterSums {
    [(4, 0), (4, 2), (4, 2), (4, 4)].into_iter().cycle().take(1000).collect()
}

#[test]
fn one_session_a_user_needs_what_the_textbook_says() {
    // Two arms of n at 0.5 against 0.6: n = (1.95996 + 0.84162)² (0.25 + 0.24) / 0.1² = 384.6 each.
    let plan = Plan::from_history(&full_request(1000, 1.0, 0.5, 10.0), &ClusterSums::none());

    let needed = plan.users_needed.unwrap();

    assert!((770..=776).contains(&needed), "{needed}");
}

#[test]
fn the_users_needed_find_the_minimum_lift_and_one_fewer_does_not() {
    let needed = Plan::from_history(&full_request(1000, 4.0, 0.7, 5.0), &history()).users_needed.unwrap();
    let detectable =
        |users| Plan::from_history(&full_request(users, 4.0, 0.7, 5.0), &history()).detectable_lift.unwrap();

    assert!(detectable(needed) <= 5.0);
    assert!(detectable(needed - 1) > 5.0);
}

#[test]
fn what_the_request_leaves_open_comes_from_history() {
    let plan = Plan::from_history(&request(10.0), &history());

    let told = [plan.users, plan.sessions_per_user, plan.baseline_rate, plan.intraclass_correlation];
    assert!(told.iter().all(|figure| figure.origin == Origin::History));
    assert!((plan.users.value - 1000.0).abs() < 1e-9);
    assert!((plan.sessions_per_user.value - 4.0).abs() < 1e-9);
    assert!((plan.baseline_rate.value - 0.5).abs() < 1e-9);
    assert!((plan.intraclass_correlation.value - 1.0 / 3.0).abs() < 0.01, "{plan:?}");
}

#[test]
fn what_the_request_states_is_not_taken_from_history() {
    let plan = Plan::from_history(&full_request(50, 2.0, 0.9, 3.0), &history());

    let told = [plan.users, plan.sessions_per_user, plan.baseline_rate, plan.minimum_lift];
    assert!(told.iter().all(|figure| figure.origin == Origin::Given));
    assert!(
        told.iter().zip([50.0, 2.0, 0.9, 3.0]).all(|(figure, given)| (figure.value - given).abs() < 1e-9)
    );
}

#[test]
fn a_new_organization_is_told_that_figures_are_assumed_and_that_nobody_is_expected() {
    let plan = Plan::from_history(&request(10.0), &ClusterSums::none());

    assert_eq!(plan.detectable_lift, None);
    assert!(plan.users_needed.is_some());
    assert_eq!(
        plan.warnings,
        vec![
            PlanWarning::CannotFindAnything,
            PlanWarning::TooFewUsers,
            PlanWarning::FewHoldoutUsers,
            PlanWarning::FiguresAssumed
        ]
    );
}

#[test]
fn a_plan_that_cannot_find_anything_says_so() {
    // 95 % succeed already: 5 points are left, and 30 users in an arm do not find them.
    let plan = Plan::from_history(&full_request(60, 1.0, 0.95, 4.0), &history());

    assert_eq!(plan.detectable_lift, None);
    assert!(plan.warnings.contains(&PlanWarning::CannotFindAnything));
}

#[test]
fn a_lift_beyond_a_hundred_percent_is_called_impossible() {
    let plan = Plan::from_history(&full_request(10_000, 4.0, 0.95, 10.0), &history());

    assert_eq!(plan.users_needed, None);
    assert_eq!(plan.warnings, vec![PlanWarning::LiftImpossible]);
}

#[test]
fn a_plan_with_users_enough_has_no_warning() {
    let plan = Plan::from_history(&full_request(10_000, 4.0, 0.7, 5.0), &history());

    assert!(plan.detectable_lift.unwrap() < 5.0);
    assert_eq!(plan.warnings, vec![]);
}

#[test]
fn the_last_28_days_are_asked_for() {
    let mut past = MockHistoryReader::new();
    let now = Timestamp::from_seconds(10_000_000);
    past.expect_outcomes()
        .withf(move |_, since, until| until.seconds_since(*since) == 28 * 86_400 && *until == now)
        .times(1)
        .return_const(Ok(history()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(now);
    let org = OrgId::new("acme").unwrap();

    let plan = PlanExperiment::new(Arc::new(past), Arc::new(clock)).plan(&org, &request(10.0));

    assert_eq!(plan, Ok(Plan::from_history(&request(10.0), &history())));
}

#[test]
fn figures_out_of_range_are_refused() {
    assert_eq!(ExpectedUsers::new(0), Err(InvalidPlan::Users));
    assert_eq!(ExpectedUsers::new(u64::MAX), Err(InvalidPlan::Users));
    for refused in [0.99, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(SessionsPerUser::new(refused), Err(InvalidPlan::SessionsPerUser), "{refused}");
    }
    for refused in [-0.01, 1.01, f64::NAN] {
        assert_eq!(BaselineRate::new(refused), Err(InvalidPlan::Rate), "{refused}");
    }
    for refused in [0.0, -1.0, 100.1, f64::NAN] {
        assert_eq!(MinimumLift::from_percentage_points(refused), Err(InvalidPlan::Lift), "{refused}");
    }
}

proptest! {
    #[test]
    fn more_users_never_find_less(users in 10_u64..100_000, sessions in 1.0..50.0_f64, rate in 0.0..1.0_f64) {
        let detectable = |users| {
            Plan::from_history(&full_request(users, sessions, rate, 5.0), &history())
                .detectable_lift
                .unwrap_or(f64::INFINITY)
        };

        prop_assert!(detectable(users * 2) <= detectable(users));
    }
}
