//! The gate before a search, and the check behind a publish.

use std::sync::Arc;

use kernel::{ExperimentId, OrgId, SessionId, Timestamp, UserId};

use crate::{ActiveExperiment, Arm, ExperimentError, ExperimentReader, Exposure, ExposureLedger};

/// How a search may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// No experiment is running: search as ever.
    NoExperiment,
    /// The user is treated: search as ever, and say so.
    Treatment {
        /// The experiment that is running.
        experiment: ExperimentId,
    },
    /// The user is held out: retrieve nothing, and say so.
    Holdout {
        /// The experiment that is running.
        experiment: ExperimentId,
    },
}

/// Decides whether an agent's search may retrieve anything.
#[derive(Clone)]
pub struct SearchGate {
    active: Arc<dyn ActiveExperiment>,
    ledger: Arc<dyn ExposureLedger>,
}

impl SearchGate {
    /// A gate for the experiment known there, that records exposures here.
    #[must_use]
    pub fn new(active: Arc<dyn ActiveExperiment>, ledger: Arc<dyn ExposureLedger>) -> Self {
        Self { active, ledger }
    }

    /// Admits an agent's search, and records that its user has met the running experiment.
    ///
    /// # Errors
    /// When an experiment is running and the search names no user, or the store failed.
    pub fn admit(
        &self,
        org: &OrgId,
        user: Option<&UserId>,
        session: Option<&SessionId>,
        now: Timestamp,
    ) -> Result<Admission, ExperimentError> {
        let Some(running) = self.active.active(org)? else {
            return Ok(Admission::NoExperiment);
        };
        let user = user.ok_or(ExperimentError::UserRequired)?;
        let arm = running.arm_of(org, user);
        let experiment = running.id;
        let exposure = Exposure {
            experiment: experiment.clone(),
            user: user.clone(),
            session: session.cloned(),
            arm,
            at: now,
        };
        self.ledger.record(org, &exposure);
        Ok(match arm {
            Arm::Treatment => Admission::Treatment { experiment },
            Arm::Holdout => Admission::Holdout { experiment },
        })
    }
}

/// Checks the experiment that a publish says it took part in.
#[derive(Clone)]
pub struct AttributionCheck {
    reader: Arc<dyn ExperimentReader>,
}

