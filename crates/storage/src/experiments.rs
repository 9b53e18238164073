//! Experiments in the database.

mod reader;
mod rows;
mod tx;
