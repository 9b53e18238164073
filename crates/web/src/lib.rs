//! The thin actix-web adapter: a handler translates, calls a rule, translates.

pub mod app;
mod auth;
mod blocking;
mod body;
mod context;
mod dashboard;
mod metrics;
pub mod openapi;
pub mod problem;
mod query;
mod rate;
mod routes;
pub mod server;
mod shared_reads;
mod streaming;

pub use app::{
    App, EvaluationRoom, ExperimentsRoom, GovernanceRoom, JudgingRoom, LearningRoom, OrganizationRoom,
    Readiness, Rooms, Settings,
};
pub use server::{Listeners, serve};
