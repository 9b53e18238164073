//! Governance on the wire.

use std::collections::BTreeMap;

use governance::{
    Counts, EraseReport, ErrorCode, ExportHead, ExportRow, ExportSink, Preview, PurgeView, ReceiverGone,
    Target, Value,
};
use kernel::{RequestId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Fields, Invalid};

/// A ticket: whom it is about, and under which id it can be repeated.
#[derive(Deserialize, ToSchema)]
pub struct TicketRequest {
    /// Whom it is about.
    #[schema(min_length = 1, max_length = 255)]
    pub user_id: String,
    /// The ticket; a repeat with the same one gets the same answer.
    #[schema(min_length = 1, max_length = 255)]
    pub request_id: String,
}

impl TicketRequest {
    /// The valid ticket.
    pub fn parse(&self) -> Result<(UserId, RequestId), Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.required("user_id", self.user_id.as_str(), UserId::new);
        let request = fields.required("request_id", self.request_id.as_str(), RequestId::new);
        fields.finish(user.zip(request))
    }
}

/// Whom a preview is about.
#[derive(Deserialize, ToSchema)]
pub struct PreviewRequest {
    /// Whom it is about.
    #[schema(min_length = 1, max_length = 255)]
    pub user_id: String,
}

impl PreviewRequest {
    /// The valid request.
    pub fn parse(&self) -> Result<UserId, Invalid> {
        let mut fields = Fields::of_body();
        let user = fields.required("user_id", self.user_id.as_str(), UserId::new);
        fields.finish(user)
    }
}

/// The state of a purge, by minimized references alone.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = PurgeOperation)]
pub struct PurgeRecord {
    /// The purge.
    pub purge_id: String,
    /// The user, minimized.
    pub subject_ref: String,
    /// The ticket, minimized.
    pub request_ref: String,
    /// `pending`, `running`, `failed` or `complete`.
    pub status: String,
    /// Why it failed, for programs.
    pub error_code: Option<String>,
    /// Why it failed, for people; never a value from the data.
    pub error_detail: Option<String>,
    /// When it was opened, in epoch seconds.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// When it was complete.
    pub completed_at: Option<i64>,
}

impl From<&PurgeView> for PurgeRecord {
    fn from(view: &PurgeView) -> Self {
        Self {
            purge_id: view.purge_id.as_str().to_owned(),
            subject_ref: view.subject_ref.as_str().to_owned(),
            request_ref: view.request_ref.as_str().to_owned(),
            status: view.status.as_str().to_owned(),
            error_code: view.error_code.map(ErrorCode::as_str).map(str::to_owned),
            error_detail: view.error_detail.clone(),
            created_at: view.created_at.seconds(),
            updated_at: view.updated_at.seconds(),
            completed_at: view.completed_at.map(Timestamp::seconds),
        }
    }
}

/// A completed erasure.
#[derive(Debug, Serialize, ToSchema)]
pub struct EraseResponse {
    /// Its state.
    #[serde(flatten)]
    pub purge: PurgeRecord,
    /// How many rows went, by target.
    pub deleted_counts: BTreeMap<String, u64>,
    /// The organization's playbooks that lost a source; they stay as they are.
    pub unlinked_agent_playbook_ids: Vec<i64>,
}

impl From<&EraseReport> for EraseResponse {
    fn from(report: &EraseReport) -> Self {
        Self {
            purge: (&report.view).into(),
            deleted_counts: told_counts(&report.deleted),
            unlinked_agent_playbook_ids: report.unlinked.iter().map(|id| id.0).collect(),
        }
    }
}

/// What an erasure would take.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewResponse {
    /// The user, minimized.
    pub subject_ref: String,
    /// How many rows would go, by target.
    pub counts: BTreeMap<String, u64>,
    /// The organization's playbooks that would lose a source.
    pub agent_playbook_ids: Vec<i64>,
}

impl From<&Preview> for PreviewResponse {
    fn from(preview: &Preview) -> Self {
        Self {
            subject_ref: preview.subject_ref.as_str().to_owned(),
            counts: told_counts(&preview.counts),
            agent_playbook_ids: preview.agent_playbooks.iter().map(|id| id.0).collect(),
        }
    }
}

