//! Publishing, keeping and searching: contract section 2 over HTTP.

mod feed;
mod learnings;
mod publish;
mod recorded;
mod search;
