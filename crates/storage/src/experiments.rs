//! Experiments in the database.

pub(crate) mod entry;
mod exposures;
mod history;
mod reader;
mod results;
mod rows;
mod tx;

#[cfg(test)]
mod tests;
