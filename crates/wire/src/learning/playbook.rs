//! What playbooks of users and of the organization have in common.

use kernel::AgentVersion;
use learning::{FreeText, InteractionId, PlaybookName, PlaybookText, PlaybookTextChanges};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{free_text, has_nul, json_text, tags};
use crate::Fields;

/// The words of a playbook.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct PlaybookTextData {
    /// What it is called.
    pub playbook_name: Option<String>,
    /// The version of the agent it is for.
    pub agent_version: Option<String>,
    /// What to do.
    pub content: Option<String>,
    /// When to do it; taken from `structured_data` when absent.
    pub trigger: Option<String>,
    /// Why; taken from `structured_data` when absent.
    pub rationale: Option<String>,
    /// The same in parts, kept as it comes.
    #[schema(value_type = Option<Object>)]
    pub structured_data: Option<Value>,
    /// Words to sort it by.
    pub tags: Option<Vec<String>>,
}

impl PlaybookTextData {
    /// The words of a new playbook.
    pub fn read(self, fields: &mut Fields) -> Option<PlaybookText> {
        let name = self.playbook_name.as_deref().unwrap_or_default();
        let playbook_name = fields.required("playbook_name", name, PlaybookName::new);
        let version = self.agent_version.as_deref().unwrap_or_default();
        let agent_version = fields.required("agent_version", version, AgentVersion::new);
        let content = fields.required("content", self.content, |content| {
            content
                .ok_or("is required".to_owned())
                .and_then(|content| FreeText::new(content).map_err(|error| error.to_string()))
        });
        let trigger = self.trigger.or_else(|| part(self.structured_data.as_ref(), "trigger"));
        let trigger = free_text(fields, "trigger", trigger);
        let rationale = self.rationale.or_else(|| part(self.structured_data.as_ref(), "rationale"));
        let rationale = free_text(fields, "rationale", rationale);
        let structured = check_structured(fields, self.structured_data);
        let tags = tags(fields, self.tags);
        Some(PlaybookText {
            playbook_name: playbook_name?,
            agent_version: agent_version?,
            content: content?,
            trigger: trigger?,
            rationale: rationale?,
            structured_data: structured?.map(json_text),
            tags: tags?,
        })
    }

    /// What is to be changed of a playbook's words.
    pub fn read_changes(self, fields: &mut Fields) -> Option<PlaybookTextChanges> {
        let playbook_name =
            fields.optional("playbook_name", self.playbook_name.as_deref(), PlaybookName::new);
        let agent_version =
            fields.optional("agent_version", self.agent_version.as_deref(), AgentVersion::new);
        let content = fields.optional("content", self.content, FreeText::new);
        let trigger = fields.optional("trigger", self.trigger, FreeText::new);
        let rationale = fields.optional("rationale", self.rationale, FreeText::new);
        let structured = check_structured(fields, self.structured_data);
        let changed_tags = match self.tags {
            None => Some(None),
            given => tags(fields, given).map(Some),
        };
        Some(PlaybookTextChanges {
            playbook_name: playbook_name?,
            agent_version: agent_version?,
            content: content?,
            trigger: trigger?,
            rationale: rationale?,
            structured_data: structured?.map(json_text),
            tags: changed_tags?,
        })
    }
}

fn part(structured: Option<&Value>, name: &str) -> Option<String> {
    structured?.get(name)?.as_str().map(str::to_owned)
}

fn check_structured(fields: &mut Fields, given: Option<Value>) -> Option<Option<Value>> {
    fields.optional("structured_data", given, |value| match value {
        Value::Object(_) if has_nul(&value) => Err("must not contain NUL"),
        Value::Object(_) => Ok(value),
        _ => Err("must be an object"),
    })
}

/// Reads the turns that a learning was made from.
pub(super) fn interaction_ids(fields: &mut Fields, given: Option<Vec<i64>>) -> Option<Vec<InteractionId>> {
    fields.each("source_interaction_ids", given.unwrap_or_default(), |fields, id| {
        fields.required("", id, InteractionId::new)
    })
}
