//! What the rules of experiments need from a store.

mod gate;
mod lifecycle;
mod plan;
mod results;

pub use gate::{ActiveExperiment, Exposure, ExposureLedger};
pub use lifecycle::{ExperimentReader, ExperimentTx};
pub use plan::HistoryReader;
pub use results::{ArmSums, PerArm, ResultSums, ResultsReader, Tally};

#[cfg(any(test, feature = "mock"))]
pub use gate::{MockActiveExperiment, MockExposureLedger};
#[cfg(any(test, feature = "mock"))]
pub use lifecycle::{MockExperimentReader, MockExperimentTx};
#[cfg(any(test, feature = "mock"))]
pub use plan::MockHistoryReader;
#[cfg(any(test, feature = "mock"))]
pub use results::MockResultsReader;
