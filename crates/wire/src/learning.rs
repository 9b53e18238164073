//! What agents publish, keep and search, on the wire.

pub mod activity;
pub mod agent_playbook;
pub mod feed;
pub mod interaction;
pub mod page;
pub mod playbook;
pub mod profile;
pub mod publish;
pub mod search;
pub mod user_playbook;

use learning::{FreeText, JsonText, LearningKind, Status, StatusFilter, Tag};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::Fields;

/// The kinds of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindName {
    /// A profile of a user.
    Profile,
    /// A playbook of a user.
    UserPlaybook,
    /// A playbook of the organization.
    AgentPlaybook,
}

impl From<KindName> for LearningKind {
    fn from(kind: KindName) -> Self {
        match kind {
            KindName::Profile => Self::Profile,
            KindName::UserPlaybook => Self::UserPlaybook,
            KindName::AgentPlaybook => Self::AgentPlaybook,
        }
    }
}

impl From<LearningKind> for KindName {
    fn from(kind: LearningKind) -> Self {
        match kind {
            LearningKind::Profile => Self::Profile,
            LearningKind::UserPlaybook => Self::UserPlaybook,
            LearningKind::AgentPlaybook => Self::AgentPlaybook,
        }
    }
}

/// Whether a learning is in use; absent means that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StatusName {
    /// In use.
    Current,
    /// Proposed.
    Pending,
    /// No longer in use.
    Archived,
}

impl From<StatusName> for Status {
    fn from(name: StatusName) -> Self {
        match name {
            StatusName::Current => Self::Current,
            StatusName::Pending => Self::Pending,
            StatusName::Archived => Self::Archived,
        }
    }
}

/// The status as it is told: a current learning does not mention it.
fn told_status(status: Status) -> Option<StatusName> {
    match status {
        Status::Current => None,
        Status::Pending => Some(StatusName::Pending),
        Status::Archived => Some(StatusName::Archived),
    }
}

/// A list's filter by status: absent means what is in use, and so does a null inside the list.
fn status_filter(names: Option<Vec<Option<StatusName>>>) -> StatusFilter {
    names.map_or_else(StatusFilter::default, |names| {
        StatusFilter::Only(names.into_iter().map(|name| name.map_or(Status::Current, Into::into)).collect())
    })
}

fn free_text(fields: &mut Fields, name: &str, text: Option<String>) -> Option<FreeText> {
    fields.required(name, text.unwrap_or_default(), FreeText::new)
}

fn tags(fields: &mut Fields, given: Option<Vec<String>>) -> Option<Vec<Tag>> {
    fields.each("tags", given.unwrap_or_default(), |fields, tag| fields.required("", tag.as_str(), Tag::new))
}

/// Whether a NUL hides in a text or a name of some JSON; PostgreSQL keeps none.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(entries) => entries.iter().any(has_nul),
        Value::Object(entries) => entries.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// JSON as it came, less the nulls at its top, which mean absent.
fn json_text(value: Value) -> JsonText {
    let told = match value {
        Value::Object(entries) => {
            Value::Object(entries.into_iter().filter(|(_, value)| !value.is_null()).collect())
        }
        other => other,
    };
    JsonText::new(told.to_string())
}

fn json_value(text: &JsonText) -> Value {
    serde_json::from_str(text.as_str()).unwrap_or(Value::Null)
}

/// The answer to something that was changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedResponse {
    /// Always true.
    pub success: bool,
    /// What was done, for people.
    pub msg: String,
    /// The same, under the name that some clients read.
    pub message: String,
}

impl ChangedResponse {
    /// Tells what was done.
    #[must_use]
    pub fn telling(what: &str) -> Self {
        Self { success: true, msg: what.to_owned(), message: what.to_owned() }
    }
}

/// The answer to learnings that were added.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddedResponse<Id> {
    /// Always true.
    pub success: bool,
    /// What was done, for people.
    pub message: String,
    /// How many were added or replaced.
    pub added_count: usize,
    /// Their ids, in the order given.
    pub ids: Vec<Id>,
}

impl<Id> AddedResponse<Id> {
    /// Tells which were added.
    #[must_use]
    pub fn of(ids: Vec<Id>, thing: &str) -> Self {
        Self {
            success: true,
            message: format!("Added {} {thing}(s)", ids.len()),
            added_count: ids.len(),
            ids,
        }
    }
}
