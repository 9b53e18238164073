//! The dashboard's files, embedded in the binary as the build made them: hashed names, compressed beforehand.

use actix_web::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, IF_NONE_MATCH, VARY};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use rust_embed::RustEmbed;

use crate::problem::{Code, Problem};

#[derive(RustEmbed)]
#[folder = "dashboard/dist"]
#[allow_missing = true]
struct Files;

/// The addresses of the pages; each is answered with the one document, which shows the page by its address.
const PAGES: [&str; 11] = [
    "/",
    "/sign-in",
    "/compare",
    "/sessions",
    "/sessions/{user_id}/{session_id}",
    "/shadow",
    "/jobs",
    "/experiments",
    "/experiments/{id}",
    "/governance",
    "/system",
];

/// What is served when the binary was built without the front end.
const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Touchstone</title>\
     <h1>The dashboard was not built</h1><p>The interface works without it: see <a href=\"/api/docs/\">/api/docs</a>. \
     To build the pages, run <code>make dashboard</code> and build the binary again.</p></html>";

/// Encodings the build left beside each file, best first.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

pub(crate) fn register(config: &mut ServiceConfig) {
    for page in PAGES {
        config.service(web::resource(page).route(web::get().to(show_page)));
    }
    config.service(
        web::resource("/{file:(assets/.*|favicon\\.svg|robots\\.txt)}").route(web::get().to(show_file)),
    );
}

async fn show_page(request: HttpRequest) -> HttpResponse {
    document(&request, StatusCode::OK)
}

/// Answers whatever no route takes: a person gets a page that says so, a program a problem document.
pub(crate) async fn nothing_here(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let wants_page = request.method() == Method::GET
        && !request.path().starts_with("/api/")
        && accepts(&request, actix_web::http::header::ACCEPT.as_str(), "text/html");
    if wants_page {
        Ok(document(&request, StatusCode::NOT_FOUND))
    } else {
        Err(Problem::new(Code::RouteNotFound))
    }
}

fn document(request: &HttpRequest, status: StatusCode) -> HttpResponse {
    answer(request, "index.html", "no-cache", status).unwrap_or_else(|| {
        HttpResponse::build(status).content_type("text/html; charset=utf-8").body(NOT_BUILT)
    })
}

async fn show_file(request: HttpRequest, file: web::Path<String>) -> Result<HttpResponse, Problem> {
    // A file's name changes with its content, so a browser need never ask again.
    let lifetime = if file.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=3600"
    };
    answer(&request, &file, lifetime, StatusCode::OK).ok_or_else(|| Problem::new(Code::RouteNotFound))
}

fn answer(
    request: &HttpRequest,
    name: &str,
    lifetime: &'static str,
    status: StatusCode,
) -> Option<HttpResponse> {
    let plain = Files::get(name)?;
    let tag = format!("\"{}\"", hex::encode(plain.metadata.sha256_hash()));
    let mut answer = HttpResponse::build(status);
    answer
        .content_type(content_type(name))
        .insert_header((CACHE_CONTROL, lifetime))
        .insert_header((ETAG, tag.clone()))
        .insert_header((VARY, "accept-encoding"));
    if status == StatusCode::OK && accepts(request, IF_NONE_MATCH.as_str(), &tag) {
        return Some(answer.status(StatusCode::NOT_MODIFIED).finish());
    }
    let compressed = ENCODINGS.into_iter().find_map(|(encoding, suffix)| {
        let file = Files::get(&format!("{name}{suffix}"))?;
        accepts(request, ACCEPT_ENCODING.as_str(), encoding).then_some((encoding, file))
    });
    Some(match compressed {
        Some((encoding, file)) => {
            answer.insert_header((CONTENT_ENCODING, encoding)).body(file.data.into_owned())
        }
        None => answer.body(plain.data.into_owned()),
    })
}

fn accepts(request: &HttpRequest, header: &str, wanted: &str) -> bool {
    request
        .headers()
        .get(header)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains(wanted))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
