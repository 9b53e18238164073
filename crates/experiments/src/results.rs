//! What an experiment has measured: counts and sums in, rates, lift and their uncertainty out.

use std::sync::Arc;

use kernel::{Clock, ExperimentId, OrgId};

use crate::sums::{ratio, real};
use crate::{
    ArmSums, ClusterRobust, Experiment, ExperimentError, ExperimentReader, Finding, Interval, PerArm,
    ResultSums, ResultsReader, health, interval,
};

/// The figures of one arm. Rates are fractions of the arm's evaluated sessions; `None` means not measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmMetrics {
    /// Users with a published session of the arm.
    pub assigned_users: u64,
    /// Sessions published for the arm.
    pub published_sessions: u64,
    /// Users with an evaluated session of the arm.
    pub evaluated_users: u64,
    /// Evaluated sessions of the arm.
    pub evaluated_sessions: u64,
    /// The share of evaluated sessions that succeeded.
    pub success_rate: Option<f64>,
    /// Corrections per evaluated session.
    pub average_corrections: Option<f64>,
    /// User turns to resolution per evaluated session that was resolved.
    pub average_turns_to_resolution: Option<f64>,
    /// The share of evaluated sessions that were escalated.
    pub escalation_rate: Option<f64>,
    /// Output tokens per published session whose tokens were all counted.
    pub average_output_tokens: Option<f64>,
    /// Published sessions whose tokens were all counted.
    pub output_token_sessions: u64,
}

impl ArmMetrics {
    /// The figures that follow from an arm's sums.
    #[must_use]
    pub fn from_sums(sums: &ArmSums) -> Self {
        let evaluated_sessions = sums.outcomes.sessions;
        Self {
            assigned_users: sums.assigned_users,
            published_sessions: sums.published_sessions,
            evaluated_users: sums.outcomes.users,
            evaluated_sessions,
            success_rate: sums.outcomes.rate(),
            average_corrections: ratio(sums.corrections, evaluated_sessions),
            average_turns_to_resolution: ratio(sums.turns.total, sums.turns.sessions),
            escalation_rate: ratio(sums.escalated, evaluated_sessions),
            average_output_tokens: ratio(sums.output_tokens.total, sums.output_tokens.sessions),
            output_token_sessions: sums.output_tokens.sessions,
        }
    }
}

/// The results of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// The experiment that was measured.
    pub experiment: Experiment,
    /// The figures of each arm.
    pub arms: PerArm<ArmMetrics>,
    /// The difference of the success rates, treatment less holdout, in percentage points.
    pub lift: Option<f64>,
    /// That difference as a fraction of the holdout's rate; `None` too when that rate is 0.
    pub relative_lift: Option<f64>,
    /// The 95 % interval of the lift, in percentage points, by [`crate::INTERVAL_METHOD`].
    pub interval: Option<Interval>,
    /// The textbook interval, for comparison.
    pub cluster_robust: Option<ClusterRobust>,
    /// The share of evaluated sessions that were published with the experiment's tag; `None` when none was evaluated.
    pub coverage: Option<f64>,
    /// The evaluated sessions that were not.
    pub unattributed_sessions: u64,
    /// What makes the figures less than trustworthy.
    pub health: Vec<Finding>,
}

impl Results {
    /// The results that follow from an experiment's sums.
    #[must_use]
    pub fn from_sums(experiment: Experiment, sums: &ResultSums) -> Self {
        let [t, h] = [&sums.arms.treatment.outcomes, &sums.arms.holdout.outcomes];
        let lift = t.rate().zip(h.rate()).map(|(m_t, m_h)| m_t - m_h);
        let relative_lift = lift.zip(h.rate()).filter(|(_, m_h)| *m_h > 0.0).map(|(lift, m_h)| lift / m_h);
        let attributed = t.sessions + h.sessions;
        Self {
            arms: PerArm {
                treatment: ArmMetrics::from_sums(&sums.arms.treatment),
                holdout: ArmMetrics::from_sums(&sums.arms.holdout),
            },
            lift: lift.map(|lift| 100.0 * lift),
            relative_lift,
            interval: interval::lift_interval(t, h),
            cluster_robust: interval::cluster_robust(t, h),
            coverage: (sums.evaluated_sessions > 0).then(|| real(attributed) / real(sums.evaluated_sessions)),
            unattributed_sessions: sums.evaluated_sessions.saturating_sub(attributed),
            health: health::examine(experiment.holdout, sums),
            experiment,
        }
    }
}

/// Reads the results of an experiment, running or ended.
#[derive(Clone)]
pub struct ReadResults {
    experiments: Arc<dyn ExperimentReader>,
    sums: Arc<dyn ResultsReader>,
    clock: Arc<dyn Clock>,
}

impl ReadResults {
    /// Reads results from these readers, by this clock.
    #[must_use]
    pub fn new(
        experiments: Arc<dyn ExperimentReader>,
        sums: Arc<dyn ResultsReader>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { experiments, sums, clock }
    }

    /// What the experiment has measured from its start to its end, or until now while it runs.
    ///
    /// # Errors
    /// When there is no such experiment, or the store failed.
    pub fn read(&self, org: &OrgId, id: &ExperimentId) -> Result<Results, ExperimentError> {
        let now = self.clock.now();
        let experiment = self.experiments.find(org, id)?.ok_or(ExperimentError::NotFound)?;
        let sums = self.sums.sums(org, &experiment, experiment.measures_until(now))?;
        Ok(Results::from_sums(experiment, &sums))
    }
}

#[cfg(test)]
mod tests;
