//! Publishing requests.

use actix_web::web::{self, Data, Json};
use wire::learning::publish::{PublishRequest, PublishResponse};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config.service(resource("/api/publish_interaction", "POST").route(web::post().to(publish_interaction)));
}

/// Publish one request of a session, all of it or nothing.
#[utoipa::path(post, path = "/api/publish_interaction", tag = "Activity", request_body = PublishRequest,
    responses((status = 200, body = PublishResponse),
              (status = 409, description = "`request_id_reused` or `subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn publish_interaction(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<PublishRequest>,
) -> Result<Json<PublishResponse>, Problem> {
    let publication = request.parse()?;
    let publish = app.learning.publish.clone();
    let org = caller.org.clone();
    let published = blocking::call(move || publish.publish(&org, publication)).await?;
    Ok(Json(PublishResponse::of(&published, app.learning.storage)))
}
