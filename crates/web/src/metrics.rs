//! Prometheus metrics; never a user, a session or an experiment as a label.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use actix_web::http::Method;
use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Upper bounds of the latency histogram, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// So often measurements are put into their buckets when nobody asks for them.
const UPKEEP: Duration = Duration::from_secs(5);

/// The series of one route: its latencies, and a counter for each method and status.
struct Series {
    seconds: Histogram,
    answered: HashMap<(&'static str, u16), Counter>,
}

thread_local! {
    /// Finding a series by its labels costs more than counting; a thread keeps those it has found.
    static KNOWN: RefCell<HashMap<String, Series>> = RefCell::default();
}

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
    KNOWN.with_borrow_mut(|known| {
        if !known.contains_key(route) {
            known.insert(route.to_owned(), Series::of(route));
        }
        if let Some(series) = known.get_mut(route) {
            series.seconds.record(elapsed);
            series.counter(route, label(method), status).increment(1);
        }
    });
}

impl Series {
    fn of(route: &str) -> Self {
        let seconds = metrics::histogram!("touchstone_http_request_seconds", "route" => route.to_owned());
        Self { seconds, answered: HashMap::new() }
    }

    fn counter(&mut self, route: &str, method: &'static str, status: u16) -> &Counter {
        self.answered.entry((method, status)).or_insert_with(|| {
            let labels =
                [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
            metrics::counter!("touchstone_http_requests_total", &labels)
        })
    }
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

/// Keeps measurements from piling up on a server whose metrics nobody reads.
pub(crate) async fn keep_up() {
    loop {
        tokio::time::sleep(UPKEEP).await;
        if let Some(recorder) = recorder() {
            recorder.run_upkeep();
        }
    }
}

/// All metrics as text.
pub(crate) fn render() -> String {
    recorder().map(PrometheusHandle::render).unwrap_or_default()
}
