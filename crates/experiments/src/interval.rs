//! How sure one can be of a lift: a Wilson interval per arm on the effective sample size, combined, clustered by user.

use crate::student;
use crate::sums::{ClusterSums, real};

/// The name of the headline method.
pub const INTERVAL_METHOD: &str = "mover_wilson_clustered";

/// The intraclass correlation to go on with when no user varies, so that the data cannot tell.
const UNKNOWN_CORRELATION: f64 = 0.05;

/// The upper tail that a two-sided 95 % interval leaves starts here.
const UPPER: f64 = 0.975;

/// An interval; the unit is that of the figure it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// The interval in percentage points of one in fractions.
    fn in_percentage_points(low: f64, high: f64) -> Self {
        Self { low: (100.0 * low).max(-100.0), high: (100.0 * high).min(100.0) }
    }
}

/// The textbook cluster-robust comparison, for those who want it. It covers too little at the sizes people run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterRobust {
    /// The standard error of the lift, in percentage points.
    pub standard_error: f64,
    /// Welch–Satterthwaite degrees of freedom over users; those of both arms together when the error is 0.
    pub degrees_of_freedom: f64,
    /// The Welch t interval of the lift, in percentage points.
    pub interval: Interval,
}

/// The 95 % interval of the lift in percentage points; `None` when an arm has fewer than two users.
#[must_use]
pub fn lift_interval(treatment: &ClusterSums, holdout: &ClusterSums) -> Option<Interval> {
    let critical = student::quantile(UPPER, pooled_freedom(treatment, holdout)?);
    let correlation = intraclass_correlation(&[treatment, holdout]);
    let [m_t, m_h] = [treatment.rate()?, holdout.rate()?];
    let t = wilson(m_t, effective_sessions(treatment, correlation)?, critical);
    let h = wilson(m_h, effective_sessions(holdout, correlation)?, critical);
    let lift = m_t - m_h;
    Some(Interval::in_percentage_points(
        lift - (m_t - t.low).hypot(h.high - m_h),
        lift + (t.high - m_t).hypot(m_h - h.low),
    ))
}

/// The textbook interval of the lift; `None` when an arm has fewer than two users.
#[must_use]
pub fn cluster_robust(treatment: &ClusterSums, holdout: &ClusterSums) -> Option<ClusterRobust> {
    let [v_t, v_h] = [treatment.robust_variance()?, holdout.robust_variance()?];
    let lift = treatment.rate()? - holdout.rate()?;
    let standard_error = (v_t + v_h).sqrt();
    let degrees_of_freedom = if standard_error > 0.0 {
        // By shares of the variance: squaring small variances would underflow.
        let [s_t, s_h] = [v_t / (v_t + v_h), v_h / (v_t + v_h)];
        1.0 / (s_t * s_t / (real(treatment.users) - 1.0) + s_h * s_h / (real(holdout.users) - 1.0))
    } else {
        pooled_freedom(treatment, holdout)?
    };
    let reach = student::quantile(UPPER, degrees_of_freedom) * standard_error;
    Some(ClusterRobust {
        standard_error: 100.0 * standard_error,
        degrees_of_freedom,
        interval: Interval::in_percentage_points(lift - reach, lift + reach),
    })
}

/// How alike the sessions of one user are: the ANOVA intraclass correlation, pooled over the arms.
#[must_use]
pub fn intraclass_correlation(arms: &[&ClusterSums]) -> f64 {
    let over = |figure: &dyn Fn(&ClusterSums) -> f64| arms.iter().map(|arm| figure(arm)).sum::<f64>();
    let between_freedom = over(&|arm| real(arm.users.saturating_sub(1)));
    if between_freedom <= 0.0 {
        return UNKNOWN_CORRELATION;
    }
    let within_freedom = over(&|arm| real(arm.sessions.saturating_sub(arm.users))).max(1.0);
    let between = over(&ClusterSums::between_users) / between_freedom;
    let within = over(&ClusterSums::within_users) / within_freedom;
    let size = over(&|arm| real(arm.sessions) - arm.sessions_per_session_owner().unwrap_or_default());
    let denominator = between + (size / between_freedom - 1.0) * within;
    if denominator > 0.0 { ((between - within) / denominator).max(0.0) } else { UNKNOWN_CORRELATION }
}

/// How many independent sessions the arm's sessions are worth; `None` when the arm has fewer than two users.
#[must_use]
pub fn effective_sessions(arm: &ClusterSums, correlation: f64) -> Option<f64> {
    let variance = arm.robust_variance()?;
    let [rate, sessions] = [arm.rate()?, real(arm.sessions)];
    let by_correlation = sessions / (1.0 + correlation * (arm.sessions_per_session_owner()? - 1.0));
    let by_variance = if variance > 0.0 { rate * (1.0 - rate) / variance } else { sessions };
    Some(by_correlation.min(by_variance).min(sessions))
}

/// Degrees of freedom of both arms together; `None` when an arm has fewer than two users.
fn pooled_freedom(treatment: &ClusterSums, holdout: &ClusterSums) -> Option<f64> {
    (treatment.users >= 2 && holdout.users >= 2).then(|| real(treatment.users) + real(holdout.users) - 2.0)
}

/// The Wilson interval of a rate over this many sessions, which need not be whole.
fn wilson(rate: f64, sessions: f64, critical: f64) -> Interval {
    let squared = critical * critical / sessions;
    let middle = (rate + squared / 2.0) / (1.0 + squared);
    let reach = (squared * (rate * (1.0 - rate) + squared / 4.0)).sqrt() / (1.0 + squared);
    // At 0 and 1 the ends meet the rate; rounding must not part them.
    Interval { low: (middle - reach).clamp(0.0, rate), high: (middle + reach).clamp(rate, 1.0) }
}

#[cfg(test)]
mod tests;
