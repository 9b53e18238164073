//! What the rules of evaluation may rely on.

mod history;
mod outcomes;
mod overview;
mod partner_scores;
mod plans;
mod reading;
mod results;
mod samples;
mod slow;
mod verdicts;
