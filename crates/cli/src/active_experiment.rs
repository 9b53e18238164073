//! The running experiment, remembered for less than a second, so that not every search asks the store.

use std::sync::Arc;

use experiments::{ActiveExperiment, Experiment};
use kernel::{OrgId, StoreError};

use crate::one_second::OneSecond;

/// Answers from memory what was read a moment ago.
pub(crate) struct RecentlyActive {
    store: Arc<dyn ActiveExperiment>,
    fresh: OneSecond<OrgId, Option<Experiment>>,
}

impl RecentlyActive {
    /// Remembers what this store says.
    pub(crate) fn over(store: Arc<dyn ActiveExperiment>) -> Self {
        Self { store, fresh: OneSecond::new() }
    }
}

impl ActiveExperiment for RecentlyActive {
    fn active(&self, org: &OrgId) -> Result<Option<Experiment>, StoreError> {
        self.fresh.get(org, || self.store.active(org))
    }
}

#[cfg(test)]
mod tests {
    use experiments::HoldoutPercentage;
    use experiments::ports::MockActiveExperiment;
    use kernel::{ExperimentId, Timestamp};

    use super::*;

    #[test]
    fn an_organization_is_never_answered_with_anothers_experiment() {
        let id = ExperimentId::new("exp-1").unwrap();
        let holdout = HoldoutPercentage::new(50.0).unwrap();
        let running = Experiment::started(id, holdout, Timestamp::from_seconds(1));
        let answer = running.clone();
        let mut store = MockActiveExperiment::new();
        store
            .expect_active()
            .times(2)
            .returning(move |org| Ok((org.as_str() == "acme").then(|| answer.clone())));
        let recently = RecentlyActive::over(Arc::new(store));
        let of = |org| recently.active(&OrgId::new(org).unwrap());

        assert_eq!(
            (of("acme"), of("umbrella"), of("acme")),
            (Ok(Some(running.clone())), Ok(None), Ok(Some(running)))
        );
    }
}