impl AttributionCheck {
    /// Checks against the experiments of this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ExperimentReader>) -> Self {
        Self { reader }
    }

    /// Accepts an attribution that the assignment itself would have made, to a running or an ended experiment.
    ///
    /// # Errors
    /// When there is no such experiment, the user is in the other arm, or the store failed.
    pub fn check(
        &self,
        org: &OrgId,
        experiment: &ExperimentId,
        arm: Arm,
        user: &UserId,
    ) -> Result<(), ExperimentError> {
        let Some(found) = self.reader.find(org, experiment)? else {
            return Err(ExperimentError::AttributionUnknown { id: experiment.clone() });
        };
        if found.arm_of(org, user) != arm {
            return Err(ExperimentError::AttributionWrongArm { id: experiment.clone(), claimed: arm });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kernel::StoreError;

    use super::*;
    use crate::ports::{MockActiveExperiment, MockExperimentReader, MockExposureLedger};
    use crate::{Experiment, HoldoutPercentage};

    // At 50 percent, user-0 (0.307…) is held out and user-1 (0.926…) is treated.
    fn running() -> Experiment {
        let id = ExperimentId::new("exp-1").unwrap();
        Experiment::started(id, HoldoutPercentage::new(50.0).unwrap(), at(100))
    }

    fn org() -> OrgId {
        OrgId::new("org-1").unwrap()
    }

    fn user(name: &str) -> UserId {
        UserId::new(name).unwrap()
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn knows(experiment: Option<Experiment>) -> Arc<MockActiveExperiment> {
        let mut active = MockActiveExperiment::new();
        active.expect_active().return_const(Ok(experiment));
        Arc::new(active)
    }

    fn expects(exposure: Exposure) -> Arc<MockExposureLedger> {
        let mut ledger = MockExposureLedger::new();
        ledger
            .expect_record()
            .withf(move |of, recorded| *of == org() && *recorded == exposure)
            .times(1)
            .return_const(());
        Arc::new(ledger)
    }

    fn exposure(name: &str, session: Option<SessionId>, arm: Arm) -> Exposure {
        Exposure { experiment: running().id, user: user(name), session, arm, at: at(7) }
    }

    #[test]
    fn without_an_experiment_a_search_goes_on_and_nothing_is_recorded() {
        let mut ledger = MockExposureLedger::new();
        ledger.expect_record().never();

        let admitted = SearchGate::new(knows(None), Arc::new(ledger)).admit(&org(), None, None, at(7));

        assert_eq!(admitted, Ok(Admission::NoExperiment));
    }

    #[test]
    fn a_treated_user_is_admitted_and_the_exposure_recorded() {
        let session = SessionId::new("s").unwrap();
        let ledger = expects(exposure("user-1", Some(session.clone()), Arm::Treatment));
        let gate = SearchGate::new(knows(Some(running())), ledger);

        let admitted = gate.admit(&org(), Some(&user("user-1")), Some(&session), at(7));

        assert_eq!(admitted, Ok(Admission::Treatment { experiment: running().id }));
    }

    #[test]
    fn a_held_out_user_is_held_out_and_the_exposure_recorded() {
        let gate = SearchGate::new(knows(Some(running())), expects(exposure("user-0", None, Arm::Holdout)));

        let admitted = gate.admit(&org(), Some(&user("user-0")), None, at(7));

        assert_eq!(admitted, Ok(Admission::Holdout { experiment: running().id }));
    }

    #[test]
    fn a_search_without_a_user_is_refused_while_an_experiment_runs() {
        let mut ledger = MockExposureLedger::new();
        ledger.expect_record().never();

        let refused =
            SearchGate::new(knows(Some(running())), Arc::new(ledger)).admit(&org(), None, None, at(7));

        assert_eq!(refused, Err(ExperimentError::UserRequired));
    }

    #[test]
    fn a_store_that_is_away_is_not_taken_for_no_experiment() {
        let away = StoreError::Unavailable("down".to_owned());
        let mut active = MockActiveExperiment::new();
        active.expect_active().return_const(Err(away.clone()));
        let gate = SearchGate::new(Arc::new(active), Arc::new(MockExposureLedger::new()));

        let failed = gate.admit(&org(), Some(&user("user-0")), None, at(7));

        assert_eq!(failed, Err(ExperimentError::Store(away)));
    }

    fn check(found: Option<Experiment>, arm: Arm) -> Result<(), ExperimentError> {
        let mut reader = MockExperimentReader::new();
        reader.expect_find().return_const(Ok(found));
        AttributionCheck::new(Arc::new(reader)).check(&org(), &running().id, arm, &user("user-0"))
    }

    #[test]
    fn an_attribution_to_an_unknown_experiment_is_refused() {
        assert_eq!(check(None, Arm::Holdout), Err(ExperimentError::AttributionUnknown { id: running().id }));
    }

    #[test]
    fn an_attribution_to_the_wrong_arm_is_refused() {
        assert_eq!(
            check(Some(running()), Arm::Treatment),
            Err(ExperimentError::AttributionWrongArm { id: running().id, claimed: Arm::Treatment })
        );
    }

    #[test]
    fn an_attribution_to_the_assigned_arm_is_accepted_also_after_the_end() {
        let ended = Experiment { ended_at: Some(at(200)), ..running() };

        assert_eq!(check(Some(running()), Arm::Holdout), Ok(()));
        assert_eq!(check(Some(ended), Arm::Holdout), Ok(()));
    }
}
