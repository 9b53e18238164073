//! Pages of lists.

use kernel::{Period, Timestamp};
use learning::{Cursor, PageLimit, PageRequest, RowKey, Start};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::Fields;
use crate::time::Moment;

/// Which part of a list, and from when; every list route takes these.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct PageFields {
    /// How many rows at most: 1 to 1000, 30 unless said.
    pub top_k: Option<i64>,
    /// The same under another name.
    pub limit: Option<i64>,
    /// How many rows to pass over.
    pub offset: Option<i64>,
    /// Where the page before ended: its `next_cursor`.
    pub cursor: Option<String>,
    /// Only rows from this time on.
    pub start_time: Option<Moment>,
    /// Only rows up to this time.
    pub end_time: Option<Moment>,
}

impl PageFields {
    /// The part of the list that is asked for.
    pub fn page<K: RowKey>(&self, fields: &mut Fields) -> Option<PageRequest<K>> {
        let limit = fields.optional("limit", self.limit.or(self.top_k), |rows| {
            u32::try_from(rows)
                .map_err(|_| "must be between 1 and 1000".to_owned())
                .and_then(|rows| PageLimit::new(rows).map_err(|error| error.to_string()))
        });
        let start = match (&self.cursor, self.offset) {
            (Some(cursor), _) => fields.required("cursor", cursor.as_str(), Cursor::decode).map(Start::After),
            (None, offset) => fields
                .required("offset", offset.unwrap_or(0), |rows| {
                    u32::try_from(rows).map_err(|_| "must be a whole number from 0 on")
                })
                .map(Start::Offset),
        };
        limit.zip(start).map(|(limit, start)| PageRequest { limit: limit.unwrap_or_default(), start })
    }

    /// The time that is asked for.
    pub fn period(&self, fields: &mut Fields) -> Option<Period> {
        let start = moment(fields, "start_time", self.start_time.as_ref());
        let end = moment(fields, "end_time", self.end_time.as_ref());
        let (start, end) = start.zip(end)?;
        fields.required("end_time", (start, end), |(start, end)| Period::new(start, end))
    }
}

fn moment(fields: &mut Fields, name: &str, given: Option<&Moment>) -> Option<Option<Timestamp>> {
    fields.optional(name, given, Moment::parse)
}
