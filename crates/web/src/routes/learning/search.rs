//! Searching learnings; while an experiment runs, held-out users find nothing.

use actix_web::web::{self, Data, Json};
use wire::learning::search::{
    SearchAgentPlaybooksResponse, SearchProfilesResponse, SearchRequest, SearchResponse,
    SearchUserPlaybooksResponse,
};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/api/search", "POST").route(web::post().to(search)))
        .service(resource("/api/search_profiles", "POST").route(web::post().to(search_profiles)))
        .service(resource("/api/search_user_playbooks", "POST").route(web::post().to(search_user_playbooks)))
        .service(
            resource("/api/search_agent_playbooks", "POST").route(web::post().to(search_agent_playbooks)),
        );
}

/// Search all learnings that concern a user.
#[utoipa::path(post, path = "/api/search", tag = "Search", request_body = SearchRequest,
    responses((status = 200, body = SearchResponse)))]
pub(crate) async fn search(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<SearchRequest>,
) -> Result<Json<SearchResponse>, Problem> {
    let (searcher, query) = request.in_all(&caller.org, caller.kind)?;
    let search = app.learning.search_all.clone();
    let found = blocking::call(move || search.search(&searcher, &query)).await?;
    Ok(Json((&found).into()))
}

/// Search the profiles of a user.
#[utoipa::path(post, path = "/api/search_profiles", tag = "Search", request_body = SearchRequest,
    responses((status = 200, body = SearchProfilesResponse)))]
pub(crate) async fn search_profiles(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<SearchRequest>,
) -> Result<Json<SearchProfilesResponse>, Problem> {
    let (searcher, query) = request.in_profiles(&caller.org, caller.kind)?;
    let search = app.learning.search_profiles.clone();
    let found = blocking::call(move || search.search(&searcher, &query)).await?;
    Ok(Json((&found).into()))
}

/// Search the playbooks of a user.
#[utoipa::path(post, path = "/api/search_user_playbooks", tag = "Search", request_body = SearchRequest,
    responses((status = 200, body = SearchUserPlaybooksResponse)))]
pub(crate) async fn search_user_playbooks(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<SearchRequest>,
) -> Result<Json<SearchUserPlaybooksResponse>, Problem> {
    let (searcher, query) = request.in_user_playbooks(&caller.org, caller.kind)?;
    let search = app.learning.search_user_playbooks.clone();
    let found = blocking::call(move || search.search(&searcher, &query)).await?;
    Ok(Json((&found).into()))
}

/// Search the playbooks of the organization.
#[utoipa::path(post, path = "/api/search_agent_playbooks", tag = "Search", request_body = SearchRequest,
    responses((status = 200, body = SearchAgentPlaybooksResponse)))]
pub(crate) async fn search_agent_playbooks(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<SearchRequest>,
) -> Result<Json<SearchAgentPlaybooksResponse>, Problem> {
    let (searcher, query) = request.in_agent_playbooks(&caller.org, caller.kind)?;
    let search = app.learning.search_agent_playbooks.clone();
    let found = blocking::call(move || search.search(&searcher, &query)).await?;
    Ok(Json((&found).into()))
}
