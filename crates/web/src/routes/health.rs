//! Health, readiness and metrics, for whoever runs the service.

use actix_web::HttpResponse;
use actix_web::web::{self, Data};

use super::resource;
use crate::app::App;
use crate::problem::Problem;
use crate::{blocking, metrics};

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/healthz", "GET").route(web::get().to(healthz)))
        .service(resource("/readyz", "GET").route(web::get().to(readyz)))
        .service(resource("/metrics", "GET").route(web::get().to(show_metrics)));
}

/// Whether the process lives.
#[utoipa::path(get, path = "/healthz", tag = "Operations", responses((status = 200, body = String)))]
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the storage answers and its schema is current.
#[utoipa::path(get, path = "/readyz", tag = "Operations", responses((status = 200, body = String)))]
pub(crate) async fn readyz(app: Data<App>) -> Result<&'static str, Problem> {
    let readiness = app.readiness.clone();
    blocking::call(move || readiness.check()).await?;
    Ok("ready\n")
}

/// Metrics in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", tag = "Operations", responses((status = 200, body = String)))]
pub(crate) async fn show_metrics() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(metrics::render())
}
