//! The running experiment, remembered for less than a second, so that not every search asks the store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use experiments::{ActiveExperiment, Experiment};
use kernel::{OrgId, StoreError};

/// Half of what may pass until every server has seen a start or a stop; the rest is for the store's own answer.
const LONGEST: Duration = Duration::from_millis(500);

/// Answers from memory what was read a moment ago.
pub(crate) struct RecentlyActive {
    store: Arc<dyn ActiveExperiment>,
    known: Mutex<HashMap<OrgId, Known>>,
}

/// What was read, and when the reading began: what the store did after that may not be in it.
struct Known {
    asked_at: Instant,
    experiment: Option<Experiment>,
}

impl RecentlyActive {
    /// Remembers what this store says.
    #[must_use]
    pub(crate) fn over(store: Arc<dyn ActiveExperiment>) -> Self {
        Self { store, known: Mutex::default() }
    }

    fn active_at(&self, org: &OrgId, now: Instant) -> Result<Option<Experiment>, StoreError> {
        if let Some(known) = self.known().get(org).filter(|known| known.is_fresh(now)) {
            return Ok(known.experiment.clone());
        }
        let experiment = self.store.active(org)?;
        self.known().insert(org.clone(), Known { asked_at: now, experiment: experiment.clone() });
        Ok(experiment)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<OrgId, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.asked_at) < LONGEST
    }
}

impl ActiveExperiment for RecentlyActive {
    fn active(&self, org: &OrgId) -> Result<Option<Experiment>, StoreError> {
        self.active_at(org, Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use experiments::HoldoutPercentage;
    use experiments::ports::MockActiveExperiment;
    use kernel::{ExperimentId, Timestamp};

    use super::*;

    fn org(id: &str) -> OrgId {
        OrgId::new(id).unwrap()
    }

    fn running() -> Experiment {
        let id = ExperimentId::new("exp-1").unwrap();
        Experiment::started(id, HoldoutPercentage::new(50.0).unwrap(), Timestamp::from_seconds(1))
    }

    /// A store in which the experiment is stopped after the first look.
    fn stopped_after_one_look(looks: usize) -> RecentlyActive {
        let mut store = MockActiveExperiment::new();
        let mut answers = std::iter::once(Some(running())).chain(std::iter::repeat(None));
        store.expect_active().times(looks).returning(move |_| Ok(answers.next().flatten()));
        RecentlyActive::over(Arc::new(store))
    }

    #[test]
    fn what_was_read_a_moment_ago_is_not_read_again() {
        let recently = stopped_after_one_look(1);
        let now = Instant::now();

        recently.active_at(&org("acme"), now).unwrap();

        assert_eq!(recently.active_at(&org("acme"), now + LONGEST / 2), Ok(Some(running())));
    }

    #[test]
    fn a_stop_is_seen_within_a_second() {
        let recently = stopped_after_one_look(2);
        let now = Instant::now();

        recently.active_at(&org("acme"), now).unwrap();

        assert_eq!(recently.active_at(&org("acme"), now + Duration::from_secs(1)), Ok(None));
    }

    #[test]
    fn an_organization_is_never_answered_with_anothers_experiment() {
        let recently = stopped_after_one_look(2);
        let now = Instant::now();

        recently.active_at(&org("acme"), now).unwrap();

        assert_eq!(recently.active_at(&org("umbrella"), now), Ok(None));
    }

    #[test]
    fn a_failure_is_not_remembered() {
        let mut store = MockActiveExperiment::new();
        let mut answers = [Err(StoreError::Contended), Ok(Some(running()))].into_iter();
        store.expect_active().times(2).returning(move |_| answers.next().unwrap());
        let recently = RecentlyActive::over(Arc::new(store));
        let now = Instant::now();

        assert_eq!(recently.active_at(&org("acme"), now), Err(StoreError::Contended));
        assert_eq!(recently.active_at(&org("acme"), now), Ok(Some(running())));
    }
}
