//! Errors as RFC 9457 problem documents.

use serde::Serialize;
use utoipa::ToSchema;

use crate::FieldError;

/// What went wrong, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProblemDocument {
    /// A name for the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem in a few words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened, in a sentence for people.
    pub detail: String,
    /// A stable name for programs; all are listed in docs/errors.md.
    pub code: String,
    /// The request's id, as in the `x-request-id` header.
    pub request_id: String,
    /// What is wrong with each field; only for status 422.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}
