//! What surrounds every request: its id, its log line, its metrics, its headers, and a floor under every failure.

use std::cell::Cell;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, ResponseError};
use futures_util::FutureExt as _;
use tracing::Instrument as _;

use crate::metrics;
use crate::problem::Problem;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest request id we take from a caller.
const LONGEST_REQUEST_ID: usize = 128;
/// Pages of ours load from ourselves alone.
const POLICY: &str = "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// Handles one request inside its context.
pub(crate) async fn surround(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = request_id(&request);
    let method = request.method().clone();
    let started = Instant::now();
    let span = tracing::info_span!("request", request_id = id.as_str());
    let handled = AssertUnwindSafe(next.call(request)).catch_unwind().instrument(span.clone()).await;
    let response = match handled {
        Ok(Ok(response)) => response.map_into_boxed_body(),
        Ok(Err(error)) => {
            let problem = error.as_error::<Problem>().cloned();
            let status = error.as_response_error().status_code();
            return Err(Told { problem: problem.unwrap_or_else(|| Problem::of_status(status)), id }.into());
        }
        Err(_panic) => {
            span.in_scope(|| tracing::error!("a handler panicked"));
            metrics::record(&method, "panicked", 500, started.elapsed());
            return Err(Told { problem: Problem::internal(), id }.into());
        }
    };
    let mut response = told_as_problem(response, &id);
    add_headers(response.headers_mut(), &id);
    // The pattern, not the path: a path may name a user.
    let route = response.request().match_pattern().unwrap_or_else(|| "none".to_owned());
    let status = response.status().as_u16();
    let elapsed = started.elapsed();
    metrics::record(&method, &route, status, elapsed);
    span.in_scope(|| {
        let milliseconds = elapsed.as_secs_f64() * 1_000.0;
        tracing::info!(method = method.as_str(), route, status, milliseconds, "answered");
    });
    Ok(response)
}

/// The caller's id if it is sane, else one of ours.
fn request_id(request: &ServiceRequest) -> String {
    let sent = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
        (1..=LONGEST_REQUEST_ID).contains(&id.len()) && id.bytes().all(is_plain)
    });
    sent.map_or_else(id_of_ours, str::to_owned)
}

/// An id that no other request has: random once for each thread, then counted on. It need not be secret.
fn id_of_ours() -> String {
    thread_local! {
        static NEXT: Cell<u128> = Cell::new(uuid::Uuid::new_v4().as_u128());
    }
    let number = NEXT.get();
    NEXT.set(number.wrapping_add(1));
    uuid::Uuid::from_u128(number).to_string()
}

/// Writes out the problem that an answer carries, and finds one for a failure that carries none.
fn told_as_problem(response: ServiceResponse<BoxBody>, id: &str) -> ServiceResponse<BoxBody> {
    let carried = response.response().extensions().get::<Problem>().cloned();
    let status = response.status();
    // A page for people says itself that there is nothing.
    let is_told = response.headers().get(CONTENT_TYPE).is_some_and(|kind| {
        ["application/problem+json", "text/html"]
            .iter()
            .any(|told| kind.as_bytes().starts_with(told.as_bytes()))
    });
    let is_failure = status.is_client_error() || status.is_server_error();
    match carried {
        Some(problem) => response.into_response(problem.answer(id)),
        None if is_failure && !is_told => response.into_response(Problem::of_status(status).answer(id)),
        None => response,
    }
}

/// A failure for which there is no answer to write into: the request is gone with whoever failed.
#[derive(Debug)]
struct Told {
    problem: Problem,
    id: String,
}

impl fmt::Display for Told {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(out)
    }
}

impl ResponseError for Told {
    fn status_code(&self) -> StatusCode {
        self.problem.status_code()
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = self.problem.answer(&self.id);
        add_headers(answer.headers_mut(), &self.id);
        answer
    }
}

fn add_headers(headers: &mut HeaderMap, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("x-frame-options"), HeaderValue::from_static("DENY"));
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    }
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests;
