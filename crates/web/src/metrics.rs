//! Prometheus metrics; never a user, a session or an experiment as a label.

use std::sync::OnceLock;
use std::time::Duration;

use actix_web::http::Method;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Upper bounds of the latency histogram, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

fn recorder() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE
        .get_or_init(|| PrometheusBuilder::new().set_buckets(&BOUNDS).ok()?.install_recorder().ok())
        .as_ref()
}

/// Counts one answered request.
pub(crate) fn record(method: &Method, route: &str, status: u16, elapsed: Duration) {
    if recorder().is_none() {
        return;
    }
    let labels =
        [("method", label(method).to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
    metrics::counter!("touchstone_http_requests_total", &labels).increment(1);
    metrics::histogram!("touchstone_http_request_seconds", "route" => route.to_owned()).record(elapsed);
}

/// A caller may invent methods; each would be a series of its own.
fn label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// All metrics as text.
pub(crate) fn render() -> String {
    recorder().map(PrometheusHandle::render).unwrap_or_default()
}
