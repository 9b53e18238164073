//! Structured logs on standard error.

mod line;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::JsonFields;

/// Begins to log: JSON lines, or plain text when `TOUCHSTONE_LOG_FORMAT` is `text`; `TOUCHSTONE_LOG` filters.
pub fn begin() {
    let filter = EnvFilter::try_from_env("TOUCHSTONE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let is_text = std::env::var("TOUCHSTONE_LOG_FORMAT").is_ok_and(|format| format == "text");
    // A second call, as in tests, keeps the first one's logger.
    let _ = if is_text {
        lines.try_init()
    } else {
        lines.fmt_fields(JsonFields::new()).event_format(line::JsonLine).try_init()
    };
}
