//! The thin actix-web adapter: a handler translates, calls a rule, translates.

pub mod app;
mod auth;
mod blocking;
mod body;
mod context;
mod metrics;
pub mod openapi;
pub mod problem;
mod rate;
mod routes;
pub mod server;

pub use app::{App, ExperimentsRoom, OrganizationRoom, Readiness, Settings};
pub use server::{Listeners, serve};
