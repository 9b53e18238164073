//! Experiment rows and their way to and from the domain.

use ::experiments::{Experiment, HoldoutPercentage};
use diesel::{Insertable, Queryable, Selectable};
use kernel::{ExperimentId, StoreError, Timestamp};

use crate::schema::experiments;

#[derive(Queryable, Selectable)]
#[diesel(table_name = experiments)]
pub(super) struct ExperimentRow {
    experiment_id: String,
    holdout_percentage: f64,
    started_at: i64,
    ended_at: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = experiments)]
pub(super) struct NewExperiment<'a> {
    pub(super) org_id: &'a str,
    experiment_id: &'a str,
    holdout_percentage: f64,
    started_at: i64,
    ended_at: Option<i64>,
}

impl<'a> NewExperiment<'a> {
    pub(super) fn of(org_id: &'a str, experiment: &'a Experiment) -> Self {
        Self {
            org_id,
            experiment_id: experiment.id.as_str(),
            holdout_percentage: experiment.holdout.percent(),
            started_at: experiment.started_at.seconds(),
            ended_at: experiment.ended_at.map(Timestamp::seconds),
        }
    }
}

impl TryFrom<ExperimentRow> for Experiment {
    type Error = StoreError;

    fn try_from(row: ExperimentRow) -> Result<Self, StoreError> {
        let corrupt = |what: &str| StoreError::Corrupt(format!("experiments.{what}"));
        Ok(Self {
            id: ExperimentId::new(&row.experiment_id).map_err(|_| corrupt("experiment_id"))?,
            holdout: HoldoutPercentage::new(row.holdout_percentage)
                .map_err(|_| corrupt("holdout_percentage"))?,
            started_at: Timestamp::from_seconds(row.started_at),
            ended_at: row.ended_at.map(Timestamp::from_seconds),
        })
    }
}
