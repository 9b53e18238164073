//! Agent-success results, page by page or as one stream.

use actix_web::HttpResponse;
use actix_web::web::{self, Data, Json};
use evaluation::EvaluationError;
use wire::evaluation::result::{
    CSV_HEADER, GetAgentSuccessEvaluationResultsRequest, GetAgentSuccessEvaluationResultsResponse,
    ResultRecord, ResultStreamQuery,
};

use crate::app::App;
use crate::auth::OrgCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::query::QueryFields;
use crate::routes::resource;
use crate::streaming::{self, ReaderGone};

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(
            resource("/api/get_agent_success_evaluation_results", "POST")
                .route(web::post().to(get_agent_success_evaluation_results)),
        )
        .service(resource("/api/evaluations/results.csv", "GET").route(web::get().to(results_csv)))
        .service(resource("/api/evaluations/results.ndjson", "GET").route(web::get().to(results_ndjson)));
}

/// Read how sessions went, newest first.
#[utoipa::path(post, path = "/api/get_agent_success_evaluation_results", tag = "Evaluation",
    request_body = GetAgentSuccessEvaluationResultsRequest,
    responses((status = 200, body = GetAgentSuccessEvaluationResultsResponse)))]
pub(crate) async fn get_agent_success_evaluation_results(
    caller: OrgCaller,
    app: Data<App>,
    Body(request): Body<GetAgentSuccessEvaluationResultsRequest>,
) -> Result<Json<GetAgentSuccessEvaluationResultsResponse>, Problem> {
    let (filter, after, limit) = request.parse()?;
    let list = app.evaluation.list_results.clone();
    let org = caller.org.clone();
    let page = blocking::call(move || list.list(&org, &filter, after, limit)).await?;
    Ok(Json(page.into()))
}

/// Stream all results of a filter as CSV.
#[utoipa::path(get, path = "/api/evaluations/results.csv", tag = "Evaluation", params(ResultStreamQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub(crate) async fn results_csv(
    caller: OrgCaller,
    app: Data<App>,
    QueryFields(query): QueryFields<ResultStreamQuery>,
) -> Result<HttpResponse, Problem> {
    stream(caller, app, query, "text/csv; charset=utf-8", CSV_HEADER, ResultRecord::csv_line).await
}

/// Stream all results of a filter as JSON lines.
#[utoipa::path(get, path = "/api/evaluations/results.ndjson", tag = "Evaluation", params(ResultStreamQuery),
    responses((status = 200, content_type = "application/x-ndjson", body = String)))]
pub(crate) async fn results_ndjson(
    caller: OrgCaller,
    app: Data<App>,
    QueryFields(query): QueryFields<ResultStreamQuery>,
) -> Result<HttpResponse, Problem> {
    stream(caller, app, query, "application/x-ndjson", "", ResultRecord::ndjson_line).await
}

/// Why a stream ended early.
enum Ended {
    ReaderGone,
    Failed(EvaluationError),
}

impl From<EvaluationError> for Ended {
    fn from(error: EvaluationError) -> Self {
        Self::Failed(error)
    }
}

impl From<ReaderGone> for Ended {
    fn from(_: ReaderGone) -> Self {
        Self::ReaderGone
    }
}

async fn stream(
    caller: OrgCaller,
    app: Data<App>,
    query: ResultStreamQuery,
    content_type: &'static str,
    header: &'static str,
    line: fn(&ResultRecord) -> String,
) -> Result<HttpResponse, Problem> {
    let filter = query.parse()?;
    let results = app.evaluation.stream_results.clone();
    let org = caller.org.clone();
    streaming::answer(content_type, move |writer| {
        let mut write = |text: &str| writer.write(text);
        let streamed = write(header).map_err(Ended::from).and_then(|()| {
            results.stream(&org, &filter, |page| {
                page.iter().try_for_each(|row| Ok::<(), Ended>(write(&line(&row.into()))?))
            })
        });
        match streamed {
            Ok(()) | Err(Ended::ReaderGone) => Ok(()),
            Err(Ended::Failed(error)) => Err(error.into()),
        }
    })
    .await
}
