//! Every fault is found; clean data is left alone.

use super::*;
use crate::{ArmSums, ClusterSums};

fn holdout(percent: f64) -> HoldoutPercentage {
    HoldoutPercentage::new(percent).unwrap()
}

fn arm(users: usize) -> ArmSums {
    ArmSums { outcomes: std::iter::repeat_n((4, 3), users).collect::<ClusterSums>(), ..ArmSums::default() }
}

/// 900 treatment and 100 holdout users, 4 evaluated sessions each, all of them attributed.
fn clean() -> ResultSums {
    ResultSums {
        arms: PerArm { treatment: arm(900), holdout: arm(100) },
        evaluated_sessions: 4000,
        exposed_users: PerArm { treatment: 905, holdout: 98 },
        contaminated_holdout_sessions: 0,
        late_sessions: 0,
    }
}

#[track_caller]
fn assert_finds(sums: &ResultSums, code: HealthCode, value: f64) {
    let found = examine(holdout(10.0), sums);
    assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), vec![code]);
    assert!((found[0].value - value).abs() < 1e-9, "{}", found[0].value);
}

#[test]
fn clean_data_is_left_alone() {
    assert_eq!(examine(holdout(10.0), &clean()), vec![]);
}

#[test]
fn a_split_that_the_assignment_would_hardly_draw_is_found() {
    let sums = ResultSums { exposed_users: PerArm { treatment: 940, holdout: 60 }, ..clean() };

    let found = examine(holdout(10.0), &sums);

    // χ² = 40²/90 = 17.78 at one degree of freedom.
    assert_eq!(found[0].code, HealthCode::SampleRatioMismatch);
    assert_eq!(found[0].code.severity(), Severity::Critical);
    assert!((found[0].value - 2.482_661e-5).abs() < 1e-9, "{}", found[0].value);
}

#[test]
fn a_holdout_that_is_never_exposed_is_found() {
    let sums = ResultSums { exposed_users: PerArm { treatment: 90, holdout: 0 }, ..clean() };

    assert_finds(&sums, HealthCode::SampleRatioMismatch, 2.0 * 0.9_f64.powi(90));
}

#[test]
fn an_experiment_that_nobody_met_has_no_split_to_find_fault_with() {
    let sums = ResultSums { exposed_users: PerArm::default(), ..clean() };

    assert_eq!(examine(holdout(10.0), &sums), vec![]);
}

#[test]
fn nineteen_evaluated_holdout_users_are_few_and_twenty_are_not() {
    let with =
        |users| ResultSums { arms: PerArm { treatment: arm(1000 - users), holdout: arm(users) }, ..clean() };

    assert_finds(&with(19), HealthCode::FewHoldoutUsers, 19.0);
    assert_eq!(examine(holdout(10.0), &with(20)), vec![]);
}

#[test]
fn coverage_is_low_below_four_fifths() {
    let with = |evaluated_sessions| ResultSums { evaluated_sessions, ..clean() };

    assert_eq!(examine(holdout(10.0), &with(5000)), vec![]);
    assert_finds(&with(5001), HealthCode::LowCoverage, 4000.0 / 5001.0);
}

#[test]
fn one_contaminated_holdout_session_is_found() {
    let sums = ResultSums { contaminated_holdout_sessions: 1, ..clean() };

    assert_finds(&sums, HealthCode::HoldoutContamination, 1.0);
}

#[test]
fn one_late_session_is_found() {
    assert_finds(&ResultSums { late_sessions: 1, ..clean() }, HealthCode::LateTags, 1.0);
}

#[test]
fn an_experiment_that_has_just_started_is_only_told_that_its_holdout_is_small() {
    assert_finds(&ResultSums::default(), HealthCode::FewHoldoutUsers, 0.0);
}

/// The probability that clean users of this number are split so that an alarm is raised, summed exactly.
fn false_alarm_rate(percent: f64, users: u32) -> f64 {
    let share = holdout(percent).fraction();
    let mut probability = (f64::from(users) * (1.0 - share).ln()).exp();
    let mut alarms = 0.0;
    for held_out in 0..=users {
        let exposed = PerArm { treatment: u64::from(users - held_out), holdout: u64::from(held_out) };
        if sample_ratio_mismatch(holdout(percent), exposed).is_some() {
            alarms += probability;
        }
        probability *= f64::from(users - held_out) / f64::from(held_out + 1) * share / (1.0 - share);
    }
    alarms
}

#[test]
fn a_false_alarm_is_raised_at_most_twice_in_a_thousand_at_any_size() {
    for percent in [1.0, 5.0, 10.0, 25.0, 50.0] {
        for users in [1, 2, 5, 10, 20, 50, 100, 200, 400, 1000] {
            let rate = false_alarm_rate(percent, users);
            assert!(rate < 0.002, "{percent} % of {users} users: {rate}");
        }
    }
}

#[test]
fn the_assignment_itself_raises_no_false_alarm() {
    // The real assignment of real names, in 400 experiments of 500 users: about 0.4 false alarms are to be expected.
    let ten = holdout(10.0);
    let org = kernel::OrgId::new("org-1").unwrap();
    let users: Vec<_> = (0..500).map(|i| kernel::UserId::new(&format!("user-{i}")).unwrap()).collect();

    let alarms = (0..400)
        .filter(|i| {
            let id = kernel::ExperimentId::new(&format!("exp-{i}")).unwrap();
            let held_out =
                users.iter().filter(|user| crate::assign(&org, &id, user, ten) == crate::Arm::Holdout);
            let held_out = u64::try_from(held_out.count()).unwrap();
            let exposed = PerArm { treatment: 500 - held_out, holdout: held_out };
            sample_ratio_mismatch(ten, exposed).is_some()
        })
        .count();

    assert!(alarms <= 2, "{alarms}");
}
