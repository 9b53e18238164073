//! Retrieval experiments over HTTP.

use actix_web::web::{self, Data, Json, Path};
use kernel::ExperimentId;
use wire::experiments::{
    PlanExperimentRequest, PlanExperimentResponse, RetrievalExperimentListResponse,
    RetrievalExperimentResultsResponse, StartExperimentRequest, StopExperimentRequest,
};

use super::resource;
use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::{Code, Problem};

type ListAnswer = Result<Json<RetrievalExperimentListResponse>, Problem>;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(
            resource("/api/retrieval_experiments", "GET, POST")
                .route(web::get().to(list_experiments))
                .route(web::post().to(start_experiment)),
        )
        .service(resource("/api/retrieval_experiments/stop", "POST").route(web::post().to(stop_experiment)))
        .service(resource("/api/retrieval_experiments/plan", "POST").route(web::post().to(plan_experiment)))
        .service(
            resource("/api/retrieval_experiments/{experiment_id}/results", "GET")
                .route(web::get().to(experiment_results)),
        );
}

/// List the organization's experiments, the active one apart.
#[utoipa::path(get, path = "/api/retrieval_experiments", tag = "Retrieval experiments",
    responses((status = 200, body = RetrievalExperimentListResponse)))]
pub(crate) async fn list_experiments(caller: OrgCaller, app: Data<App>) -> ListAnswer {
    let list = app.experiments.list.clone();
    let org = caller.org.clone();
    let listed = app.shared.experiments.read(caller.org.clone(), move || list.list(&org)).await?;
    Ok(Json((&*listed).into()))
}

/// Start an experiment; at most one runs at a time and an id is never used twice.
#[utoipa::path(post, path = "/api/retrieval_experiments", tag = "Retrieval experiments",
    request_body = StartExperimentRequest,
    responses((status = 200, body = RetrievalExperimentListResponse),
              (status = 409, description = "`experiment_already_active` or `experiment_id_reused`")))]
pub(crate) async fn start_experiment(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<StartExperimentRequest>,
) -> ListAnswer {
    let (id, holdout) = request.parse()?;
    let start = app.experiments.start.clone();
    let org = caller.org.clone();
    let listed = blocking::call(move || start.start(&org, &id, holdout)).await?;
    Ok(Json((&listed).into()))
}

/// Stop an active experiment; what it assigned and measured is kept.
#[utoipa::path(post, path = "/api/retrieval_experiments/stop", tag = "Retrieval experiments",
    request_body = StopExperimentRequest,
    responses((status = 200, body = RetrievalExperimentListResponse),
              (status = 404, description = "`experiment_not_found`"),
              (status = 409, description = "`experiment_not_active`")))]
pub(crate) async fn stop_experiment(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<StopExperimentRequest>,
) -> ListAnswer {
    let id = request.parse()?;
    let stop = app.experiments.stop.clone();
    let org = caller.org.clone();
    let listed = blocking::call(move || stop.stop(&org, &id)).await?;
    Ok(Json((&listed).into()))
}

/// Say what an experiment could find, before it is started; what is left out comes from the last 28 days.
#[utoipa::path(post, path = "/api/retrieval_experiments/plan", tag = "Retrieval experiments",
    request_body = PlanExperimentRequest,
    responses((status = 200, body = PlanExperimentResponse)))]
pub(crate) async fn plan_experiment(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<PlanExperimentRequest>,
) -> Result<Json<PlanExperimentResponse>, Problem> {
    let wanted = request.parse()?;
    let plan = app.experiments.plan.clone();
    let org = caller.org.clone();
    let planned = blocking::call(move || plan.plan(&org, &wanted)).await?;
    Ok(Json((&planned).into()))
}

/// Read what an experiment has measured, from its start to its end or until now.
#[utoipa::path(get, path = "/api/retrieval_experiments/{experiment_id}/results", tag = "Retrieval experiments",
    params(("experiment_id" = String, Path, description = "The experiment's name")),
    responses((status = 200, body = RetrievalExperimentResultsResponse),
              (status = 404, description = "`experiment_not_found`")))]
pub(crate) async fn experiment_results(
    caller: OrgCaller,
    app: Data<App>,
    experiment_id: Path<String>,
) -> Result<Json<RetrievalExperimentResultsResponse>, Problem> {
    // What cannot name an experiment names none of ours.
    let id = ExperimentId::new(&experiment_id).map_err(|_| Problem::new(Code::ExperimentNotFound))?;
    let read = app.experiments.results.clone();
    let key = (caller.org.clone(), id.clone());
    let org = caller.org.clone();
    let results = app.shared.experiment_results.read(key, move || read.read(&org, &id)).await?;
    Ok(Json((&*results).into()))
}
