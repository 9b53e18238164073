//! Sums in, figures out.

use kernel::{MockClock, StoreError, Timestamp};

use super::*;
use crate::ports::{MockExperimentReader, MockResultsReader};
use crate::{ClusterSums, HoldoutPercentage, Tally};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn experiment() -> Experiment {
    let id = ExperimentId::new("exp").unwrap();
    Experiment::started(id, HoldoutPercentage::new(40.0).unwrap(), at(100))
}

/// Worked example A, with round figures for what it does not state.
fn example_a() -> ResultSums {
    let treatment = ArmSums {
        assigned_users: 6,
        published_sessions: 14,
        outcomes: [(3, 2), (1, 1), (2, 1), (4, 4), (1, 0)].into_iter().collect(),
        corrections: 22,
        turns: Tally { total: 20, sessions: 8 },
        escalated: 1,
        output_tokens: Tally { total: 1300, sessions: 13 },
    };
    let holdout = ArmSums {
        assigned_users: 4,
        published_sessions: 9,
        outcomes: [(2, 0), (3, 2), (1, 0), (2, 2)].into_iter().collect(),
        corrections: 24,
        escalated: 2,
        ..ArmSums::default()
    };
    ResultSums { arms: PerArm { treatment, holdout }, evaluated_sessions: 20, ..ResultSums::default() }
}

#[track_caller]
fn assert_near(found: Option<f64>, expected: f64) {
    assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} is not {expected}");
}

#[test]
fn the_lift_of_example_a_holds() {
    let results = Results::from_sums(experiment(), &example_a());

    assert_near(results.lift, 22.727_272_727_272_727);
    assert_near(results.relative_lift, 0.454_545_454_545_454_6);
    assert_near(results.interval.map(|interval| interval.low), -32.345_809_375_628_28);
    assert_near(results.cluster_robust.map(|textbook| textbook.standard_error), 27.034_421_962_714_36);
}

#[test]
fn rates_are_weighted_by_session() {
    let arms = Results::from_sums(experiment(), &example_a()).arms;

    assert_near(arms.treatment.success_rate, 8.0 / 11.0);
    assert_near(arms.holdout.success_rate, 0.5);
    assert_near(arms.treatment.average_corrections, 2.0);
    assert_near(arms.holdout.average_corrections, 3.0);
    assert_near(arms.treatment.escalation_rate, 1.0 / 11.0);
    assert_near(arms.holdout.escalation_rate, 0.25);
}

#[test]
fn turns_and_tokens_are_averaged_over_the_sessions_that_have_them() {
    let arms = Results::from_sums(experiment(), &example_a()).arms;

    assert_near(arms.treatment.average_turns_to_resolution, 2.5);
    assert_near(arms.treatment.average_output_tokens, 100.0);
    assert_eq!(arms.treatment.output_token_sessions, 13);
    assert_eq!(arms.holdout.average_turns_to_resolution, None);
    assert_eq!(arms.holdout.average_output_tokens, None);
}

#[test]
fn counts_are_passed_on() {
    let ArmMetrics { assigned_users, published_sessions, evaluated_users, evaluated_sessions, .. } =
        Results::from_sums(experiment(), &example_a()).arms.treatment;

    assert_eq!([assigned_users, published_sessions, evaluated_users, evaluated_sessions], [6, 14, 5, 11]);
}

#[test]
fn coverage_is_the_attributed_share_and_the_rest_is_counted() {
    let results = Results::from_sums(experiment(), &example_a());

    assert_near(results.coverage, 0.95);
    assert_eq!(results.unattributed_sessions, 1);
}

#[test]
fn an_experiment_without_sessions_has_measured_nothing() {
    let results = Results::from_sums(experiment(), &ResultSums::default());

    assert_eq!(results.arms.treatment.success_rate, None);
    assert_eq!((results.lift, results.relative_lift, results.coverage), (None, None, None));
    assert_eq!((results.interval, results.cluster_robust), (None, None));
    assert_eq!(results.unattributed_sessions, 0);
}

#[test]
fn a_holdout_that_never_succeeds_has_a_lift_but_no_relative_one() {
    let mut sums = example_a();
    sums.arms.holdout.outcomes = [(2, 0), (1, 0)].into_iter().collect::<ClusterSums>();

    let results = Results::from_sums(experiment(), &sums);

    assert_near(results.lift, 800.0 / 11.0);
    assert_eq!(results.relative_lift, None);
}

fn read(found: Option<Experiment>, until: Timestamp) -> Result<Results, ExperimentError> {
    let mut experiments = MockExperimentReader::new();
    experiments.expect_find().return_const(Ok(found));
    let mut sums = MockResultsReader::new();
    sums.expect_sums().withf(move |_, _, asked| *asked == until).return_const(Ok(example_a()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(at(500));
    ReadResults::new(Arc::new(experiments), Arc::new(sums), Arc::new(clock)).read(&org(), &experiment().id)
}

#[test]
fn a_running_experiment_is_measured_until_now() {
    assert_eq!(read(Some(experiment()), at(500)), Ok(Results::from_sums(experiment(), &example_a())));
}

#[test]
fn an_ended_experiment_is_measured_until_its_end() {
    let ended = Experiment { ended_at: Some(at(200)), ..experiment() };

    assert!(read(Some(ended), at(200)).is_ok());
}

#[test]
fn an_unknown_experiment_has_no_results() {
    assert_eq!(read(None, at(500)), Err(ExperimentError::NotFound));
}

#[test]
fn a_store_that_fails_is_the_readers_error() {
    let failed = StoreError::Failed("x".to_owned());
    let mut experiments = MockExperimentReader::new();
    experiments.expect_find().return_const(Ok(Some(experiment())));
    let mut sums = MockResultsReader::new();
    sums.expect_sums().return_const(Err(failed.clone()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(at(500));

    let read = ReadResults::new(Arc::new(experiments), Arc::new(sums), Arc::new(clock))
        .read(&org(), &experiment().id);

    assert_eq!(read, Err(ExperimentError::Store(failed)));
}
