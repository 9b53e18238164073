//! Judged results and partner scores brought in from elsewhere.

use actix_web::web::{self, Data, Json};
use wire::evaluation::intake::{ImportResultsRequest, IntakeResponse, PartnerScoresRequest};

use crate::app::App;
use crate::auth::{DashboardCaller, OrgCaller};
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(
            resource("/api/import_evaluation_results", "POST")
                .route(web::post().to(import_evaluation_results)),
        )
        .service(resource("/api/partner_scores", "POST").route(web::post().to(partner_scores)));
}

/// Bring judged results in, all of them or none; a repeat changes nothing.
#[utoipa::path(post, path = "/api/import_evaluation_results", tag = "Evaluation",
    request_body = ImportResultsRequest,
    responses((status = 200, body = IntakeResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn import_evaluation_results(
    caller: DashboardCaller,
    app: Data<App>,
    Body(request): Body<ImportResultsRequest>,
) -> Result<Json<IntakeResponse>, Problem> {
    let batch = request.parse()?;
    let import = app.evaluation.import_results.clone();
    let org = caller.org.clone();
    let intake = blocking::call(move || import.import(&org, &batch)).await?;
    Ok(Json(intake.into()))
}

/// Bring scores of somebody else's scorers in; a repeat of the same run and scorer replaces the score.
#[utoipa::path(post, path = "/api/partner_scores", tag = "Evaluation", request_body = PartnerScoresRequest,
    responses((status = 200, body = IntakeResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`")))]
pub(crate) async fn partner_scores(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<PartnerScoresRequest>,
) -> Result<Json<IntakeResponse>, Problem> {
    let batch = request.parse()?;
    let take = app.evaluation.take_partner_scores.clone();
    let org = caller.org.clone();
    let intake = blocking::call(move || take.take(&org, &batch)).await?;
    Ok(Json(intake.into()))
}
