//! The results of an experiment on the wire.

use experiments::{Arm, ArmMetrics, ClusterRobust, Finding, INTERVAL_METHOD, Interval, Results};
use serde::Serialize;
use utoipa::ToSchema;

use super::RetrievalExperimentRecord;

/// The figures of one arm. Rates are fractions from 0 to 1; null means not measured.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetrievalExperimentArmMetrics {
    /// `treatment` or `holdout`.
    pub arm: &'static str,
    /// Users with a published session of the arm.
    pub assigned_user_count: u64,
    /// Sessions published for the arm.
    pub published_session_count: u64,
    /// Users with an evaluated session of the arm.
    pub evaluated_user_count: u64,
    /// Evaluated sessions of the arm.
    pub evaluated_session_count: u64,
    /// The share of evaluated sessions that succeeded.
    pub success_rate: Option<f64>,
    /// Corrections per evaluated session.
    pub average_corrections: Option<f64>,
    /// User turns to resolution, over the evaluated sessions that were resolved.
    pub average_turns_to_resolution: Option<f64>,
    /// The share of evaluated sessions that were escalated.
    pub escalation_rate: Option<f64>,
    /// Output tokens per published session whose tokens were all counted.
    pub average_output_tokens: Option<f64>,
    /// Published sessions whose tokens were all counted.
    pub output_token_session_count: u64,
}

impl RetrievalExperimentArmMetrics {
    fn of(arm: Arm, metrics: &ArmMetrics) -> Self {
        Self {
            arm: arm.as_str(),
            assigned_user_count: metrics.assigned_users,
            published_session_count: metrics.published_sessions,
            evaluated_user_count: metrics.evaluated_users,
            evaluated_session_count: metrics.evaluated_sessions,
            success_rate: metrics.success_rate,
            average_corrections: metrics.average_corrections,
            average_turns_to_resolution: metrics.average_turns_to_resolution,
            escalation_rate: metrics.escalation_rate,
            average_output_tokens: metrics.average_output_tokens,
            output_token_session_count: metrics.output_token_sessions,
        }
    }
}

/// The textbook cluster-robust comparison, which covers too little at the sizes people run.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClusterRobustInterval {
    /// The standard error of the lift, in percentage points.
    pub standard_error_percentage_points: f64,
    /// Welch–Satterthwaite degrees of freedom over users.
    pub degrees_of_freedom: f64,
    /// The Welch t interval of the lift, in percentage points.
    pub interval_95_percentage_points: [f64; 2],
}

impl From<&ClusterRobust> for ClusterRobustInterval {
    fn from(robust: &ClusterRobust) -> Self {
        Self {
            standard_error_percentage_points: robust.standard_error,
            degrees_of_freedom: robust.degrees_of_freedom,
            interval_95_percentage_points: pair(robust.interval),
        }
    }
}

/// Something that a reader of the results has to know.
#[derive(Debug, Serialize, ToSchema)]
pub struct HealthFinding {
    /// `sample_ratio_mismatch`, `few_holdout_users`, `low_coverage`, `holdout_contamination` or `late_tags`.
    pub code: &'static str,
    /// `info`, `warning` or `critical`.
    pub severity: &'static str,
    /// A sentence for people.
    pub message: String,
    /// The figure that set it off: a p-value, users, a share or sessions.
    pub value: f64,
}

impl From<&Finding> for HealthFinding {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.as_str(),
            severity: finding.code.severity().as_str(),
            message: finding.message.clone(),
            value: finding.value,
        }
    }
}

/// The results of an experiment.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetrievalExperimentResultsResponse {
    /// The experiment that was measured.
    pub experiment: RetrievalExperimentRecord,
    /// The figures of the treatment arm.
    pub treatment: RetrievalExperimentArmMetrics,
    /// The figures of the holdout arm.
    pub holdout: RetrievalExperimentArmMetrics,
    /// The difference of the success rates, treatment less holdout.
    pub success_rate_lift_percentage_points: Option<f64>,
    /// That difference as a fraction of the holdout's rate; null when that rate is 0.
    pub relative_success_lift: Option<f64>,
    /// The 95 % interval of the lift, clustered by user; null with fewer than two evaluated users in an arm.
    pub confidence_interval_95_percentage_points: Option<[f64; 2]>,
    /// How the interval was made.
    pub interval_method: &'static str,
    /// The textbook interval, for comparison.
    pub cluster_robust: Option<ClusterRobustInterval>,
    /// The share of evaluated sessions that were published with the experiment's tag; null when none was evaluated.
    pub evaluated_session_coverage: Option<f64>,
    /// The evaluated sessions that were not.
    pub unattributed_evaluated_session_count: u64,
    /// What makes the figures less than trustworthy; empty when nothing does.
    pub health: Vec<HealthFinding>,
    /// `clear_lift`, `clear_harm` or `not_enough_evidence`.
    pub verdict: &'static str,
    /// What the results mean, as a sentence for people.
    pub decision: String,
}

