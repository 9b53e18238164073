//! Experiments' answer to what learning asks before it searches and before it publishes.

use std::sync::Arc;

use experiments::{AttributionCheck, ExperimentError, SearchGate};
use kernel::{Clock, CredentialKind, ExperimentId, OrgId, StoreError, UserId};
use learning::{Admission, Attribution, RetrievalGate, SearchVisit};

/// Lets experiments decide what searches of agents retrieve; people see everything.
#[derive(Clone)]
pub struct ExperimentGate {
    search: SearchGate,
    attribution: AttributionCheck,
    clock: Arc<dyn Clock>,
}

impl ExperimentGate {
    /// A gate that decides by these rules.
    #[must_use]
    pub fn new(search: SearchGate, attribution: AttributionCheck, clock: Arc<dyn Clock>) -> Self {
        Self { search, attribution, clock }
    }
}

impl RetrievalGate for ExperimentGate {
    fn admit_search(&self, org: &OrgId, visit: &SearchVisit) -> Result<Admission, StoreError> {
        match visit.kind {
            CredentialKind::Dashboard | CredentialKind::Session => return Ok(Admission::Pass),
            CredentialKind::Production => {}
        }
        let now = self.clock.now();
        match self.search.admit(org, visit.user.as_ref(), visit.session.as_ref(), now) {
            Ok(experiments::Admission::NoExperiment) => Ok(Admission::Pass),
            Ok(experiments::Admission::Treatment { experiment }) => {
                Ok(Admission::Retrieve(in_arm(experiment, learning::Arm::Treatment)))
            }
            Ok(experiments::Admission::Holdout { experiment }) => {
                Ok(Admission::Withhold(in_arm(experiment, learning::Arm::Holdout)))
            }
            Err(ExperimentError::UserRequired) => Ok(Admission::UserRequired),
            Err(error) => Err(unforeseen(error)),
        }
    }

    fn check_attribution(
        &self,
        org: &OrgId,
        stated: &Attribution,
        user: &UserId,
    ) -> Result<learning::AttributionCheck, StoreError> {
        let arm = match stated.arm {
            learning::Arm::Treatment => experiments::Arm::Treatment,
            learning::Arm::Holdout => experiments::Arm::Holdout,
        };
        match self.attribution.check(org, &stated.experiment, arm, user) {
            Ok(()) => Ok(learning::AttributionCheck::Holds),
            Err(ExperimentError::AttributionUnknown { .. }) => {
                Ok(learning::AttributionCheck::UnknownExperiment)
            }
            Err(ExperimentError::AttributionWrongArm { .. }) => Ok(learning::AttributionCheck::WrongArm),
            Err(error) => Err(unforeseen(error)),
        }
    }
}

const fn in_arm(experiment: ExperimentId, arm: learning::Arm) -> Attribution {
    Attribution { experiment, arm }
}

/// The store's failure; a refusal that a gate never makes is a defect of ours.
fn unforeseen(error: ExperimentError) -> StoreError {
    match error {
        ExperimentError::Store(error) => error,
        other => StoreError::Failed(format!("a gate refused with: {other}")),
    }
}

#[cfg(test)]
mod tests;
