//! JSON bodies: bounded in size and time, and refused with the reason.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::BytesMut;
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use wire::{FieldError, Invalid, without_values};

use crate::auth::admitted;
use crate::problem::{Code, Problem};

/// The largest body.
pub(crate) const LARGEST_BODY: usize = 10 * 1024 * 1024;
/// A client that needs longer to send a body is holding a door open.
const SLOWEST_BODY: Duration = Duration::from_secs(60);

/// A JSON body of the type the handler asks for.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_json = has_json_type(request);
        let payload = payload.take();
        let admitted = admitted(request);
        Box::pin(async move {
            admitted.await;
            if !is_json {
                return Err(Problem::new(Code::UnsupportedMediaType));
            }
            let Ok(bytes) = tokio::time::timeout(SLOWEST_BODY, collect(payload)).await else {
                return Err(Problem::new(Code::RequestTimeout));
            };
            parse(&bytes?).map(Body)
        })
    }
}

fn has_json_type(request: &HttpRequest) -> bool {
    let Some(value) = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

async fn collect(mut payload: Payload) -> Result<BytesMut, Problem> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Problem::new(Code::MalformedBody))?;
        if bytes.len() + chunk.len() > LARGEST_BODY {
            return Err(Problem::new(Code::BodyTooLarge));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Reads JSON: text that is not JSON is malformed; JSON of another shape is invalid, and the error says where.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // Serde does not look into texts that nobody asks for.
    if std::str::from_utf8(bytes).is_err() {
        return Err(Problem::new(Code::MalformedBody));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if is_of_wrong_shape(&inner) && is_json(bytes) {
            Problem::from(at_path(&path, &inner.to_string()))
        } else {
            Problem::new(Code::MalformedBody)
        }
    })?;
    reader.end().map_err(|_| Problem::new(Code::MalformedBody))?;
    Ok(parsed)
}

/// Serde takes some values for broken syntax: one of another kind where one of a few words is expected, a number that is
/// too large, and lists in lists without end.
fn is_of_wrong_shape(error: &serde_json::Error) -> bool {
    let text = error.to_string();
    let taken_for_syntax = ["expected value", "number out of range", "recursion limit exceeded"];
    error.classify() == serde_json::error::Category::Data
        || taken_for_syntax.iter().any(|begin| text.starts_with(begin))
}

/// A wrong field may come before the place where the text ceases to be JSON.
fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

fn at_path(path: &str, message: &str) -> Invalid {
    let mut loc = vec!["body".to_owned()];
    if path != "." {
        loc.extend(path.replace('[', ".").replace(']', "").split('.').map(str::to_owned));
    }
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    let msg = match missing {
        Some(field) => {
            loc.push(field.to_owned());
            "is required".to_owned()
        }
        None => without_values(message),
    };
    Invalid(vec![FieldError { loc, msg }])
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Order {
        #[serde(rename = "number")]
        _number: f64,
        #[serde(rename = "inner", default)]
        _inner: Vec<Inner>,
        #[serde(rename = "word")]
        _word: Option<Word>,
        #[serde(rename = "any")]
        _any: Option<serde_json::Value>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Yes,
    }

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[serde(rename = "text")]
        _text: String,
    }

    fn told(json: &str) -> String {
        let problem = parse::<Order>(json.as_bytes()).unwrap_err();
        let document = problem.document("r");
        let places: Vec<_> =
            document.errors.iter().map(|error| format!("{} {}", error.loc.join("."), error.msg)).collect();
        format!("{} {}", document.status, places.join(";"))
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        for json in
            ["", "{", "{\"number\": NaN}", "nonsense", "{\"number\": 1} trailing", "{\"number\": true,"]
        {
            assert_eq!(told(json), "400 ", "{json}");
        }
    }

    #[test]
    fn a_wrong_field_is_named_with_its_place_and_without_its_value() {
        assert_eq!(told("{}"), "422 body.number is required");
        assert_eq!(told(r#"{"number": "secret"}"#), "422 body.number must be a number");
        assert_eq!(told(r#"{"number": true}"#), "422 body.number must be a number");
        assert_eq!(told(r#"{"number": 1, "inner": [{"text": 7}]}"#), "422 body.inner.0.text must be a text");
        assert_eq!(told("[]"), "422 body must be an object");
    }

    #[test]
    fn a_number_beyond_all_numbers_and_lists_without_end_are_wrong_fields() {
        assert_eq!(told(r#"{"number": 1e999}"#), "422 body.number is too large a number");
        let deep = format!(r#"{{"number": 1, "any": {}{}}}"#, "[".repeat(500), "]".repeat(500));
        let refused = told(&deep);
        assert!(
            refused.starts_with("422 body.any.0.0") && refused.ends_with(" is nested too deeply"),
            "{refused}"
        );
        assert_eq!(told(&deep[..deep.len() - 1]), "400 ");
    }

    #[test]
    fn what_is_not_utf_8_is_malformed_also_where_nobody_reads_it() {
        let broken = b"{\"number\": 1, \"ignored\": \"\xff\"}";

        assert_eq!(parse::<Order>(broken).unwrap_err(), Problem::new(Code::MalformedBody));
    }

    #[test]
    fn a_value_of_another_kind_where_a_word_belongs_is_a_wrong_field() {
        for wrong in ["7", "-1.5", "true", "[]", "{}"] {
            let json = format!(r#"{{"number": 1, "word": {wrong}}}"#);
            assert_eq!(told(&json), "422 body.word must be one of the words known here", "{wrong}");
        }
        assert_eq!(told(r#"{"number": 1, "word": 7"#), "400 ");
        assert_eq!(told(r#"{"number": 1, "word": }"#), "400 ");
        assert!(parse::<Order>(br#"{"number": 1, "word": "yes"}"#).is_ok());
    }
}
