//! Governance over HTTP: export a user, erase a user, show how an erasure stands.

use actix_web::HttpResponse;
use actix_web::http::header::{LOCATION, RETRY_AFTER};
use actix_web::web::{self, Data, Json, Path};
use governance::{Actor, EraseAnswer, GovernanceError, PatientCaller, ReceiverGone, Ticket};
use wire::governance::{
    EraseResponse, ExportResponse, ExportText, PreviewRequest, PreviewResponse, PurgeRecord, Receiver,
    TicketRequest,
};

use super::resource;
use crate::app::App;
use crate::auth::GovernanceCaller;
use crate::blocking;
use crate::body::Body;
use crate::problem::Problem;
use crate::streaming::{self, Writer};

/// When to look again after an erasure that goes on.
const LOOK_AGAIN_SECONDS: &str = "2";

pub(super) fn register(config: &mut web::ServiceConfig) {
    config
        .service(resource("/api/governance/export-user", "POST").route(web::post().to(export_user)))
        .service(resource("/api/governance/erase-user", "POST").route(web::post().to(erase_user)))
        .service(resource("/api/governance/erase-preview", "POST").route(web::post().to(erase_preview)))
        .service(
            resource("/api/governance/purge-operations/{purge_id}", "GET").route(web::get().to(show_purge)),
        );
}

fn ticket(caller: &GovernanceCaller, request: &TicketRequest) -> Result<Ticket, Problem> {
    let (user, request) = request.parse()?;
    Ok(Ticket { user, request, actor: Actor::of(caller) })
}

/// Whoever reads an export at the other end.
struct Client<'a>(&'a mut Writer);

impl Receiver for Client<'_> {
    fn take(&mut self, piece: &str) -> Result<(), ReceiverGone> {
        self.0.write(piece).map_err(|_| ReceiverGone)
    }

    /// Nobody here knows what has arrived. A short export is held back until its end, so that one without an audit row
    /// is answered with a problem.
    fn settle(&mut self) -> Result<(), ReceiverGone> {
        Ok(())
    }
}

/// Export everything that is kept about a user.
#[utoipa::path(post, path = "/api/governance/export-user", tag = "Governance", request_body = TicketRequest,
    responses((status = 200, body = ExportResponse),
              (status = 409, description = "`subject_being_erased`")))]
pub(crate) async fn export_user(
    caller: GovernanceCaller,
    app: Data<App>,
    Body(request): Body<TicketRequest>,
) -> Result<HttpResponse, Problem> {
    let ticket = ticket(&caller, &request)?;
    let export = app.governance.export.clone();
    let org = caller.org.clone();
    streaming::answer("application/json", move |writer| {
        match export.export(&org, &ticket, &mut ExportText::new(&mut Client(writer))) {
            Ok(_) | Err(GovernanceError::ReceiverGone) => Ok(()),
            Err(error) => Err(error.into()),
        }
    })
    .await
}

/// Erase a user behind a write barrier; a repeat of the ticket gets the same answer.
#[utoipa::path(post, path = "/api/governance/erase-user", tag = "Governance", request_body = TicketRequest,
    responses((status = 200, body = EraseResponse, description = "Erased, checked and audited"),
              (status = 202, body = PurgeRecord, description = "The work goes on; look again at `Location`")))]
pub(crate) async fn erase_user(
    caller: GovernanceCaller,
    app: Data<App>,
    Body(request): Body<TicketRequest>,
) -> Result<HttpResponse, Problem> {
    let ticket = ticket(&caller, &request)?;
    let (erase, clock) = (app.governance.erase.clone(), app.governance.clock.clone());
    let org = caller.org.clone();
    let answer = blocking::call(move || erase.erase(&org, &ticket, &PatientCaller::new(clock))).await?;
    Ok(match answer {
        EraseAnswer::Complete(report) => HttpResponse::Ok().json(EraseResponse::from(&report)),
        EraseAnswer::Running(view) => HttpResponse::Accepted()
            .insert_header((LOCATION, format!("/api/governance/purge-operations/{}", view.purge_id.as_str())))
            .insert_header((RETRY_AFTER, LOOK_AGAIN_SECONDS))
            .json(PurgeRecord::from(&view)),
    })
}

/// Count what an erasure would take; nothing is written.
#[utoipa::path(post, path = "/api/governance/erase-preview", tag = "Governance", request_body = PreviewRequest,
    responses((status = 200, body = PreviewResponse)))]
pub(crate) async fn erase_preview(
    caller: GovernanceCaller,
    app: Data<App>,
    Body(request): Body<PreviewRequest>,
) -> Result<Json<PreviewResponse>, Problem> {
    let user = request.parse()?;
    let preview = app.governance.preview.clone();
    let org = caller.org.clone();
    let shown = blocking::call(move || preview.preview(&org, &user)).await?;
    Ok(Json((&shown).into()))
}

/// Show how an erasure stands.
#[utoipa::path(get, path = "/api/governance/purge-operations/{purge_id}", tag = "Governance",
    params(("purge_id" = String, Path, description = "The purge, as erase-user answered it")),
    responses((status = 200, body = PurgeRecord)))]
pub(crate) async fn show_purge(
    caller: GovernanceCaller,
    app: Data<App>,
    purge_id: Path<String>,
) -> Result<Json<PurgeRecord>, Problem> {
    let show = app.governance.show.clone();
    let org = caller.org.clone();
    let view = blocking::call(move || show.show(&org, &purge_id)).await?;
    Ok(Json((&view).into()))
}
