//! What an organization's configuration says about judging.

use kernel::OrgId;

use super::judge::{Instructions, JudgeKind};
use super::sampling::SamplingRate;
use super::session::SessionPurpose;
use crate::{SessionKey, ShadowMode, ShadowSetup};

/// An organization's settings, with what it inherits filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingSetup {
    /// The share of sessions that is graded.
    pub sampling: SamplingRate,
    /// The same for sessions that are evaluated only; `None` inherits.
    pub evaluation_only_sampling: Option<SamplingRate>,
    /// The share of sessions whose retrieved learnings are judged; `None` inherits.
    pub learning_sampling: Option<SamplingRate>,
    /// How many sessions of a day and source a replay judges.
    pub per_stratum: usize,
    /// How many judge calls may be in flight.
    pub concurrency_limit: u32,
    /// Shadow comparisons.
    pub shadow: ShadowSetup,
    /// What the judge shall know.
    pub instructions: Instructions,
}

/// What of a session is to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The session and what was retrieved for it.
    Everything,
    /// The session alone.
    Session,
    /// What was retrieved for it alone.
    Learnings,
}

impl JudgingSetup {
    /// What of a due session is to be judged, if anything: each part has its own share.
    pub(crate) fn sampled(
        &self,
        org: &OrgId,
        session: &SessionKey,
        purpose: SessionPurpose,
    ) -> Option<Scope> {
        let rate = match purpose {
            SessionPurpose::Learning => self.sampling,
            SessionPurpose::EvaluationOnly => self.evaluation_only_sampling.unwrap_or(self.sampling),
        };
        let graded = rate.includes(org, session);
        let learnings = self.learning_sampling.unwrap_or(rate).includes(org, session);
        match (graded, learnings) {
            (true, true) => Some(Scope::Everything),
            (true, false) => Some(Scope::Session),
            (false, true) => Some(Scope::Learnings),
            (false, false) => None,
        }
    }

    /// Whether pairs are compared: always by a model, by the heuristic only where shadow mode asks for it.
    pub(crate) fn compares_shadows(&self, judge: JudgeKind) -> bool {
        judge != JudgeKind::Heuristic || self.shadow.mode == ShadowMode::On
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judging::testing::setup;
    use crate::samples::{org, session};

    fn rate(rate: f64) -> SamplingRate {
        SamplingRate::new(rate).unwrap()
    }

    fn sampled(setup: &JudgingSetup, purpose: SessionPurpose) -> Option<Scope> {
        setup.sampled(&org(), &session("ada", "s1"), purpose)
    }

    #[test]
    fn a_rate_that_is_not_stated_inherits() {
        let all = setup();
        let none = JudgingSetup { sampling: rate(0.0), ..setup() };

        assert_eq!(sampled(&all, SessionPurpose::Learning), Some(Scope::Everything));
        assert_eq!(sampled(&all, SessionPurpose::EvaluationOnly), Some(Scope::Everything));
        assert_eq!(sampled(&none, SessionPurpose::EvaluationOnly), None);
    }

    #[test]
    fn sessions_for_evaluation_only_have_their_own_rate() {
        let only = JudgingSetup { evaluation_only_sampling: Some(rate(0.0)), ..setup() };

        assert_eq!(sampled(&only, SessionPurpose::EvaluationOnly), None);
        assert_eq!(sampled(&only, SessionPurpose::Learning), Some(Scope::Everything));
    }

    #[test]
    fn retrieved_learnings_have_their_own_rate() {
        let without = JudgingSetup { learning_sampling: Some(rate(0.0)), ..setup() };
        let alone = JudgingSetup { sampling: rate(0.0), learning_sampling: Some(rate(1.0)), ..setup() };

        assert_eq!(sampled(&without, SessionPurpose::Learning), Some(Scope::Session));
        assert_eq!(sampled(&alone, SessionPurpose::Learning), Some(Scope::Learnings));
    }

    #[test]
    fn the_heuristic_compares_only_in_shadow_mode() {
        let on = JudgingSetup { shadow: ShadowSetup { mode: ShadowMode::On, ..setup().shadow }, ..setup() };

        assert!(setup().compares_shadows(JudgeKind::Model));
        assert!(!setup().compares_shadows(JudgeKind::Heuristic));
        assert!(on.compares_shadows(JudgeKind::Heuristic));
    }
}
