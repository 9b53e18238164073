//! How the words and lists of learning read in text columns.

use ::learning::{Arm, InteractionId, LearningKind, PlaybookStatus, Status, Tag};
use kernel::StoreError;
use serde::{Deserialize, Serialize};

/// The error for a stored value that no rule could have written.
pub(super) fn corrupt(column: &str) -> StoreError {
    StoreError::Corrupt(column.to_owned())
}

/// A value as the JSON text of a column.
pub(super) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    // The cause is left out: it may quote a value.
    serde_json::to_string(value).map_err(|_| StoreError::Failed("a value does not fit into JSON".to_owned()))
}

/// A value from the JSON text of a column.
pub(super) fn from_json<'a, T: Deserialize<'a>>(text: &'a str, column: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| corrupt(column))
}

pub(super) fn tags_text(tags: &[Tag]) -> Result<String, StoreError> {
    to_json(&tags.iter().map(Tag::as_str).collect::<Vec<_>>())
}

pub(super) fn tags_of(text: &str, column: &str) -> Result<Vec<Tag>, StoreError> {
    let tags: Vec<String> = from_json(text, column)?;
    tags.iter().map(|tag| Tag::new(tag).map_err(|_| corrupt(column))).collect()
}

pub(super) fn turns_text(turns: &[InteractionId]) -> Result<String, StoreError> {
    to_json(&turns.iter().map(|turn| turn.number()).collect::<Vec<_>>())
}

pub(super) fn turns_of(text: &str, column: &str) -> Result<Vec<InteractionId>, StoreError> {
    turns_in(from_json(text, column)?, column)
}

pub(super) fn turns_in(turns: Vec<i64>, column: &str) -> Result<Vec<InteractionId>, StoreError> {
    turns.into_iter().map(|turn| InteractionId::new(turn).map_err(|_| corrupt(column))).collect()
}

/// An enum and its words in a column.
macro_rules! words {
    ($text:ident, $of:ident, $kind:ty, { $($variant:ident: $word:literal),+ $(,)? }) => {
        pub(super) const fn $text(value: $kind) -> &'static str {
            match value {
                $(<$kind>::$variant => $word,)+
            }
        }

        pub(super) fn $of(text: &str, column: &str) -> Result<$kind, StoreError> {
            match text {
                $($word => Ok(<$kind>::$variant),)+
                _ => Err(corrupt(column)),
            }
        }
    };
}

words!(status_text, status_of, Status, { Current: "current", Pending: "pending", Archived: "archived" });
words!(decision_text, decision_of, PlaybookStatus, {
    Pending: "pending",
    Approved: "approved",
    Rejected: "rejected",
});
words!(arm_text, arm_of, Arm, { Treatment: "treatment", Holdout: "holdout" });
words!(kind_text, kind_of, LearningKind, {
    Profile: "profile",
    UserPlaybook: "user_playbook",
    AgentPlaybook: "agent_playbook",
});
