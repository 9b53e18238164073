//! Retrieval experiments: a deterministic user-level holdout measures what retrieval is worth.

pub mod assignment;
pub mod error;
pub mod experiment;
pub mod gate;
pub mod lifecycle;
pub mod ports;

pub use assignment::{Arm, assign};
pub use error::ExperimentError;
pub use experiment::{Experiment, HoldoutOutOfRange, HoldoutPercentage};
pub use gate::{Admission, AttributionCheck, SearchGate};
pub use lifecycle::{ExperimentList, ListExperiments, StartExperiment, StopExperiment};
pub use ports::{ActiveExperiment, ExperimentReader, ExperimentTx, Exposure, ExposureLedger};
