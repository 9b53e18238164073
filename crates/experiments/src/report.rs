//! What the results mean, in a sentence.

use crate::{Finding, Results, Severity};

/// What the interval allows one to say. It never allows one to say that there is no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval lies above 0.
    ClearLift,
    /// The whole interval lies below 0.
    ClearHarm,
    /// The interval holds 0, or there is none yet.
    NotEnoughEvidence,
}

impl Verdict {
    /// The verdict for programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClearLift => "clear_lift",
            Self::ClearHarm => "clear_harm",
            Self::NotEnoughEvidence => "not_enough_evidence",
        }
    }
}

impl Results {
    /// What the interval allows one to say.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.interval {
            Some(interval) if interval.low > 0.0 => Verdict::ClearLift,
            Some(interval) if interval.high < 0.0 => Verdict::ClearHarm,
            _ => Verdict::NotEnoughEvidence,
        }
    }

    /// The verdict as a sentence for people, with what speaks against relying on it.
    #[must_use]
    pub fn sentence(&self) -> String {
        let said = self.figures().map_or_else(
            || "Not enough evidence: an interval needs at least two evaluated users in each arm.".to_owned(),
            |figures| match self.verdict() {
                Verdict::ClearLift => format!("Clear lift: retrieval raises the success rate by {figures}."),
                Verdict::ClearHarm => format!("Clear harm: retrieval changes the success rate by {figures}."),
                Verdict::NotEnoughEvidence => format!(
                    "Not enough evidence: the measured lift is {figures}, so a lift and a harm are both still possible."
                ),
            },
        );
        match self.gravest() {
            Some(finding) => format!("{said} But do not rely on it: {}.", finding.message),
            None => said,
        }
    }

    fn figures(&self) -> Option<String> {
        let (lift, interval) = self.lift.zip(self.interval)?;
        Some(format!(
            "{lift:+.1} percentage points (95 % interval {:+.1} to {:+.1})",
            interval.low, interval.high
        ))
    }

    fn gravest(&self) -> Option<&Finding> {
        self.health.iter().find(|finding| finding.code.severity() == Severity::Critical)
    }
}

#[cfg(test)]
mod tests {
    use kernel::{ExperimentId, Timestamp};

    use super::*;
    use crate::{ArmSums, ClusterSums, Experiment, HoldoutPercentage, PerArm, ResultSums};

    fn results(
        treatment: &[(u32, u32)],
        holdout: &[(u32, u32)],
        contaminated_holdout_sessions: u64,
    ) -> Results {
        let arm = |users: &[(u32, u32)]| ArmSums {
            outcomes: users.iter().copied().collect::<ClusterSums>(),
            ..ArmSums::default()
        };
        let arms = PerArm { treatment: arm(treatment), holdout: arm(holdout) };
        let id = ExperimentId::new("exp").unwrap();
        let holdout = HoldoutPercentage::new(50.0).unwrap();
        let experiment = Experiment::started(id, holdout, Timestamp::from_seconds(0));
        Results::from_sums(
            experiment,
            &ResultSums { arms, contaminated_holdout_sessions, ..ResultSums::default() },
        )
    }

    #[test]
    fn an_interval_above_zero_is_a_clear_lift() {
        let found = results(&[(10, 9); 50], &[(10, 2); 50], 0);

        assert_eq!(found.verdict(), Verdict::ClearLift);
        assert!(found.sentence().starts_with("Clear lift: retrieval raises the success rate by +70.0"));
    }

    #[test]
    fn an_interval_below_zero_is_a_clear_harm() {
        let found = results(&[(10, 2); 50], &[(10, 9); 50], 0);

        assert_eq!(found.verdict(), Verdict::ClearHarm);
        assert!(found.sentence().starts_with("Clear harm: retrieval changes the success rate by -70.0"));
    }

    #[test]
    fn an_interval_that_holds_zero_is_never_called_no_effect() {
        let found = results(&[(10, 5); 50], &[(10, 5); 50], 0);

        assert_eq!(found.verdict(), Verdict::NotEnoughEvidence);
        assert!(found.sentence().contains("a lift and a harm are both still possible"));
        assert!(!found.sentence().to_lowercase().contains("no effect"));
    }

    #[test]
    fn without_an_interval_there_is_not_enough_evidence() {
        let found = results(&[(10, 5); 50], &[(10, 5)], 0);

        assert_eq!(found.verdict(), Verdict::NotEnoughEvidence);
        assert!(found.sentence().contains("at least two evaluated users in each arm"));
    }

    #[test]
    fn a_critical_finding_is_part_of_the_sentence() {
        let found = results(&[(10, 9); 50], &[(10, 2); 50], 3);

        assert!(found.sentence().contains("But do not rely on it: 3 sessions tagged holdout"));
    }
}
