//! The right to be forgotten, kept in the database.

mod audit;
mod barriers;
mod erasure;
mod ledger;
mod purges;
mod reader;
mod rows;
mod snapshot;
mod statement;
mod tx;
