//! Retrieval experiments on the wire.

mod plan;
mod results;

pub use plan::{PlanExperimentRequest, PlanExperimentResponse, PlanFigure, PlanWarningEntry};
pub use results::{
    ClusterRobustInterval, HealthFinding, RetrievalExperimentArmMetrics, RetrievalExperimentResultsResponse,
};

use experiments::{Experiment, ExperimentList, HoldoutPercentage};
use kernel::{ExperimentId, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Fields, Invalid};

/// A request to start an experiment.
#[derive(Debug, Deserialize, ToSchema)]
pub struct StartExperimentRequest {
    /// The experiment's name, never used before in the organization; at most 128 characters.
    #[schema(min_length = 1, max_length = 128)]
    pub experiment_id: String,
    /// The share of users held out, in percent.
    #[schema(exclusive_minimum = 0, exclusive_maximum = 100)]
    pub holdout_percentage: f64,
}

impl StartExperimentRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<(ExperimentId, HoldoutPercentage), Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("experiment_id", self.experiment_id.as_str(), ExperimentId::new);
        let holdout = fields.required("holdout_percentage", self.holdout_percentage, HoldoutPercentage::new);
        fields.finish(id.zip(holdout))
    }
}

/// A request to stop an experiment.
#[derive(Debug, Deserialize, ToSchema)]
pub struct StopExperimentRequest {
    /// The experiment's name.
    #[schema(min_length = 1, max_length = 128)]
    pub experiment_id: String,
}

impl StopExperimentRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<ExperimentId, Invalid> {
        let mut fields = Fields::of_body();
        let id = fields.required("experiment_id", self.experiment_id.as_str(), ExperimentId::new);
        fields.finish(id)
    }
}

/// An experiment.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetrievalExperimentRecord {
    /// The experiment's name.
    pub experiment_id: String,
    /// The share of users held out, in percent.
    pub holdout_percentage: f64,
    /// When it began to assign users, in epoch seconds.
    pub started_at: i64,
    /// When it ceased to assign users; null while it is active.
    pub ended_at: Option<i64>,
}

impl From<&Experiment> for RetrievalExperimentRecord {
    fn from(experiment: &Experiment) -> Self {
        Self {
            experiment_id: experiment.id.as_str().to_owned(),
            holdout_percentage: experiment.holdout.percent(),
            started_at: experiment.started_at.seconds(),
            ended_at: experiment.ended_at.map(Timestamp::seconds),
        }
    }
}

/// The organization's experiments.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetrievalExperimentListResponse {
    /// The experiment that is running, if one is.
    pub active_experiment: Option<RetrievalExperimentRecord>,
    /// All experiments, latest start first.
    pub experiments: Vec<RetrievalExperimentRecord>,
}

impl From<&ExperimentList> for RetrievalExperimentListResponse {
    fn from(list: &ExperimentList) -> Self {
        Self {
            active_experiment: list.active().map(Into::into),
            experiments: list.0.iter().map(Into::into).collect(),
        }
    }
}
