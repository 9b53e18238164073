//! Playbooks of the organization.

use actix_web::web::{self, Data, Json};
use learning::AgentPlaybookId;
use wire::learning::agent_playbook::{
    AddAgentPlaybooksRequest, DeleteAgentPlaybookRequest, GetAgentPlaybooksRequest,
    GetAgentPlaybooksResponse, UpdateAgentPlaybookRequest, UpdatePlaybookStatusRequest,
};
use wire::learning::{AddedResponse, ChangedResponse};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/api/add_agent_playbook", "POST").route(web::post().to(add_agent_playbook)))
        .service(resource("/api/get_agent_playbooks", "POST").route(web::post().to(get_agent_playbooks)))
        .service(resource("/api/update_agent_playbook", "PUT").route(web::put().to(update_agent_playbook)))
        .service(
            resource("/api/update_agent_playbook_status", "PUT")
                .route(web::put().to(update_agent_playbook_status)),
        )
        .service(
            resource("/api/delete_agent_playbook", "DELETE").route(web::delete().to(delete_agent_playbook)),
        );
}

/// Add playbooks of the organization, with the users' playbooks they were made from.
#[utoipa::path(post, path = "/api/add_agent_playbook", tag = "Learnings", request_body = AddAgentPlaybooksRequest,
    responses((status = 200, body = AddedResponse<i64>),
              (status = 410, description = "`subject_erased`: a linked playbook's user is erased or being erased")))]
pub(crate) async fn add_agent_playbook(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<AddAgentPlaybooksRequest>,
) -> Result<Json<AddedResponse<i64>>, Problem> {
    let playbooks = request.parse()?;
    let rule = app.learning.add_agent_playbooks.clone();
    let org = caller.org.clone();
    let done = blocking::call(move || rule.add(&org, playbooks)).await?;
    Ok(Json(AddedResponse::of(done.into_iter().map(AgentPlaybookId::number).collect(), "item")))
}

/// List playbooks of the organization, newest first.
#[utoipa::path(post, path = "/api/get_agent_playbooks", tag = "Learnings", request_body = GetAgentPlaybooksRequest,
    responses((status = 200, body = GetAgentPlaybooksResponse)))]
pub(crate) async fn get_agent_playbooks(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetAgentPlaybooksRequest>,
) -> Result<Json<GetAgentPlaybooksResponse>, Problem> {
    let (filter, page) = request.parse()?;
    let rule = app.learning.list_agent_playbooks.clone();
    let org = caller.org.clone();
    let done = blocking::call(move || rule.list(&org, &filter, page)).await?;
    Ok(Json(done.into()))
}

/// Change the stated fields of a playbook.
#[utoipa::path(put, path = "/api/update_agent_playbook", tag = "Learnings", request_body = UpdateAgentPlaybookRequest,
    responses((status = 200, body = ChangedResponse),
              (status = 410, description = "`subject_erased`: a linked playbook's user is erased or being erased")))]
pub(crate) async fn update_agent_playbook(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<UpdateAgentPlaybookRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let (id, changes) = request.parse()?;
    let rule = app.learning.update_agent_playbook.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.update(&org, id, &changes)).await?;
    Ok(Json(ChangedResponse::telling("Playbook updated")))
}

/// Approve of a playbook, or not.
#[utoipa::path(put, path = "/api/update_agent_playbook_status", tag = "Learnings", request_body = UpdatePlaybookStatusRequest,
    responses((status = 200, body = ChangedResponse)))]
pub(crate) async fn update_agent_playbook_status(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<UpdatePlaybookStatusRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let (id, status) = request.parse()?;
    let rule = app.learning.set_playbook_status.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.set(&org, id, status)).await?;
    Ok(Json(ChangedResponse::telling("Playbook status updated successfully")))
}

/// Delete a playbook.
#[utoipa::path(delete, path = "/api/delete_agent_playbook", tag = "Learnings", request_body = DeleteAgentPlaybookRequest,
    responses((status = 200, body = ChangedResponse)))]
pub(crate) async fn delete_agent_playbook(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<DeleteAgentPlaybookRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let id = request.parse()?;
    let rule = app.learning.delete_agent_playbook.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.delete(&org, id)).await?;
    Ok(Json(ChangedResponse::telling("Playbook deleted")))
}
