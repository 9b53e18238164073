//! What tests over real HTTP stand on: servers in this process and in processes of their own, credentials, a client, a clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test may fail by panicking"
)]

pub mod app;
pub mod client;
pub mod clock;
pub mod cluster;
pub mod eventually;
pub mod judge;
pub mod organization;
pub mod process;
pub mod proxy;

pub use app::{Builder, TestApp};
pub use client::{Answer, Client};
pub use clock::StubClock;
pub use cluster::Cluster;
pub use eventually::eventually;
pub use judge::{Manner, StubJudge};
pub use organization::TestOrganization;
pub use process::{ServerProcess, run};
pub use proxy::RoundRobin;
pub use storage::testing::TestDatabase;
