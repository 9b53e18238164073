//! The worked examples, the edges, and agreement with a slow computation user by user.

use proptest::prelude::*;

use super::*;

/// Users given as their sessions' outcomes.
fn arm(users: &[&[u32]]) -> ClusterSums {
    users.iter().map(|outcomes| (u32::try_from(outcomes.len()).unwrap(), outcomes.iter().sum())).collect()
}

fn example_a() -> (ClusterSums, ClusterSums) {
    let treatment = arm(&[&[1, 1, 0], &[1], &[0, 1], &[1, 1, 1, 1], &[0]]);
    let holdout = arm(&[&[0, 0], &[1, 0, 1], &[0], &[1, 1]]);
    (treatment, holdout)
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[track_caller]
fn assert_interval(found: Option<Interval>, low: f64, high: f64) {
    let found = found.unwrap();
    assert_near(found.low, low);
    assert_near(found.high, high);
}

#[test]
fn worked_example_a_holds() {
    let (treatment, holdout) = example_a();

    assert_near(treatment.robust_variance().unwrap(), 0.021_002_663_752_475_92);
    assert_near(holdout.robust_variance().unwrap(), 0.052_083_333_333_333_33);
    let correlation = intraclass_correlation(&[&treatment, &holdout]);
    assert_near(correlation, 0.294_296_180_010_465_7);
    assert_near(effective_sessions(&treatment, correlation).unwrap(), 7.165_731_816_914_066);
    assert_near(effective_sessions(&holdout, correlation).unwrap(), 4.8);
    assert_interval(lift_interval(&treatment, &holdout), -32.345_809_375_628_28, 65.070_855_815_775_33);
}

#[test]
fn the_textbook_interval_of_example_a_holds() {
    let (treatment, holdout) = example_a();

    let textbook = cluster_robust(&treatment, &holdout).unwrap();

    assert_near(textbook.standard_error, 27.034_421_962_714_36);
    assert_near(textbook.degrees_of_freedom, 5.265_204_301);
    assert_interval(Some(textbook.interval), -45.727_171_730_063_83, 91.181_717_184_609_28);
}

#[test]
fn worked_example_b_where_no_user_varies_holds() {
    let [treatment, holdout] = [arm(&[&[1, 1], &[1]]), arm(&[&[0, 0], &[0]])];

    assert_near(intraclass_correlation(&[&treatment, &holdout]), 0.05);
    assert_interval(lift_interval(&treatment, &holdout), -22.249_837_606_344_09, 100.0);
}

#[test]
fn worked_example_c_with_one_session_a_user_holds() {
    let [treatment, holdout] = [arm(&[&[1], &[0], &[1], &[1]]), arm(&[&[0], &[1]])];

    assert_interval(lift_interval(&treatment, &holdout), -50.384_543_089_046_986, 77.325_377_903_365_56);
}

#[test]
fn an_arm_of_fewer_than_two_users_has_no_interval() {
    let two = arm(&[&[1, 0], &[1]]);

    for few in [ClusterSums::none(), arm(&[&[1, 0, 1]])] {
        assert_eq!(lift_interval(&two, &few), None);
        assert_eq!(lift_interval(&few, &two), None);
        assert_eq!(cluster_robust(&two, &few), None);
        assert_eq!(cluster_robust(&few, &two), None);
    }
}

#[test]
fn when_all_sessions_succeed_the_interval_still_has_a_width_on_both_sides() {
    let all = arm(&[&[1, 1], &[1], &[1, 1, 1]]);

    let interval = lift_interval(&all, &all).unwrap();

    assert!(interval.low < -1.0 && interval.high > 1.0);
    assert_near(interval.low, -interval.high);
}

#[test]
fn a_standard_error_of_zero_gives_a_textbook_interval_of_no_width() {
    let [treatment, holdout] = [arm(&[&[1, 1], &[1]]), arm(&[&[0, 0], &[0], &[0]])];

    let textbook = cluster_robust(&treatment, &holdout).unwrap();

    assert_near(textbook.standard_error, 0.0);
    assert_near(textbook.degrees_of_freedom, 3.0);
    assert_interval(Some(textbook.interval), 100.0, 100.0);
}

#[test]
fn users_of_the_same_rate_leave_a_variance_of_exactly_zero() {
    let thirds: ClusterSums = [(3, 1), (6, 2), (999, 333), (12, 4)].into_iter().collect();

    assert_eq!(thirds.robust_variance(), Some(0.0));
}

#[test]
fn two_users_against_two_use_the_smallest_degrees_of_freedom_and_stay_within_bounds() {
    let [treatment, holdout] = [arm(&[&[1, 0], &[1]]), arm(&[&[0], &[0]])];

    let textbook = cluster_robust(&treatment, &holdout).unwrap();

    assert_near(textbook.degrees_of_freedom, 1.0);
    assert_interval(Some(textbook.interval), -100.0, 100.0);
}

#[test]
fn a_billion_sessions_are_still_calculated() {
    let huge = ClusterSums {
        users: 3_000_000_000,
        sessions: 9_000_000_000,
        successes: 6_000_000_000,
        sessions_squared: 27_000_000_000,
        successes_squared: 15_000_000_000,
        successes_times_sessions: 18_000_000_000,
        successes_squared_per_session: 5_000_000_000.0,
    };

    let interval = lift_interval(&huge, &huge).unwrap();

    assert!(interval.low < 0.0 && interval.low > -0.01 && interval.high > 0.0 && interval.high < 0.01);
}

/// The same interval, straight from the definitions, user by user.
fn slow_interval(treatment: &[(u32, u32)], holdout: &[(u32, u32)]) -> (f64, f64) {
    struct Slow {
        users: f64,
        n: f64,
        m: f64,
        variance: f64,
        squares: f64,
        between: f64,
        within: f64,
    }
    let slow = |users: &[(u32, u32)]| {
        let pairs: Vec<(f64, f64)> = users.iter().map(|(n, y)| (f64::from(*n), f64::from(*y))).collect();
        let g = f64::from(u32::try_from(pairs.len()).unwrap());
        let n: f64 = pairs.iter().map(|(n, _)| n).sum();
        let m = pairs.iter().map(|(_, y)| y).sum::<f64>() / n;
        Slow {
            users: g,
            n,
            m,
            variance: g / (g - 1.0) * pairs.iter().map(|(n, y)| (y - m * n).powi(2)).sum::<f64>() / n.powi(2),
            squares: pairs.iter().map(|(n, _)| n * n).sum(),
            between: pairs.iter().map(|(n, y)| n * (y / n - m).powi(2)).sum(),
            within: pairs.iter().map(|(n, y)| y * (1.0 - y / n)).sum(),
        }
    };
    let [t, h] = [slow(treatment), slow(holdout)];
    let freedom = t.users + h.users - 2.0;
    let msb = (t.between + h.between) / freedom;
    let msw = (t.within + h.within) / (t.n + h.n - t.users - h.users).max(1.0);
    let n0 = (t.n - t.squares / t.n + h.n - h.squares / h.n) / freedom;
    let denominator = msb + (n0 - 1.0) * msw;
    let rho = if denominator < 1e-12 { 0.05 } else { ((msb - msw) / denominator).max(0.0) };
    let c = student::quantile(0.975, freedom);
    let ends = |arm: &Slow| {
        let mut n = arm.n / (1.0 + rho * (arm.squares / arm.n - 1.0));
        if arm.variance > 1e-15 {
            n = n.min(arm.m * (1.0 - arm.m) / arm.variance);
        }
        let n = n.min(arm.n);
        let middle = (arm.m + c * c / (2.0 * n)) / (1.0 + c * c / n);
        let reach = c / (1.0 + c * c / n) * (arm.m * (1.0 - arm.m) / n + c * c / (4.0 * n * n)).sqrt();
        (middle - reach, middle + reach)
    };
    let [(l_t, u_t), (l_h, u_h)] = [ends(&t), ends(&h)];
    let d = t.m - h.m;
    (
        100.0 * (d - ((t.m - l_t).powi(2) + (u_h - h.m).powi(2)).sqrt()),
        100.0 * (d + ((u_t - t.m).powi(2) + (h.m - l_h).powi(2)).sqrt()),
    )
}

fn users() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let user = prop_oneof![1_u32..4, 1_u32..200].prop_flat_map(|n| (Just(n), 0..=n));
    prop_oneof![
        prop::collection::vec(user, 2..60),
        // Arms in which nobody fails, or nobody succeeds.
        prop::collection::vec((1_u32..9).prop_map(|n| (n, n)), 2..6),
        prop::collection::vec((1_u32..9).prop_map(|n| (n, 0)), 2..6),
    ]
}

