//! `touchstone demo`: an organization with ninety days of believable data, so that every page has something true to show.
//!
//! Everything is written through the use cases that agents and people call, by clocks that stand where the story is.
//! The verdicts come from a judge that knows the story, and each of its reasons says that it is demo data.

mod command;
mod conversation;
mod dice;
mod fill;
mod library;
mod rules;
mod scene;
mod scores;
mod stage;
mod story;
mod timeline;
mod topics;
mod verdicts;

pub(crate) use command::run;
pub use fill::{Filled, Listener, ORGANIZATION, Outcome, fill};
pub use library::LearningCounts;
pub use story::Size;
