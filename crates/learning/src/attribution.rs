//! Which experiment, and which side of it, a request or a search belongs to.

use kernel::ExperimentId;

/// A side of a retrieval experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arm {
    /// Searches retrieve.
    Treatment,
    /// Searches find nothing.
    Holdout,
}

/// An experiment without an arm, or an arm without an experiment, attributes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("retrieval_experiment_id and retrieval_experiment_arm go together: give both or neither")]
pub struct HalfAttribution;

/// The arm of an experiment that a user was in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attribution {
    /// The experiment.
    pub experiment: ExperimentId,
    /// The user's side of it.
    pub arm: Arm,
}

impl Attribution {
    /// The attribution that a caller stated, if any.
    ///
    /// # Errors
    /// When one half is missing.
    pub fn of_pair(
        experiment: Option<ExperimentId>,
        arm: Option<Arm>,
    ) -> Result<Option<Self>, HalfAttribution> {
        match (experiment, arm) {
            (Some(experiment), Some(arm)) => Ok(Some(Self { experiment, arm })),
            (None, None) => Ok(None),
            _ => Err(HalfAttribution),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_and_an_arm_come_together_or_not_at_all() {
        let experiment = ExperimentId::new("exp").unwrap();

        assert_eq!(Attribution::of_pair(None, None), Ok(None));
        assert_eq!(Attribution::of_pair(Some(experiment.clone()), None), Err(HalfAttribution));
        assert_eq!(Attribution::of_pair(None, Some(Arm::Holdout)), Err(HalfAttribution));
        assert_eq!(
            Attribution::of_pair(Some(experiment.clone()), Some(Arm::Holdout)),
            Ok(Some(Attribution { experiment, arm: Arm::Holdout }))
        );
    }
}
