//! Structured logs on standard error.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Begins to log: JSON lines, or plain text when `TOUCHSTONE_LOG_FORMAT` is `text`; `TOUCHSTONE_LOG` filters.
pub fn begin() {
    let filter = EnvFilter::try_from_env("TOUCHSTONE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::NONE);
    let is_text = std::env::var("TOUCHSTONE_LOG_FORMAT").is_ok_and(|format| format == "text");
    // A second call, as in tests, keeps the first one's logger.
    let _ = if is_text {
        lines.try_init()
    } else {
        lines.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
    };
}
