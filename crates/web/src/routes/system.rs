//! How the server stands, told to people who are signed in.

use actix_web::web::{self, Data, Json};
use wire::system::{ServerFacts, StorageRecord, SystemResponse};

use super::resource;
use crate::app::App;
use crate::auth::DashboardCaller;
use crate::blocking;
use crate::problem::Problem;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config.service(resource("/api/system", "GET").route(web::get().to(system)));
}

/// Read how the server stands: its version and storage, who judges, and what waits to be judged.
#[utoipa::path(get, path = "/api/system", tag = "Operations", responses((status = 200, body = SystemResponse)))]
pub(crate) async fn system(caller: DashboardCaller, app: Data<App>) -> Result<Json<SystemResponse>, Problem> {
    let (readiness, status) = (app.readiness.clone(), app.judging.status.clone());
    let org = caller.org.clone();
    let judging = blocking::call(move || status.read(&org)).await?;
    // Whoever got here was found in the storage; what may still be wrong is its schema.
    let ready = blocking::call(move || readiness.check()).await.is_ok();
    let facts = ServerFacts {
        version: env!("CARGO_PKG_VERSION"),
        started_at: app.started_at,
        storage: StorageRecord { kind: app.learning.storage, ready },
    };
    Ok(Json(SystemResponse::of(facts, &judging)))
}
