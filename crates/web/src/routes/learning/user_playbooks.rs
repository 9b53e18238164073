//! Playbooks of users.

use actix_web::web::{self, Data, Json};
use learning::UserPlaybookId;
use wire::learning::user_playbook::{
    AddUserPlaybooksRequest, DeleteUserPlaybookRequest, GetUserPlaybooksRequest, GetUserPlaybooksResponse,
    UpdateUserPlaybookRequest,
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
        .service(resource("/api/add_user_playbook", "POST").route(web::post().to(add_user_playbook)))
        .service(resource("/api/get_user_playbooks", "POST").route(web::post().to(get_user_playbooks)))
        .service(resource("/api/update_user_playbook", "PUT").route(web::put().to(update_user_playbook)))
        .service(
            resource("/api/delete_user_playbook", "DELETE").route(web::delete().to(delete_user_playbook)),
        );
}

/// Add playbooks of users.
#[utoipa::path(post, path = "/api/add_user_playbook", tag = "Learnings", request_body = AddUserPlaybooksRequest,
    responses((status = 200, body = AddedResponse<i64>),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn add_user_playbook(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<AddUserPlaybooksRequest>,
) -> Result<Json<AddedResponse<i64>>, Problem> {
    let playbooks = request.parse()?;
    let rule = app.learning.add_user_playbooks.clone();
    let org = caller.org.clone();
    let done = blocking::call(move || rule.add(&org, playbooks)).await?;
    Ok(Json(AddedResponse::of(done.into_iter().map(UserPlaybookId::number).collect(), "item")))
}

/// List playbooks of users, newest first.
#[utoipa::path(post, path = "/api/get_user_playbooks", tag = "Learnings", request_body = GetUserPlaybooksRequest,
    responses((status = 200, body = GetUserPlaybooksResponse)))]
pub(crate) async fn get_user_playbooks(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetUserPlaybooksRequest>,
) -> Result<Json<GetUserPlaybooksResponse>, Problem> {
    let (filter, page) = request.parse()?;
    let rule = app.learning.list_user_playbooks.clone();
    let org = caller.org.clone();
    let done = blocking::call(move || rule.list(&org, &filter, page)).await?;
    Ok(Json(done.into()))
}

/// Change the stated fields of a user's playbook.
#[utoipa::path(put, path = "/api/update_user_playbook", tag = "Learnings", request_body = UpdateUserPlaybookRequest,
    responses((status = 200, body = ChangedResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn update_user_playbook(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<UpdateUserPlaybookRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let (id, changes) = request.parse()?;
    let rule = app.learning.update_user_playbook.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.update(&org, id, &changes)).await?;
    Ok(Json(ChangedResponse::telling("Playbook updated")))
}

/// Delete a user's playbook.
#[utoipa::path(delete, path = "/api/delete_user_playbook", tag = "Learnings", request_body = DeleteUserPlaybookRequest,
    responses((status = 200, body = ChangedResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn delete_user_playbook(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<DeleteUserPlaybookRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let id = request.parse()?;
    let rule = app.learning.delete_user_playbook.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.delete(&org, id)).await?;
    Ok(Json(ChangedResponse::telling("Playbook deleted")))
}
