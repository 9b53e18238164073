//! What the rules of evaluation may rely on.

mod outcomes;
mod overview;
mod partner_scores;
mod reading;
mod results;
mod samples;
mod verdicts;
