//! Turning a caller's fields into valid values, and saying of each one what is wrong with it.

use std::fmt::Display;

use serde::Serialize;
use utoipa::ToSchema;

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// Where the field is, from the outside in.
    pub loc: Vec<String>,
    /// What is wrong with it.
    pub msg: String,
}

/// A request with at least one field that cannot be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(pub Vec<FieldError>);

impl Invalid {
    /// A request with one wrong field.
    #[must_use]
    pub fn field(loc: &[&str], msg: impl Display) -> Self {
        Self(vec![FieldError {
            loc: loc.iter().map(|&part| part.to_owned()).collect(),
            msg: msg.to_string(),
        }])
    }
}

/// Serde quotes what it found; a caller's value does not belong in an error.
#[must_use]
pub fn without_values(message: &str) -> String {
    let expected = message.split("expected ").nth(1).unwrap_or_default();
    let expected = expected.split(" at line ").next().unwrap_or_default();
    if message.starts_with("number out of range") {
        "is too large a number".to_owned()
    } else if message.starts_with("recursion limit") {
        "is nested too deeply".to_owned()
    } else if message.starts_with("unknown field") {
        "has a field that is not known here".to_owned()
    } else if expected.is_empty() {
        "is not acceptable".to_owned()
    } else {
        format!("must be {}", in_words(expected))
    }
}

/// Serde names Rust's types; callers know JSON's.
fn in_words(expected: &str) -> &str {
    match expected {
        "f64" => "a number",
        "i64" | "u64" | "i32" | "u32" | "usize" => "a whole number",
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "value" => "one of the words known here",
        other => other.strip_prefix("struct ").map_or(other, |_| "an object"),
    }
}

/// Reads the fields of one request and remembers every one that is wrong.
#[derive(Debug)]
pub struct Fields {
    place: Vec<String>,
    errors: Vec<FieldError>,
}

impl Fields {
    /// Fields of a JSON body.
    #[must_use]
    pub fn of_body() -> Self {
        Self { place: vec!["body".to_owned()], errors: Vec::new() }
    }

    /// Fields of a query string.
    #[must_use]
    pub fn of_query() -> Self {
        Self { place: vec!["query".to_owned()], errors: Vec::new() }
    }

    /// Reads fields that lie deeper.
    pub fn within<T>(&mut self, name: impl Display, read: impl FnOnce(&mut Self) -> T) -> T {
        self.place.push(name.to_string());
        let answer = read(self);
        self.place.pop();
        answer
    }

    /// Reads each entry of a list; `None` if one of them is wrong.
    pub fn each<T, U>(
        &mut self,
        name: &str,
        entries: Vec<T>,
        mut read: impl FnMut(&mut Self, T) -> Option<U>,
    ) -> Option<Vec<U>> {
        self.within(name, |fields| {
            // Every entry is read, also behind a wrong one, so that each is named.
            let read: Vec<Option<U>> = entries
                .into_iter()
                .enumerate()
                .map(|(index, entry)| fields.within(index, |fields| read(fields, entry)))
                .collect();
            read.into_iter().collect()
        })
    }

    /// Reads a field that must be there.
    pub fn required<T, U, E: Display>(
        &mut self,
        name: &str,
        value: T,
        parse: impl FnOnce(T) -> Result<U, E>,
    ) -> Option<U> {
        match parse(value) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.refuse(&[name], error);
                None
            }
        }
    }

    /// Reads a field that may be absent: the outer `None` means it was there and wrong.
    pub fn optional<T, U, E: Display>(
        &mut self,
        name: &str,
        value: Option<T>,
        parse: impl FnOnce(T) -> Result<U, E>,
    ) -> Option<Option<U>> {
        match value {
            None => Some(None),
            Some(value) => self.required(name, value, parse).map(Some),
        }
    }

    /// Reads a name that may be absent; a blank one counts as absent.
    pub fn name<U, E: Display>(
        &mut self,
        name: &str,
        value: Option<String>,
        parse: impl FnOnce(&str) -> Result<U, E>,
    ) -> Option<Option<U>> {
        let stated = value.filter(|text| !text.trim().is_empty());
        self.optional(name, stated, |text| parse(&text))
    }

    /// Notes that a field is wrong.
    pub fn refuse(&mut self, path: &[&str], msg: impl Display) {
        let parts = self.place.iter().map(String::as_str).chain(path.iter().copied());
        let loc = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
        self.errors.push(FieldError { loc, msg: msg.to_string() });
    }

    /// The request built from its fields, unless one of them was wrong.
    pub fn finish<T>(self, built: Option<T>) -> Result<T, Invalid> {
        match built {
            Some(request) if self.errors.is_empty() => Ok(request),
            _ => Err(Invalid(self.errors)),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{ExperimentId, UserId};

    use super::*;

    #[test]
    fn every_wrong_field_is_named() {
        let mut fields = Fields::of_body();
        let user = fields.required("user_id", " ", UserId::new);
        let experiment = fields.optional("experiment_id", Some("a\0"), ExperimentId::new);

        let Invalid(errors) = fields.finish(user.zip(experiment)).unwrap_err();

        let places: Vec<_> = errors.iter().map(|error| error.loc.join(".")).collect();
        assert_eq!(places, ["body.user_id", "body.experiment_id"]);
    }

    #[test]
    fn an_absent_optional_field_is_not_wrong() {
        let mut fields = Fields::of_body();
        let experiment = fields.optional("experiment_id", None::<&str>, ExperimentId::new);

        assert_eq!(fields.finish(experiment), Ok(None));
    }
}