impl From<&Results> for RetrievalExperimentResultsResponse {
    fn from(results: &Results) -> Self {
        Self {
            experiment: (&results.experiment).into(),
            treatment: RetrievalExperimentArmMetrics::of(Arm::Treatment, &results.arms.treatment),
            holdout: RetrievalExperimentArmMetrics::of(Arm::Holdout, &results.arms.holdout),
            success_rate_lift_percentage_points: results.lift,
            relative_success_lift: results.relative_lift,
            confidence_interval_95_percentage_points: results.interval.map(pair),
            interval_method: INTERVAL_METHOD,
            cluster_robust: results.cluster_robust.as_ref().map(Into::into),
            evaluated_session_coverage: results.coverage,
            unattributed_evaluated_session_count: results.unattributed_sessions,
            health: results.health.iter().map(Into::into).collect(),
            verdict: results.verdict().as_str(),
            decision: results.sentence(),
        }
    }
}

const fn pair(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

#[cfg(test)]
mod tests {
    use experiments::{ArmSums, ClusterSums, Experiment, HoldoutPercentage, PerArm, ResultSums};
    use kernel::{ExperimentId, Timestamp};
    use serde_json::{Value, json};

    use super::*;

    fn told(treatment: &[(u32, u32)], holdout: &[(u32, u32)]) -> Value {
        let id = ExperimentId::new("exp").unwrap();
        let started = Timestamp::from_seconds(100);
        let experiment = Experiment::started(id, HoldoutPercentage::new(10.0).unwrap(), started);
        let arm = |users: &[(u32, u32)]| ArmSums {
            outcomes: users.iter().copied().collect::<ClusterSums>(),
            ..ArmSums::default()
        };
        let arms = PerArm { treatment: arm(treatment), holdout: arm(holdout) };
        let evaluated_sessions = arms.treatment.outcomes.sessions + arms.holdout.outcomes.sessions;
        let sums = ResultSums { arms, evaluated_sessions, ..ResultSums::default() };
        let results = Results::from_sums(experiment, &sums);
        serde_json::to_value(RetrievalExperimentResultsResponse::from(&results)).unwrap()
    }

    #[test]
    fn what_was_not_measured_is_there_and_null() {
        let told = told(&[], &[]);

        for field in [
            "success_rate_lift_percentage_points",
            "relative_success_lift",
            "confidence_interval_95_percentage_points",
            "cluster_robust",
            "evaluated_session_coverage",
        ] {
            assert_eq!(told.get(field), Some(&Value::Null), "{field}");
        }
        for field in [
            "success_rate",
            "average_corrections",
            "average_turns_to_resolution",
            "escalation_rate",
            "average_output_tokens",
        ] {
            assert_eq!(told["holdout"].get(field), Some(&Value::Null), "{field}");
        }
        assert_eq!(told["experiment"].get("ended_at"), Some(&Value::Null));
    }

    #[test]
    fn the_worked_example_is_told_as_it_was_worked() {
        // Example A of the contract.
        let told = told(&[(3, 2), (1, 1), (2, 1), (4, 4), (1, 0)], &[(2, 0), (3, 2), (1, 0), (2, 2)]);

        let interval = told["confidence_interval_95_percentage_points"].as_array().unwrap();
        let ends: Vec<f64> = interval.iter().map(|end| end.as_f64().unwrap()).collect();
        assert!((ends[0] + 32.345_809_375_628_28).abs() < 1e-9, "{ends:?}");
        assert!((ends[1] - 65.070_855_815_775_33).abs() < 1e-9, "{ends:?}");
        assert_eq!(told["interval_method"], json!("mover_wilson_clustered"));
        assert_eq!(told["treatment"]["arm"], json!("treatment"));
        assert_eq!(told["evaluated_session_coverage"], json!(1.0));
        assert_eq!(told["verdict"], json!("not_enough_evidence"));
        assert_eq!(told["health"][0]["code"], json!("few_holdout_users"));
        assert_eq!(told["health"][0]["value"], json!(4.0));
    }
}
