//! Verdicts on retrieved learnings and on shadow answers.

use actix_web::web::{self, Data, Json};
use wire::evaluation::learning_verdict::{
    GetRetrievedLearningEvaluationResultsRequest, GetRetrievedLearningEvaluationResultsResponse,
};
use wire::evaluation::shadow::{RecentShadowQuery, RecentShadowResponse};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::query::QueryFields;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(
            resource("/api/get_retrieved_learning_evaluation_results", "POST")
                .route(web::post().to(get_retrieved_learning_evaluation_results)),
        )
        .service(
            resource("/api/evaluations/shadow_comparisons/recent", "GET")
                .route(web::get().to(recent_shadow_comparisons)),
        );
}

/// Read the verdicts on retrieved learnings, newest first.
#[utoipa::path(post, path = "/api/get_retrieved_learning_evaluation_results", tag = "Evaluation",
    request_body = GetRetrievedLearningEvaluationResultsRequest,
    responses((status = 200, body = GetRetrievedLearningEvaluationResultsResponse)))]
pub(crate) async fn get_retrieved_learning_evaluation_results(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetRetrievedLearningEvaluationResultsRequest>,
) -> Result<Json<GetRetrievedLearningEvaluationResultsResponse>, Problem> {
    let (filter, after, limit) = request.parse()?;
    let list = app.evaluation.list_learning_verdicts.clone();
    let org = caller.org.clone();
    let page = blocking::call(move || list.list(&org, &filter, after, limit)).await?;
    Ok(Json(page.into()))
}

/// Read recent shadow verdicts of the pinned rubric epoch, newest first, of the last 30 days.
#[utoipa::path(get, path = "/api/evaluations/shadow_comparisons/recent", tag = "Evaluation",
    params(RecentShadowQuery), responses((status = 200, body = RecentShadowResponse)))]
pub(crate) async fn recent_shadow_comparisons(
    caller: OrgCaller,
    app: Data<App>,
    QueryFields(query): QueryFields<RecentShadowQuery>,
) -> Result<Json<RecentShadowResponse>, Problem> {
    let (filter, limit) = query.parse()?;
    let list = app.evaluation.list_recent_shadow.clone();
    let org = caller.org.clone();
    let verdicts = blocking::call(move || list.list(&org, &filter, limit)).await?;
    Ok(Json(RecentShadowResponse { verdicts: verdicts.iter().map(Into::into).collect() }))
}
