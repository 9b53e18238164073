//! Evaluation on the wire.

pub mod intake;
pub mod judging;
pub mod learning_verdict;
pub mod overview;
pub mod overview_answer;
pub mod overview_sources;
pub mod regeneration;
pub mod result;
pub mod shadow;

use evaluation::{Cursor, Interval, PageLimit};
use kernel::Period;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::Fields;
use crate::time::Moment;

/// An interval as a pair: low, high.
fn pair(interval: Option<Interval>) -> Option<[f64; 2]> {
    interval.map(|interval| [interval.low, interval.high])
}

/// Which part of a list, and from when.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct EvaluationPageFields {
    /// Only from this time on.
    pub start_time: Option<Moment>,
    /// Only up to this time.
    pub end_time: Option<Moment>,
    /// How many at most: 1 to 1000, 100 unless said.
    #[schema(minimum = 1, maximum = 1000)]
    pub limit: Option<i64>,
    /// Where the page before ended: its `next_cursor`.
    pub cursor: Option<String>,
}

impl EvaluationPageFields {
    fn period(&self, fields: &mut Fields) -> Option<Period> {
        let start = fields.optional("start_time", self.start_time.as_ref(), Moment::parse);
        let end = fields.optional("end_time", self.end_time.as_ref(), Moment::parse);
        let (start, end) = start.zip(end)?;
        fields.required("end_time", (start, end), |(start, end)| Period::new(start, end))
    }

    fn place(&self, fields: &mut Fields) -> Option<(Option<Cursor>, PageLimit)> {
        let after = fields.optional("cursor", self.cursor.as_deref(), Cursor::parse);
        let limit = fields.optional("limit", self.limit, PageLimit::new);
        after.zip(limit.map(Option::unwrap_or_default))
    }
}
