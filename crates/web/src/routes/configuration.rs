//! An organization's configuration over HTTP.

use actix_web::web::{self, Data, Json};
use organization::{Configuration, OrganizationError};
use wire::Invalid;
use wire::configuration::{ConfigurationChange, ConfigurationDocument};

use super::resource;
use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;

type Answer = Result<Json<ConfigurationDocument>, Problem>;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/api/get_config", "GET").route(web::get().to(get_config)))
        .service(resource("/api/set_config", "POST").route(web::post().to(set_config)))
        .service(resource("/api/update_config", "POST").route(web::post().to(update_config)));
}

/// Read the configuration in force.
#[utoipa::path(get, path = "/api/get_config", tag = "Configuration",
    responses((status = 200, body = ConfigurationDocument)))]
pub(crate) async fn get_config(caller: OrgCaller, app: Data<App>) -> Answer {
    let read = app.organization.read_configuration.clone();
    let org = caller.org.clone();
    let configuration = blocking::short_call(move || read.read(&org)).await?;
    Ok(Json((&configuration).into()))
}

/// Write the whole configuration; keys left out fall back to their defaults.
#[utoipa::path(post, path = "/api/set_config", tag = "Configuration", request_body = ConfigurationChange,
    responses((status = 200, body = ConfigurationDocument)))]
pub(crate) async fn set_config(
    caller: OrgCaller,
    app: Data<App>,
    Body(change): Body<ConfigurationChange>,
) -> Answer {
    let write = app.organization.write_configuration.clone();
    let org = caller.org.clone();
    let written = blocking::call(move || {
        write.write(&org, |profile, _| Refused::or(change.applied_to(&Configuration::default_for(profile))))
    });
    Ok(Json((&written.await?).into()))
}

/// Change the keys that are named; all others stay.
#[utoipa::path(post, path = "/api/update_config", tag = "Configuration", request_body = ConfigurationChange,
    responses((status = 200, body = ConfigurationDocument)))]
pub(crate) async fn update_config(
    caller: OrgCaller,
    app: Data<App>,
    Body(change): Body<ConfigurationChange>,
) -> Answer {
    let write = app.organization.write_configuration.clone();
    let org = caller.org.clone();
    let written =
        blocking::call(move || write.write(&org, |_, current| Refused::or(change.applied_to(current))));
    Ok(Json((&written.await?).into()))
}

/// Why a configuration was not written: its shape, or a rule.
enum Refused {
    Shape(Invalid),
    Rule(OrganizationError),
}

impl Refused {
    fn or(parsed: Result<Configuration, Invalid>) -> Result<Configuration, Self> {
        parsed.map_err(Self::Shape)
    }
}

impl From<OrganizationError> for Refused {
    fn from(error: OrganizationError) -> Self {
        Self::Rule(error)
    }
}

impl From<kernel::StoreError> for Refused {
    fn from(error: kernel::StoreError) -> Self {
        Self::Rule(error.into())
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Shape(invalid) => invalid.into(),
            Refused::Rule(error) => error.into(),
        }
    }
}
