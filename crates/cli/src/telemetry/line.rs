//! One event as one line of JSON.
//!
//! The library's own JSON format reads the span's fields back from their text for every event; here the text goes into the
//! line as it is, which halves what logging costs a request.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// `{"timestamp", "level", "target", the event's own fields…, "span": {the span's fields}}`; span fields must be JSON text.
pub(super) struct JsonLine;

impl<S, N> FormatEvent<S, N> for JsonLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        writer.write_str(r#"{"timestamp":""#)?;
        SystemTime.format_time(&mut writer)?;
        let about = event.metadata();
        write!(writer, r#"","level":"{}","target":"{}""#, about.level(), about.target())?;
        let mut fields = Fields { writer: &mut writer, outcome: Ok(()) };
        event.record(&mut fields);
        fields.outcome?;
        if let Some(span) = context.lookup_current() {
            let extensions = span.extensions();
            if let Some(fields) = extensions.get::<FormattedFields<N>>().filter(|text| !text.is_empty()) {
                write!(writer, r#","span":{fields}"#)?;
            }
        }
        writer.write_str("}\n")
    }
}

/// Writes each field of an event as a member of the object.
struct Fields<'a, 'w> {
    writer: &'a mut Writer<'w>,
    outcome: fmt::Result,
}

impl Fields<'_, '_> {
    fn member(&mut self, field: &Field, value: &dyn fmt::Display) {
        if self.outcome.is_ok() {
            self.outcome = write!(self.writer, r#","{}":{value}"#, field.name());
        }
    }
}

impl Visit for Fields<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() { self.member(field, &value) } else { self.member(field, &"null") }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field, &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field, &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field, &value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.member(field, &Quoted(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.member(field, &Quoted(&format!("{value:?}")));
    }
}

/// A text in quotation marks, with everything escaped that would end the text or the line.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_char('"')?;
        let mut rest = self.0;
        while let Some(at) = rest.find(|letter: char| letter < ' ' || letter == '"' || letter == '\\') {
            let (plain, from) = rest.split_at(at);
            let mut letters = from.chars();
            let code = letters.next().map_or(0, u32::from);
            write!(out, "{plain}\\u{code:04x}")?;
            rest = letters.as_str();
        }
        write!(out, "{rest}\"")
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tracing_subscriber::fmt::format::JsonFields;

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(act: impl FnOnce()) -> Vec<Value> {
        let page = Page::default();
        let writer = page.clone();
        let lines = tracing_subscriber::fmt()
            .fmt_fields(JsonFields::new())
            .event_format(JsonLine)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(lines, act);
        let text = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn an_event_is_one_line_with_its_fields_and_its_spans() {
        let lines = logged(|| {
            let span = tracing::info_span!("request", request_id = "r-1");
            span.in_scope(
                || tracing::warn!(status = 503_u16, share = 0.5, is_late = true, why = %"away", "answered"),
            );
        });

        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!((&line["level"], &line["message"]), (&json!("WARN"), &json!("answered")));
        assert_eq!(
            (&line["status"], &line["share"], &line["is_late"]),
            (&json!(503), &json!(0.5), &json!(true))
        );
        assert_eq!((&line["why"], &line["span"]["request_id"]), (&json!("away"), &json!("r-1")));
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn no_text_can_end_its_line_or_forge_a_field() {
        let evil = "a\"}\n{\"level\":\"ERROR\\\u{1}ü";

        let lines = logged(|| tracing::info!(evil, "{evil}"));

        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!((&line["evil"], &line["message"]), (&json!(evil), &json!(evil)));
    }
}
