//! Organizations, credentials and configuration in the database.

mod configuration;
mod reader;
mod rows;
mod tx;
