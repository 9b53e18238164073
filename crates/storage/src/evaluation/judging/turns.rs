//! Turns as a judge is shown them.

use ::evaluation::InteractionId;
use ::evaluation::judging::{Speaker, ToolCall, Turn};
use diesel::{Queryable, Selectable};
use kernel::{StoreError, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::rows::corrupt;
use crate::schema::interactions;

#[derive(Queryable, Selectable)]
#[diesel(table_name = interactions)]
pub(super) struct TurnRow {
    pub(super) interaction_id: i64,
    pub(super) created_at: i64,
    is_user: bool,
    is_agent: bool,
    content: String,
    user_action: String,
    user_action_description: String,
    tools_used: String,
}

#[derive(Deserialize)]
struct ToolColumn {
    tool_name: String,
    tool_data: Option<Box<RawValue>>,
    status: Option<String>,
}

impl TryFrom<TurnRow> for Turn {
    type Error = StoreError;

    fn try_from(row: TurnRow) -> Result<Self, StoreError> {
        let speaker = match (row.is_user, row.is_agent) {
            (true, _) => Speaker::User,
            (false, true) => Speaker::Agent,
            (false, false) => Speaker::Other,
        };
        let action = [row.user_action.as_str(), row.user_action_description.as_str()];
        let action: Vec<_> = action.into_iter().filter(|text| !text.is_empty()).collect();
        Ok(Self {
            id: InteractionId(row.interaction_id),
            at: Timestamp::from_seconds(row.created_at),
            speaker,
            content: row.content,
            action: action.join(": "),
            tools: tools_of(&row.tools_used)?,
        })
    }
}

fn tools_of(text: &str) -> Result<Vec<ToolCall>, StoreError> {
    let columns: Vec<ToolColumn> =
        serde_json::from_str(text).map_err(|_| corrupt("interactions.tools_used"))?;
    let calls = columns.into_iter().map(|tool| ToolCall {
        name: tool.tool_name,
        data: tool.tool_data.map(|data| data.get().to_owned()).unwrap_or_default(),
        status: tool.status.unwrap_or_default(),
    });
    Ok(calls.collect())
}
