//! Evaluation in the database: what judges and partners said, and the counts of the overview.

pub(crate) mod forgetting;
mod judging;
mod learning_rows;
mod outcomes;
mod overview;
mod partner;
mod reader;
mod results;
mod rows;
mod shadow_rows;
mod verdicts;

pub(crate) use overview::evaluated;
