//! The OpenAPI document and the page that browses it, without any outside host.

use std::sync::Arc;

use actix_web::http::header::{CONTENT_SECURITY_POLICY, LOCATION};
use actix_web::web::{self, Path};
use actix_web::{HttpResponse, Responder};
use utoipa_swagger_ui::Config;

use super::resource;
use crate::openapi;
use crate::problem::{Code, Problem};

/// The page styles itself inline and draws its icons from data; scripts come from ourselves alone.
const POLICY: &str =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/openapi.json", "GET").route(web::get().to(show_document)))
        .service(resource("/api/docs", "GET").route(web::get().to(enter)))
        .service(resource("/api/docs/{file:.*}", "GET").route(web::get().to(show_page)));
}

async fn show_document() -> impl Responder {
    HttpResponse::Ok().content_type("application/json").body(openapi::text())
}

async fn enter() -> impl Responder {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/api/docs/")).finish()
}

async fn show_page(file: Path<String>) -> Result<HttpResponse, Problem> {
    let config = Arc::new(Config::from("/openapi.json"));
    let name = if file.is_empty() { "index.html" } else { file.as_str() };
    match utoipa_swagger_ui::serve(name, config) {
        Ok(Some(file)) => Ok(HttpResponse::Ok()
            .insert_header((CONTENT_SECURITY_POLICY, POLICY))
            .content_type(file.content_type)
            .body(file.bytes.into_owned())),
        _ => Err(Problem::new(Code::RouteNotFound)),
    }
}
