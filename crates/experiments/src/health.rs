//! What makes an experiment's figures less than trustworthy.

use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;

use crate::sums::real;
use crate::{HoldoutPercentage, PerArm, ResultSums};

/// A split of the users this unlikely was not drawn by the assignment.
const MISMATCH_BELOW: f64 = 0.001;
/// Fewer evaluated holdout users than this leave the interval wide and rough.
const FEW_HOLDOUT_USERS: u64 = 20;
/// Below this share of attributed sessions, what is missing may decide.
const LOW_COVERAGE: f64 = 0.8;
/// Where the rarer arm expects fewer users, χ² is too rough: it raises several times as many false alarms as it promises
/// (2 of 10 users in a 1 % holdout happen four times in a thousand). The exact binomial probability takes its place
/// there; from here on χ² raises at most two in a thousand.
const ROUGH_BELOW: f64 = 20.0;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; the figures stand.
    Info,
    /// Read the figures with care.
    Warning,
    /// Do not rely on the figures.
    Critical,
}

impl Severity {
    /// The severity's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// The kinds of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthCode {
    /// The exposed users are split in a way the assignment would hardly ever draw.
    SampleRatioMismatch,
    /// Few holdout users have been evaluated.
    FewHoldoutUsers,
    /// Many evaluated sessions were published without the experiment's tag.
    LowCoverage,
    /// Sessions tagged holdout declare retrieved learnings or citations.
    HoldoutContamination,
    /// Sessions were tagged with the experiment after its end.
    LateTags,
}

impl HealthCode {
    /// The code for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SampleRatioMismatch => "sample_ratio_mismatch",
            Self::FewHoldoutUsers => "few_holdout_users",
            Self::LowCoverage => "low_coverage",
            Self::HoldoutContamination => "holdout_contamination",
            Self::LateTags => "late_tags",
        }
    }

    /// How much such a finding weighs.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::SampleRatioMismatch | Self::HoldoutContamination => Severity::Critical,
            Self::FewHoldoutUsers | Self::LowCoverage => Severity::Warning,
            Self::LateTags => Severity::Info,
        }
    }
}

/// Something a reader of the results has to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What kind of finding it is.
    pub code: HealthCode,
    /// A sentence for people.
    pub message: String,
    /// The figure that set it off: a p-value, users, a share or sessions.
    pub value: f64,
}

/// Examines an experiment's sums; clean data of enough users is left alone, but for a mismatch once or twice in a thousand.
#[must_use]
pub fn examine(holdout: HoldoutPercentage, sums: &ResultSums) -> Vec<Finding> {
    [
        sample_ratio_mismatch(holdout, sums.exposed_users),
        few_holdout_users(sums),
        low_coverage(sums),
        holdout_contamination(sums),
        late_tags(sums),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn sample_ratio_mismatch(holdout: HoldoutPercentage, exposed: PerArm<u64>) -> Option<Finding> {
    let value = split_probability(holdout.fraction(), exposed)?;
    let message = format!(
        "{} treatment and {} holdout users were exposed, which a {} % holdout would hardly ever draw; find out \
         which searches bypass the experiment before relying on the lift",
        exposed.treatment,
        exposed.holdout,
        holdout.percent()
    );
    (value < MISMATCH_BELOW).then_some(Finding { code: HealthCode::SampleRatioMismatch, message, value })
}

/// How likely the assignment is to split the users at least this unevenly; `None` when nobody was exposed.
fn split_probability(share: f64, exposed: PerArm<u64>) -> Option<f64> {
    let users = real(exposed.treatment) + real(exposed.holdout);
    if users <= 0.0 {
        return None;
    }
    let [expected, held_out] = [users * share, real(exposed.holdout)];
    if expected.min(users - expected) < ROUGH_BELOW {
        return Some(binomial_probability(share, exposed));
    }
    let chi_squared = (held_out - expected).powi(2) / (expected * (1.0 - share));
    Some(erfc((chi_squared / 2.0).sqrt()))
}

/// The two-sided exact binomial probability: twice the smaller tail.
fn binomial_probability(share: f64, exposed: PerArm<u64>) -> f64 {
    let [t, h] = [real(exposed.treatment), real(exposed.holdout)];
    let at_least = if h > 0.0 { beta_reg(h, t + 1.0, share) } else { 1.0 };
    let at_most = if t > 0.0 { beta_reg(t, h + 1.0, 1.0 - share) } else { 1.0 };
    (2.0 * at_least.min(at_most)).min(1.0)
}

fn few_holdout_users(sums: &ResultSums) -> Option<Finding> {
    let users = sums.arms.holdout.outcomes.users;
    (users < FEW_HOLDOUT_USERS).then(|| Finding {
        code: HealthCode::FewHoldoutUsers,
        message: format!(
            "{users} holdout users have an evaluated session; with fewer than {FEW_HOLDOUT_USERS} the interval is \
             wide and rough"
        ),
        value: real(users),
    })
}

fn low_coverage(sums: &ResultSums) -> Option<Finding> {
    let attributed = sums.arms.treatment.outcomes.sessions + sums.arms.holdout.outcomes.sessions;
    let coverage = crate::sums::ratio(attributed, sums.evaluated_sessions)?;
    (coverage < LOW_COVERAGE).then(|| Finding {
        code: HealthCode::LowCoverage,
        message: format!(
            "{attributed} of {} evaluated sessions were published with the experiment's tag; the others may differ",
            sums.evaluated_sessions
        ),
        value: coverage,
    })
}

fn holdout_contamination(sums: &ResultSums) -> Option<Finding> {
    let sessions = sums.contaminated_holdout_sessions;
    (sessions > 0).then(|| Finding {
        code: HealthCode::HoldoutContamination,
        message: format!(
            "{sessions} sessions tagged holdout declare retrieved learnings or citations: the holdout got what it \
             must not get, and the lift is understated"
        ),
        value: real(sessions),
    })
}

fn late_tags(sums: &ResultSums) -> Option<Finding> {
    let sessions = sums.late_sessions;
    (sessions > 0).then(|| Finding {
        code: HealthCode::LateTags,
        message: format!("{sessions} sessions were tagged with the experiment after its end"),
        value: real(sessions),
    })
}

#[cfg(test)]
mod tests;
