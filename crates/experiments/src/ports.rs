//! What the rules of experiments need from a store.

mod gate;
mod lifecycle;

pub use gate::{ActiveExperiment, Exposure, ExposureLedger};
pub use lifecycle::{ExperimentReader, ExperimentTx};

#[cfg(any(test, feature = "mock"))]
pub use gate::{MockActiveExperiment, MockExposureLedger};
#[cfg(any(test, feature = "mock"))]
pub use lifecycle::{MockExperimentReader, MockExperimentTx};