fn told_counts(counts: &Counts) -> BTreeMap<String, u64> {
    counts.iter().map(|(target, rows)| (target.as_str().to_owned(), rows)).collect()
}

/// The shape of an export; it is written piece by piece and never held as a whole.
#[derive(Serialize, ToSchema)]
pub struct ExportResponse {
    /// The user, minimized.
    pub subject_ref: String,
    /// The export.
    pub export_id: String,
    /// One list per kind of data, each row with the columns that are kept of it.
    pub bundle: BTreeMap<String, Vec<BTreeMap<String, serde_json::Value>>>,
}

/// Takes the text of an export.
pub trait Receiver {
    /// Takes the next piece.
    fn take(&mut self, piece: &str) -> Result<(), ReceiverGone>;
    /// Makes sure of every piece it took, as far as it can.
    fn settle(&mut self) -> Result<(), ReceiverGone>;
}

/// Writes an export as one JSON document, piece by piece.
pub struct ExportText<'a> {
    receiver: &'a mut dyn Receiver,
    lists: usize,
    rows: usize,
}

impl<'a> ExportText<'a> {
    /// An export whose pieces the receiver takes.
    pub const fn new(receiver: &'a mut dyn Receiver) -> Self {
        Self { receiver, lists: 0, rows: 0 }
    }
}

impl ExportSink for ExportText<'_> {
    fn begin(&mut self, head: &ExportHead) -> Result<(), ReceiverGone> {
        self.receiver.take(&format!(
            r#"{{"subject_ref":"{}","export_id":"{}","bundle":{{"#,
            head.subject_ref.as_str(),
            head.export_id.as_str()
        ))
    }

    fn list(&mut self, target: Target) -> Result<(), ReceiverGone> {
        let before = if self.lists == 0 { "" } else { "]," };
        self.lists += 1;
        self.rows = 0;
        self.receiver.take(&format!(r#"{before}"{}":["#, target.as_str()))
    }

    fn row(&mut self, row: &ExportRow) -> Result<(), ReceiverGone> {
        let before = if self.rows == 0 { "" } else { "," };
        self.rows += 1;
        let record: serde_json::Map<String, serde_json::Value> =
            row.0.iter().map(|(name, value)| ((*name).to_owned(), told(value))).collect();
        self.receiver.take(&format!("{before}{}", serde_json::Value::Object(record)))
    }

    fn settle(&mut self) -> Result<(), ReceiverGone> {
        self.receiver.settle()
    }

    fn finish(&mut self) -> Result<(), ReceiverGone> {
        self.receiver.take(if self.lists == 0 { "}}" } else { "]}}" })
    }
}

fn told(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Text(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Real(number) => (*number).into(),
        Value::Boolean(is_true) => (*is_true).into(),
        Value::Json(text) => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Gathered(String);

    impl Receiver for Gathered {
        fn take(&mut self, piece: &str) -> Result<(), ReceiverGone> {
            self.0 += piece;
            Ok(())
        }

        fn settle(&mut self) -> Result<(), ReceiverGone> {
            Ok(())
        }
    }

    #[test]
    fn an_export_is_one_json_document_however_many_pieces_it_comes_in() {
        let mut json = Gathered(r#"{"bundle":{"#.to_owned());
        let mut text = ExportText::new(&mut json);
        text.list(Target::Profiles).unwrap();
        let quoted = Value::Text("a \"b\"\n".to_owned());
        text.row(&ExportRow(vec![("content", quoted), ("n", Value::Integer(3))])).unwrap();
        let tags = Value::Json("[\"x\"]".to_owned());
        text.row(&ExportRow(vec![("tags", tags), ("gone", Value::Null)])).unwrap();
        text.list(Target::Requests).unwrap();
        text.settle().unwrap();
        text.finish().unwrap();

        let document: serde_json::Value = serde_json::from_str(&json.0).unwrap();

        assert_eq!(document["bundle"]["profiles"][0]["content"], "a \"b\"\n");
        assert_eq!(document["bundle"]["profiles"][1]["tags"][0], "x");
        assert_eq!(document["bundle"]["requests"], serde_json::json!([]));
    }
}
