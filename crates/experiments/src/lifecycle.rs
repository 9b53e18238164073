//! Starting, stopping and listing experiments.

use std::sync::Arc;

use kernel::{Clock, ExperimentId, OrgId, UnitOfWork};

use crate::{Experiment, ExperimentError, ExperimentReader, ExperimentTx, HoldoutPercentage};

/// An organization's experiments, latest start first.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentList(pub Vec<Experiment>);

impl ExperimentList {
    /// The experiment that is running, if any.
    #[must_use]
    pub fn active(&self) -> Option<&Experiment> {
        self.0.iter().find(|experiment| experiment.is_active())
    }
}

/// Starts a retrieval experiment.
#[derive(Clone)]
pub struct StartExperiment {
    store: Arc<dyn UnitOfWork<dyn ExperimentTx>>,
    clock: Arc<dyn Clock>,
}

impl StartExperiment {
    /// Starts experiments in this store, by this clock.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn ExperimentTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Starts an experiment; at most one runs at a time and an id is never used twice.
    ///
    /// # Errors
    /// When another experiment is active, the id was used before, or the store failed.
    pub fn start(
        &self,
        org: &OrgId,
        id: &ExperimentId,
        holdout: HoldoutPercentage,
    ) -> Result<ExperimentList, ExperimentError> {
        let started_at = self.clock.now();
        self.store.transact(org, |tx| {
            if let Some(active) = tx.active()? {
                return Err(ExperimentError::AlreadyActive { active: active.id });
            }
            if tx.find(id)?.is_some() {
                return Err(ExperimentError::IdReused { id: id.clone() });
            }
            tx.insert(&Experiment::started(id.clone(), holdout, started_at))?;
            Ok(ExperimentList(tx.list()?))
        })
    }
}

/// Stops a retrieval experiment.
#[derive(Clone)]
pub struct StopExperiment {
    store: Arc<dyn UnitOfWork<dyn ExperimentTx>>,
    clock: Arc<dyn Clock>,
}

impl StopExperiment {
    /// Stops experiments in this store, by this clock.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn ExperimentTx>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    /// Stops an active experiment; what it assigned and measured is kept.
    ///
    /// # Errors
    /// When there is no such experiment, it has ended already, or the store failed.
    pub fn stop(&self, org: &OrgId, id: &ExperimentId) -> Result<ExperimentList, ExperimentError> {
        let now = self.clock.now();
        self.store.transact(org, |tx| {
            let experiment = tx.find(id)?.ok_or(ExperimentError::NotFound)?;
            if !tx.end(id, experiment.end_at(now))? {
                return Err(ExperimentError::NotActive { id: id.clone() });
            }
            Ok(ExperimentList(tx.list()?))
        })
    }
}

/// Lists an organization's experiments.
#[derive(Clone)]
pub struct ListExperiments {
    reader: Arc<dyn ExperimentReader>,
}

impl ListExperiments {
    /// Lists experiments from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ExperimentReader>) -> Self {
        Self { reader }
    }

    /// The active experiment and all earlier ones.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(&self, org: &OrgId) -> Result<ExperimentList, ExperimentError> {
        Ok(ExperimentList(self.reader.list(org)?))
    }
}

#[cfg(test)]
mod tests {
    use kernel::{MockClock, RunsOnce, Timestamp};

    use super::*;
    use crate::ports::MockExperimentTx;

    fn org() -> OrgId {
        OrgId::new("acme").unwrap()
    }

    fn id(text: &str) -> ExperimentId {
        ExperimentId::new(text).unwrap()
    }

    fn ten_percent() -> HoldoutPercentage {
        HoldoutPercentage::new(10.0).unwrap()
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn clock_at(seconds: i64) -> Arc<MockClock> {
        let mut clock = MockClock::new();
        clock.expect_now().return_const(at(seconds));
        Arc::new(clock)
    }

    #[test]
    fn an_experiment_starts_when_none_is_active_and_its_id_is_new() {
        let mut tx = MockExperimentTx::new();
        let expected = Experiment::started(id("exp"), ten_percent(), at(500));
        let listed = vec![expected.clone()];
        tx.expect_active().return_const(Ok(None));
        tx.expect_find().return_const(Ok(None));
        tx.expect_insert().withf(move |inserted| *inserted == expected).times(1).return_const(Ok(()));
        tx.expect_list().return_const(Ok(listed.clone()));

        let started = StartExperiment::new(Arc::new(RunsOnce::on(tx)), clock_at(500)).start(
            &org(),
            &id("exp"),
            ten_percent(),
        );

        assert_eq!(started, Ok(ExperimentList(listed)));
    }

    #[test]
    fn a_second_experiment_is_refused_while_one_is_active_and_nothing_is_kept() {
        let mut tx = MockExperimentTx::new();
        let running = Experiment::started(id("first"), ten_percent(), at(1));
        tx.expect_active().return_const(Ok(Some(running)));
        tx.expect_insert().never();

        let refused = StartExperiment::new(Arc::new(RunsOnce::on(tx)), clock_at(2)).start(
            &org(),
            &id("second"),
            ten_percent(),
        );

        assert_eq!(refused, Err(ExperimentError::AlreadyActive { active: id("first") }));
    }

    #[test]
    fn an_id_is_never_used_twice() {
        let mut tx = MockExperimentTx::new();
        let ended =
            Experiment { ended_at: Some(at(5)), ..Experiment::started(id("exp"), ten_percent(), at(1)) };
        tx.expect_active().return_const(Ok(None));
        tx.expect_find().return_const(Ok(Some(ended)));
        tx.expect_insert().never();

        let refused = StartExperiment::new(Arc::new(RunsOnce::on(tx)), clock_at(9)).start(
            &org(),
            &id("exp"),
            ten_percent(),
        );

        assert_eq!(refused, Err(ExperimentError::IdReused { id: id("exp") }));
    }

    #[test]
    fn stopping_an_unknown_experiment_is_refused() {
        let mut tx = MockExperimentTx::new();
        tx.expect_find().return_const(Ok(None));
        tx.expect_end().never();

        let refused = StopExperiment::new(Arc::new(RunsOnce::on(tx)), clock_at(9)).stop(&org(), &id("exp"));

        assert_eq!(refused, Err(ExperimentError::NotFound));
    }

    #[test]
    fn stopping_an_ended_experiment_is_refused() {
        let mut tx = MockExperimentTx::new();
        let ended =
            Experiment { ended_at: Some(at(5)), ..Experiment::started(id("exp"), ten_percent(), at(1)) };
        tx.expect_find().return_const(Ok(Some(ended)));
        tx.expect_end().return_const(Ok(false));

        let refused = StopExperiment::new(Arc::new(RunsOnce::on(tx)), clock_at(9)).stop(&org(), &id("exp"));

        assert_eq!(refused, Err(ExperimentError::NotActive { id: id("exp") }));
    }

    #[test]
    fn a_clock_that_stepped_back_does_not_end_an_experiment_before_its_start() {
        let mut tx = MockExperimentTx::new();
        tx.expect_find().return_const(Ok(Some(Experiment::started(id("exp"), ten_percent(), at(100)))));
        tx.expect_end().withf(|_, ended_at| *ended_at == at(100)).times(1).return_const(Ok(true));
        tx.expect_list().return_const(Ok(vec![]));

        let stopped = StopExperiment::new(Arc::new(RunsOnce::on(tx)), clock_at(50)).stop(&org(), &id("exp"));

        assert!(stopped.is_ok());
    }
}
