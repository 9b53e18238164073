//! An experiment and the share of users it holds out.

use kernel::{ExperimentId, Timestamp};

/// A holdout of nobody or of everybody measures nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be greater than 0 and less than 100")]
pub struct HoldoutOutOfRange;

/// The share of users held out, strictly between 0 and 100 percent.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct HoldoutPercentage(f64);

impl HoldoutPercentage {
    /// Checks the share.
    ///
    /// # Errors
    /// When it is not strictly between 0 and 100.
    pub fn new(percentage: f64) -> Result<Self, HoldoutOutOfRange> {
        if percentage > 0.0 && percentage < 100.0 { Ok(Self(percentage)) } else { Err(HoldoutOutOfRange) }
    }

    /// The share in percent.
    #[must_use]
    pub const fn percent(self) -> f64 {
        self.0
    }

    /// The share as a fraction of one.
    #[must_use]
    pub fn fraction(self) -> f64 {
        self.0 / 100.0
    }
}

/// A retrieval experiment. Its id and holdout never change; only its end is written, once.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its name, never used twice in an organization.
    pub id: ExperimentId,
    /// The share of users held out.
    pub holdout: HoldoutPercentage,
    /// When it began to assign users.
    pub started_at: Timestamp,
    /// When it ceased to assign users; `None` while it is active.
    pub ended_at: Option<Timestamp>,
}

impl Experiment {
    /// A new, active experiment.
    #[must_use]
    pub const fn started(id: ExperimentId, holdout: HoldoutPercentage, started_at: Timestamp) -> Self {
        Self { id, holdout, started_at, ended_at: None }
    }

    /// Whether it still assigns users.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.ended_at.is_none()
    }

    /// The end to record when it is stopped now: never before its start, even if the clock stepped back.
    #[must_use]
    pub fn end_at(&self, now: Timestamp) -> Timestamp {
        now.max(self.started_at)
    }

    /// The last second it measures: its end, or now while it is active.
    #[must_use]
    pub fn measures_until(&self, now: Timestamp) -> Timestamp {
        self.ended_at.unwrap_or(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holdout_lies_strictly_between_nobody_and_everybody() {
        for refused in [0.0, 100.0, -1.0, 100.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
            assert_eq!(HoldoutPercentage::new(refused), Err(HoldoutOutOfRange), "{refused}");
        }
        for accepted in [f64::MIN_POSITIVE, 0.01, 10.0, 99.999] {
            assert!(HoldoutPercentage::new(accepted).is_ok(), "{accepted}");
        }
    }

    #[test]
    fn an_experiment_never_ends_before_it_started() {
        let id = ExperimentId::new("e").unwrap();
        let holdout = HoldoutPercentage::new(10.0).unwrap();
        let experiment = Experiment::started(id, holdout, Timestamp::from_seconds(100));

        assert_eq!(experiment.end_at(Timestamp::from_seconds(90)), Timestamp::from_seconds(100));
        assert_eq!(experiment.end_at(Timestamp::from_seconds(110)), Timestamp::from_seconds(110));
    }
}
