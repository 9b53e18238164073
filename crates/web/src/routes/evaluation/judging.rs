//! Replays of the judge, grades on demand, and how judging stands.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use actix_web::web::{self, Data, Json, Path};
use evaluation::judging::{JobId, Patience};
use wire::evaluation::judging::{EvaluationStatusResponse, GradeOnDemandRequest, GradeOnDemandResponse};
use wire::evaluation::regeneration::{
    RegeneratePreviewResponse, RegenerateRequest, RegenerateResponse, RegenerateStatusResponse,
    RegenerationsQuery, RegenerationsResponse,
};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::{Code, Problem};
use crate::query::QueryFields;
use crate::routes::resource;

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(
            resource("/api/evaluations/regenerate", "GET, POST")
                .route(web::get().to(list_regenerations))
                .route(web::post().to(regenerate)),
        )
        .service(
            // No job is called "preview": their ids are made here.
            resource("/api/evaluations/regenerate/preview", "POST")
                .route(web::post().to(preview_regeneration)),
        )
        .service(
            resource("/api/evaluations/regenerate/{job_id}", "DELETE, GET")
                .route(web::get().to(show_regeneration))
                .route(web::delete().to(cancel_regeneration)),
        )
        .service(resource("/api/evaluations/grade_on_demand", "POST").route(web::post().to(grade_on_demand)))
        .service(resource("/api/evaluations/status", "GET").route(web::get().to(evaluation_status)));
}

/// Judge the sessions of a window again; answers at once, the work goes on.
#[utoipa::path(post, path = "/api/evaluations/regenerate", tag = "Evaluation", request_body = RegenerateRequest,
    responses((status = 200, body = RegenerateResponse),
              (status = 409, description = "`regeneration_running`")))]
pub(crate) async fn regenerate(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<RegenerateRequest>,
) -> Result<Json<RegenerateResponse>, Problem> {
    let (window, name) = request.parse()?;
    let start = app.judging.start.clone();
    let org = caller.org.clone();
    let started = blocking::call(move || start.start(&org, window, &name)).await?;
    Ok(Json((&started).into()))
}

/// Say what a replay of a window would be; starts nothing.
#[utoipa::path(post, path = "/api/evaluations/regenerate/preview", tag = "Evaluation",
    request_body = RegenerateRequest, responses((status = 200, body = RegeneratePreviewResponse)))]
pub(crate) async fn preview_regeneration(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<RegenerateRequest>,
) -> Result<Json<RegeneratePreviewResponse>, Problem> {
    let (window, _) = request.parse()?;
    let preview = app.judging.preview.clone();
    let org = caller.org.clone();
    let preview = blocking::call(move || preview.preview(&org, window)).await?;
    Ok(Json((&preview).into()))
}

/// List replays, newest first.
#[utoipa::path(get, path = "/api/evaluations/regenerate", tag = "Evaluation", params(RegenerationsQuery),
    responses((status = 200, body = RegenerationsResponse)))]
pub(crate) async fn list_regenerations(
    caller: OrgCaller,
    app: Data<App>,
    QueryFields(query): QueryFields<RegenerationsQuery>,
) -> Result<Json<RegenerationsResponse>, Problem> {
    let (after, limit) = query.parse()?;
    let list = app.judging.list.clone();
    let org = caller.org.clone();
    let page = blocking::call(move || list.list(&org, after, limit)).await?;
    Ok(Json(page.into()))
}

/// Show how a replay stands.
#[utoipa::path(get, path = "/api/evaluations/regenerate/{job_id}", tag = "Evaluation",
    params(("job_id" = String, Path, description = "The job, as it was started")),
    responses((status = 200, body = RegenerateStatusResponse),
              (status = 404, description = "`job_not_found`")))]
pub(crate) async fn show_regeneration(
    caller: OrgCaller,
    app: Data<App>,
    job_id: Path<String>,
) -> Result<Json<RegenerateStatusResponse>, Problem> {
    let id = named(&job_id)?;
    let read = app.judging.read.clone();
    let org = caller.org.clone();
    let job = blocking::call(move || read.read(&org, &id)).await?;
    Ok(Json((&job).into()))
}

/// Stop a replay; one that has ended stays as it is.
#[utoipa::path(delete, path = "/api/evaluations/regenerate/{job_id}", tag = "Evaluation",
    params(("job_id" = String, Path, description = "The job, as it was started")),
    responses((status = 200, body = RegenerateStatusResponse),
              (status = 404, description = "`job_not_found`")))]
pub(crate) async fn cancel_regeneration(
    caller: OrgCaller,
    app: Data<App>,
    job_id: Path<String>,
) -> Result<Json<RegenerateStatusResponse>, Problem> {
    let id = named(&job_id)?;
    let cancel = app.judging.cancel.clone();
    let org = caller.org.clone();
    let job = blocking::call(move || cancel.cancel(&org, &id)).await?;
    Ok(Json((&job).into()))
}

/// Grade one session now; a result of the last 24 hours is good enough unless the session has changed.
#[utoipa::path(post, path = "/api/evaluations/grade_on_demand", tag = "Evaluation",
    request_body = GradeOnDemandRequest,
    responses((status = 200, body = GradeOnDemandResponse),
              (status = 409, description = "`subject_being_erased`"),
              (status = 410, description = "`subject_erased`"),
              (status = 502, description = "`judge_unavailable`")))]
pub(crate) async fn grade_on_demand(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GradeOnDemandRequest>,
) -> Result<Json<GradeOnDemandResponse>, Problem> {
    let request = request.parse()?;
    let grade = app.judging.grade.clone();
    let org = caller.org.clone();
    let session = request.session_id.clone();
    let graded = blocking::call(move || grade.grade(&org, &request, &HalfAMinute::default())).await?;
    Ok(Json(GradeOnDemandResponse::of(&session, graded)))
}

/// Is my evaluator running? What waits, runs and failed, and whether the judge can be reached.
#[utoipa::path(get, path = "/api/evaluations/status", tag = "Evaluation",
    responses((status = 200, body = EvaluationStatusResponse)))]
pub(crate) async fn evaluation_status(
    caller: OrgCaller,
    app: Data<App>,
) -> Result<Json<EvaluationStatusResponse>, Problem> {
    let status = app.judging.status.clone();
    let org = caller.org.clone();
    let status = blocking::call(move || status.read(&org)).await?;
    Ok(Json((&status).into()))
}

/// What cannot name a job names none of ours.
fn named(id: &str) -> Result<JobId, Problem> {
    JobId::new(id).map_err(|_| Problem::new(Code::JobNotFound))
}

/// Waits for somebody else's grade, up to about half a minute.
#[derive(Default)]
struct HalfAMinute(Cell<u32>);

impl Patience for HalfAMinute {
    fn wait(&self) -> ControlFlow<()> {
        if self.0.get() >= 280 {
            return ControlFlow::Break(());
        }
        self.0.set(self.0.get() + 1);
        std::thread::sleep(Duration::from_millis(100));
        ControlFlow::Continue(())
    }
}
