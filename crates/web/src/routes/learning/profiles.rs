//! Profiles of users.

use actix_web::web::{self, Data, Json};
use learning::ProfileId;
use wire::learning::profile::{
    AddProfilesRequest, DeleteProfileRequest, GetProfilesRequest, GetProfilesResponse, UpdateProfileRequest,
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
        .service(resource("/api/add_user_profile", "POST").route(web::post().to(add_user_profile)))
        .service(resource("/api/get_profiles", "POST").route(web::post().to(get_profiles)))
        .service(resource("/api/update_user_profile", "PUT").route(web::put().to(update_user_profile)))
        .service(resource("/api/delete_profile", "DELETE").route(web::delete().to(delete_profile)));
}

/// Add profiles; a repeated id replaces its user's profile.
#[utoipa::path(post, path = "/api/add_user_profile", tag = "Learnings", request_body = AddProfilesRequest,
    responses((status = 200, body = AddedResponse<String>),
              (status = 409, description = "`subject_being_erased` or `profile_of_another_user`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn add_user_profile(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<AddProfilesRequest>,
) -> Result<Json<AddedResponse<String>>, Problem> {
    let profiles = request.parse()?;
    let rule = app.learning.add_profiles.clone();
    let org = caller.org.clone();
    let done = blocking::call(move || rule.add(&org, profiles)).await?;
    Ok(Json(AddedResponse::of(done.into_iter().map(ProfileId::into_string).collect(), "profile")))
}

/// List profiles, the last changed first.
#[utoipa::path(post, path = "/api/get_profiles", tag = "Learnings", request_body = GetProfilesRequest,
    responses((status = 200, body = GetProfilesResponse)))]
pub(crate) async fn get_profiles(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetProfilesRequest>,
) -> Result<Json<GetProfilesResponse>, Problem> {
    let (filter, page) = request.parse()?;
    let rule = app.learning.list_profiles.clone();
    let org = caller.org.clone();
    let done = blocking::call(move || rule.list(&org, &filter, page)).await?;
    Ok(Json(done.into()))
}

/// Change the stated fields of a profile.
#[utoipa::path(put, path = "/api/update_user_profile", tag = "Learnings", request_body = UpdateProfileRequest,
    responses((status = 200, body = ChangedResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn update_user_profile(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<UpdateProfileRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let (named, changes) = request.parse()?;
    let rule = app.learning.update_profile.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.update(&org, &named, &changes)).await?;
    Ok(Json(ChangedResponse::telling("Profile updated")))
}

/// Delete a profile.
#[utoipa::path(delete, path = "/api/delete_profile", tag = "Learnings", request_body = DeleteProfileRequest,
    responses((status = 200, body = ChangedResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn delete_profile(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<DeleteProfileRequest>,
) -> Result<Json<ChangedResponse>, Problem> {
    let named = request.parse()?;
    let rule = app.learning.delete_profile.clone();
    let org = caller.org.clone();
    blocking::call(move || rule.delete(&org, &named)).await?;
    Ok(Json(ChangedResponse::telling("Profile deleted")))
}
