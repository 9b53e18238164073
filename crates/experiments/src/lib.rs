//! Retrieval experiments: a deterministic user-level holdout measures what retrieval is worth.

pub mod assignment;
pub mod error;
pub mod experiment;
pub mod gate;
pub mod health;
pub mod interval;
pub mod lifecycle;
pub mod plan;
pub mod ports;
pub mod report;
pub mod results;
pub mod sums;

mod student;

pub use assignment::{Arm, assign};
pub use error::ExperimentError;
pub use experiment::{Experiment, HoldoutOutOfRange, HoldoutPercentage};
pub use gate::{Admission, AttributionCheck, SearchGate};
pub use health::{Finding, HealthCode, Severity};
pub use interval::{ClusterRobust, INTERVAL_METHOD, Interval};
pub use lifecycle::{ExperimentList, ListExperiments, StartExperiment, StopExperiment};
pub use plan::{Plan, PlanExperiment, PlanRequest};
pub use ports::{
    ActiveExperiment, ArmSums, ExperimentReader, ExperimentTx, Exposure, ExposureLedger, HistoryReader,
    PerArm, ResultSums, ResultsReader, Tally,
};
pub use report::Verdict;
pub use results::{ArmMetrics, ReadResults, Results};
pub use sums::ClusterSums;
