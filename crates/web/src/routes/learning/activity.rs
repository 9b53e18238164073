//! Reading back what was published, and the learning feed.

use actix_web::web::{self, Data, Json};
use wire::learning::activity::{
    DeleteSessionRequest, DeleteSessionResponse, GetInteractionsRequest, GetInteractionsResponse,
    GetRequestsRequest, GetRequestsResponse,
};
use wire::learning::feed::{FeedQuery, FeedResponse};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::query::QueryFields;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/api/get_requests", "POST").route(web::post().to(get_requests)))
        .service(resource("/api/get_interactions", "POST").route(web::post().to(get_interactions)))
        .service(resource("/api/delete_session", "DELETE").route(web::delete().to(delete_session)))
        .service(resource("/api/learning_feed", "GET").route(web::get().to(learning_feed)));
}

/// Read published requests by session, newest first.
#[utoipa::path(post, path = "/api/get_requests", tag = "Activity", request_body = GetRequestsRequest,
    responses((status = 200, body = GetRequestsResponse)))]
pub(crate) async fn get_requests(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetRequestsRequest>,
) -> Result<Json<GetRequestsResponse>, Problem> {
    let (filter, page) = request.parse()?;
    let list = app.learning.list_requests.clone();
    let org = caller.org.clone();
    let found = blocking::call(move || list.list(&org, &filter, page)).await?;
    Ok(Json(found.into()))
}

/// Read published turns, newest first.
#[utoipa::path(post, path = "/api/get_interactions", tag = "Activity", request_body = GetInteractionsRequest,
    responses((status = 200, body = GetInteractionsResponse)))]
pub(crate) async fn get_interactions(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetInteractionsRequest>,
) -> Result<Json<GetInteractionsResponse>, Problem> {
    let (filter, page) = request.parse()?;
    let list = app.learning.list_interactions.clone();
    let org = caller.org.clone();
    let found = blocking::call(move || list.list(&org, &filter, page)).await?;
    Ok(Json(found.into()))
}

/// Delete a session and everything that came with it.
#[utoipa::path(delete, path = "/api/delete_session", tag = "Activity", request_body = DeleteSessionRequest,
    responses((status = 200, body = DeleteSessionResponse),
              (status = 409, description = "`ambiguous_session` or `subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn delete_session(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<DeleteSessionRequest>,
) -> Result<Json<DeleteSessionResponse>, Problem> {
    let (session, user) = request.parse()?;
    let delete = app.learning.delete_session.clone();
    let org = caller.org.clone();
    let deleted = blocking::call(move || delete.delete(&org, &session, user.as_ref())).await?;
    Ok(Json(DeleteSessionResponse::of(deleted)))
}

/// Read published requests in the order of their commits, for whoever learns from them.
#[utoipa::path(get, path = "/api/learning_feed", tag = "Activity", params(FeedQuery),
    responses((status = 200, body = FeedResponse)))]
pub(crate) async fn learning_feed(
    caller: OrgCaller,
    app: Data<App>,
    QueryFields(query): QueryFields<FeedQuery>,
) -> Result<Json<FeedResponse>, Problem> {
    let (after, limit) = query.parse()?;
    let read = app.learning.read_feed.clone();
    let org = caller.org.clone();
    let page = blocking::call(move || read.read(&org, after, limit)).await?;
    Ok(Json((&page).into()))
}
