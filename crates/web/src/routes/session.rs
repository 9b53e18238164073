//! Signing in and out of the dashboard, and asking who one is.

use actix_web::cookie::{Cookie, SameSite};
use actix_web::web::{self, Data, Json};
use actix_web::{HttpRequest, HttpResponse};
use kernel::Timestamp;
use wire::credential::{SignInRequest, WhoAmIResponse};

use super::resource;
use crate::app::App;
use crate::auth::{OrgCaller, SESSION_COOKIE};
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config.service(
        resource("/api/auth/session", "GET, POST, DELETE")
            .route(web::post().to(sign_in))
            .route(web::get().to(who_am_i))
            .route(web::delete().to(sign_out)),
    );
}

fn session_cookie(value: String, is_secure: bool) -> Cookie<'static> {
    Cookie::build(SESSION_COOKIE, value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(is_secure)
        .finish()
}

/// Trade a dashboard bearer for a session cookie.
#[utoipa::path(post, path = "/api/auth/session", tag = "Sign-in", request_body = SignInRequest,
    responses((status = 204, description = "Signed in; the cookie `touchstone_session` is set")))]
pub(crate) async fn sign_in(
    app: Data<App>,
    Body(request): Body<SignInRequest>,
) -> Result<HttpResponse, Problem> {
    let sign_in = app.organization.sign_in.clone();
    let minted = blocking::call(move || sign_in.sign_in(request.token.trim())).await?;
    let mut cookie = session_cookie(minted.token.reveal(), app.settings.secure_cookie);
    let expires = minted.credential.expires_at.map(Timestamp::seconds);
    let made = minted.credential.created_at.seconds();
    cookie.set_max_age(expires.map(|end| actix_web::cookie::time::Duration::seconds(end - made)));
    Ok(HttpResponse::NoContent().cookie(cookie).finish())
}

/// Say who one is.
#[utoipa::path(get, path = "/api/auth/session", tag = "Sign-in", responses((status = 200, body = WhoAmIResponse)))]
pub(crate) async fn who_am_i(caller: OrgCaller) -> Json<WhoAmIResponse> {
    Json((&*caller).into())
}

/// End the session.
#[utoipa::path(delete, path = "/api/auth/session", tag = "Sign-in",
    responses((status = 204, description = "Signed out")))]
pub(crate) async fn sign_out(
    caller: OrgCaller,
    app: Data<App>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let sign_out = app.organization.sign_out.clone();
    let caller = caller.clone();
    blocking::call(move || sign_out.sign_out(&caller)).await?;
    app.callers.forget();
    let mut answer = HttpResponse::NoContent();
    if request.cookie(SESSION_COOKIE).is_some() {
        let mut cookie = session_cookie(String::new(), app.settings.secure_cookie);
        cookie.make_removal();
        answer.cookie(cookie);
    }
    Ok(answer.finish())
}
