//! Retrieval experiments: a deterministic user-level holdout measures what retrieval is worth.

pub mod error;
pub mod experiment;
pub mod lifecycle;
pub mod ports;

pub use error::ExperimentError;
pub use experiment::{Experiment, HoldoutOutOfRange, HoldoutPercentage};
pub use lifecycle::{ExperimentList, ListExperiments, StartExperiment, StopExperiment};
pub use ports::{ExperimentReader, ExperimentTx};
