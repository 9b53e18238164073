//! The routes, one file per room.

mod api_page;
mod configuration;
mod evaluation;
mod experiments;
mod governance;
mod health;
mod learning;
mod session;
mod system;

use actix_web::{Resource, Responder, web};

use crate::problem::Problem;

pub(crate) use {
    configuration::*, evaluation::*, experiments::*, governance::*, health::*, learning::*, session::*,
    system::*,
};

/// A resource that answers a wrong method with those it takes.
fn resource(path: &str, allow: &'static str) -> Resource {
    web::resource(path).default_service(web::route().to(move || refuse_method(allow)))
}

#[expect(clippy::unused_async, reason = "a handler is asynchronous")]
async fn refuse_method(allow: &'static str) -> impl Responder {
    Err::<&'static str, _>(Problem::method_not_allowed(allow))
}

/// The interface's own routes.
pub(crate) fn interface(config: &mut web::ServiceConfig) {
    experiments::register(config);
    learning::register(config);
    evaluation::register(config);
    governance::register(config);
    configuration::register(config);
    session::register(config);
    system::register(config);
    api_page::register(config);
    crate::dashboard::register(config);
}

/// Health and metrics.
pub(crate) fn operations(config: &mut web::ServiceConfig) {
    health::register(config);
}
