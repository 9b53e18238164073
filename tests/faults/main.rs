//! Servers that are killed, that die in the middle of a commit, and that are asked to stop.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

mod beside;
mod crash;
mod crash_sweep;
mod erase_running;
mod failed_erase;
mod judging;
mod publishers;
mod stop;