proptest! {
    #[test]
    fn the_sums_give_what_the_definitions_give(treatment in users(), holdout in users()) {
        let sums = |users: &[(u32, u32)]| users.iter().copied().collect::<ClusterSums>();

        let fast = lift_interval(&sums(&treatment), &sums(&holdout)).unwrap();
        let (low, high) = slow_interval(&treatment, &holdout);

        prop_assert!((fast.low - low).abs() < 1e-8 && (fast.high - high).abs() < 1e-8, "{fast:?} {low} {high}");
    }

    #[test]
    fn the_interval_holds_the_lift_and_stays_within_bounds(treatment in users(), holdout in users()) {
        let [t, h]: [ClusterSums; 2] = [treatment.into_iter().collect(), holdout.into_iter().collect()];
        let lift = 100.0 * (t.rate().unwrap() - h.rate().unwrap());

        let interval = lift_interval(&t, &h).unwrap();

        prop_assert!(-100.0 <= interval.low && interval.low <= lift + 1e-9);
        prop_assert!(lift - 1e-9 <= interval.high && interval.high <= 100.0);
    }

    #[test]
    fn swapping_the_arms_mirrors_the_interval(treatment in users(), holdout in users()) {
        let [t, h]: [ClusterSums; 2] = [treatment.into_iter().collect(), holdout.into_iter().collect()];

        let [there, back] = [lift_interval(&t, &h).unwrap(), lift_interval(&h, &t).unwrap()];

        prop_assert!((there.low + back.high).abs() < 1e-9 && (there.high + back.low).abs() < 1e-9);
    }
}
