//! The interface over real HTTP, one module per group of endpoints, on SQLite and on PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

mod activity;
mod batch;
mod config_check;
mod configuration;
mod contention;
mod credentials;
mod demo;
mod evaluation;
mod experiment_health;
mod experiment_results;
mod experiments;
mod gating;
mod governance;
mod judging;
mod learning;
mod limits;
mod logs;
mod openapi;
mod operations;
mod packaging;
mod problems;
mod requests;
mod scale_out;
mod session;
mod storage_away;
