//! Structured logs on standard error.

mod line;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// What is logged: what `TOUCHSTONE_LOG` asks for, if it can be understood.
pub(crate) fn filter() -> Targets {
    let wanted = std::env::var("TOUCHSTONE_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO))
}

/// Whether plain text is logged instead of JSON lines, because `TOUCHSTONE_LOG_FORMAT` is `text`.
pub(crate) fn is_text() -> bool {
    std::env::var("TOUCHSTONE_LOG_FORMAT").is_ok_and(|format| format == "text")
}

/// Begins to log.
pub fn begin() {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let registry = tracing_subscriber::registry().with(filter());
    // A second call, as in tests, keeps the first one's logger.
    let _ = if is_text() {
        registry.with(lines).try_init()
    } else {
        registry.with(lines.fmt_fields(JsonFields::new()).event_format(line::JsonLine)).try_init()
    };
}
