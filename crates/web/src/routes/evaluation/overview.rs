//! The overview: how well the agent does, in one call.

use actix_web::web::{self, Data, Json};
use wire::evaluation::overview::GetEvaluationOverviewRequest;
use wire::evaluation::overview_answer::GetEvaluationOverviewResponse;

use crate::app::App;
use crate::auth::OrgCaller;
use crate::body::Body;
use crate::problem::Problem;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config.service(
        resource("/api/get_evaluation_overview", "POST").route(web::post().to(get_evaluation_overview)),
    );
}

/// Read how well the agent does over a window, with its uncertainty.
#[utoipa::path(post, path = "/api/get_evaluation_overview", tag = "Evaluation",
    request_body = GetEvaluationOverviewRequest,
    responses((status = 200, body = GetEvaluationOverviewResponse)))]
pub(crate) async fn get_evaluation_overview(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetEvaluationOverviewRequest>,
) -> Result<Json<GetEvaluationOverviewResponse>, Problem> {
    let query = request.parse()?;
    let read = app.evaluation.read_overview.clone();
    let key = (caller.org.clone(), query.clone());
    let org = caller.org.clone();
    let overview = app.shared.overview.read(key, move || read.read(&org, &query)).await?;
    Ok(Json((&*overview).into()))
}
