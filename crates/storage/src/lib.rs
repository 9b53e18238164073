//! The diesel adapter: every port of the domain crates, on SQLite and on PostgreSQL, with one set of queries.

#[macro_use]
mod backend;

mod barrier;
mod database;
mod evaluation;
mod experiments;
pub mod faults;
mod governance;
mod kept;
mod learning;
mod organization;
mod outcome;
mod pool;
mod queue;
mod schema;
mod transaction;

pub use backend::migrate::Schema;
pub use backend::{DatabaseUrl, InvalidDatabaseUrl};
pub use database::{Database, Options};

#[cfg(feature = "testing")]
pub use backend::testing;
