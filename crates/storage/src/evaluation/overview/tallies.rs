//! The tallies of a window: whole days and hours from their totals, the edges session by session.

use ::evaluation::overview::{Cut, TallyRow};
use ::evaluation::{Bucket, Tally};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{AgentVersion, StoreError, Timestamp, Window};

use super::Counted;
use super::spans::{Spans, bucket_start};
use crate::backend::AnyConnection;
use crate::evaluation::rows::{count, source_of};
use crate::transaction::OrgSnapshot;

/// The columns that add up, as both the totals and `outcome_counts` call them.
const COUNTS: &str = "n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, \
                      corrected_5, escalations, turns_sum, turns_n, system_error_failures, corrections_squares, \
                      turns_squares";

/// Adds up these pieces by the cut and the source.
fn sums_of(pieces: &str, cut: Cut) -> String {
    let start = match cut {
        Cut::Whole => "CAST(0 AS BIGINT)".to_owned(),
        Cut::Into(bucket) => bucket_start("moment", bucket),
    };
    let groups = match cut {
        Cut::Whole => "source",
        Cut::Into(_) => "1, 2",
    };
    let sums: Vec<_> =
        COUNTS.split(", ").map(|column| format!("CAST(sum({column}) AS BIGINT) AS {column}")).collect();
    format!(
        "SELECT {start} AS start, source, {} FROM ({pieces}) AS pieces GROUP BY {groups}",
        sums.join(", ")
    )
}

/// The pieces of a window, each with its moment, its source and these columns: `$1` is the organization, the ends of the
/// [`Spans`] follow. An empty piece is a range that ends before it begins.
fn pieces(columns: &str) -> String {
    let totals = |grain: i64, first: u32| {
        format!(
            "SELECT start AS moment, source, {columns} FROM outcome_rollup \
             WHERE org_id = $1 AND grain = {grain} AND start BETWEEN ${first} AND ${}",
            first + 1
        )
    };
    let sessions = |first: u32| {
        format!(
            "SELECT created_at AS moment, source, {columns} FROM outcome_counts \
             WHERE org_id = $1 AND created_at BETWEEN ${first} AND ${}",
            first + 1
        )
    };
    [totals(86_400, 2), totals(3_600, 4), totals(3_600, 6), sessions(8), sessions(10)].join(" UNION ALL ")
}

/// How many sessions of the window were evaluated.
pub(crate) fn evaluated(conn: &mut AnyConnection, org: &str, window: Window) -> QueryResult<i64> {
    let sql = format!("SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS n FROM ({}) AS pieces", pieces("n"));
    let mut query = diesel::sql_query(sql).into_boxed().bind::<Text, _>(org);
    for span in Spans::of(window, Bucket::Week).in_order() {
        query = query.bind::<BigInt, _>(span.first).bind::<BigInt, _>(span.last);
    }
    query.get_result(conn).map(|counted: Counted| counted.n)
}

/// The totals do not tell versions apart, so those of one version are counted session by session.
pub(super) fn of_version(
    snapshot: &mut OrgSnapshot,
    window: Window,
    version: &AgentVersion,
    cut: Cut,
) -> Result<Vec<TallyRow>, StoreError> {
    let counts: Vec<_> = COUNTS.split(", ").map(|column| format!("o.{column}")).collect();
    let sessions = format!(
        "SELECT o.created_at AS moment, o.source, {} FROM evaluation_results AS r JOIN outcome_counts AS o \
         ON o.org_id = r.org_id AND o.user_id = r.user_id AND o.session_id = r.session_id \
         AND o.result_id = r.result_id \
         WHERE r.org_id = $1 AND r.agent_version = $2 AND r.created_at BETWEEN $3 AND $4",
        counts.join(", ")
    );
    let rows: Vec<CountRow> = snapshot.query(|conn, org| {
        diesel::sql_query(sums_of(&sessions, cut))
            .bind::<Text, _>(org)
            .bind::<Text, _>(version.as_str())
            .bind::<BigInt, _>(window.start().seconds())
            .bind::<BigInt, _>(window.end().seconds())
            .load(conn)
    })?;
    rows.into_iter().map(|row| row.tally_row(window, cut)).collect()
}

pub(super) fn read(
    snapshot: &mut OrgSnapshot,
    window: Window,
    cut: Cut,
) -> Result<Vec<TallyRow>, StoreError> {
    let finest = match cut {
        Cut::Whole => Bucket::Week,
        Cut::Into(bucket) => bucket,
    };
    let rows: Vec<CountRow> = snapshot.query(|conn, org| {
        let mut query = diesel::sql_query(sums_of(&pieces(COUNTS), cut)).into_boxed().bind::<Text, _>(org);
        for span in Spans::of(window, finest).in_order() {
            query = query.bind::<BigInt, _>(span.first).bind::<BigInt, _>(span.last);
        }
        query.load(conn)
    })?;
    rows.into_iter().map(|row| row.tally_row(window, cut)).collect()
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    start: i64,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = BigInt)]
    n: i64,
    #[diesel(sql_type = BigInt)]
    successes: i64,
    #[diesel(sql_type = BigInt)]
    corrections: i64,
    #[diesel(sql_type = BigInt)]
    corrected_0: i64,
    #[diesel(sql_type = BigInt)]
    corrected_1: i64,
    #[diesel(sql_type = BigInt)]
    corrected_2: i64,
    #[diesel(sql_type = BigInt)]
    corrected_3: i64,
    #[diesel(sql_type = BigInt)]
    corrected_4: i64,
    #[diesel(sql_type = BigInt)]
    corrected_5: i64,
    #[diesel(sql_type = BigInt)]
    escalations: i64,
    #[diesel(sql_type = BigInt)]
    turns_sum: i64,
    #[diesel(sql_type = BigInt)]
    turns_n: i64,
    #[diesel(sql_type = BigInt)]
    system_error_failures: i64,
    #[diesel(sql_type = BigInt)]
    corrections_squares: i64,
    #[diesel(sql_type = BigInt)]
    turns_squares: i64,
}

impl CountRow {
    fn tally_row(self, window: Window, cut: Cut) -> Result<TallyRow, StoreError> {
        let counted = |n: i64| count(n, "outcome_rollup");
        let tally = Tally {
            n: counted(self.n)?,
            successes: counted(self.successes)?,
            corrections: counted(self.corrections)?,
            corrections_squares: counted(self.corrections_squares)?,
            corrections_histogram: [
                counted(self.corrected_0)?,
                counted(self.corrected_1)?,
                counted(self.corrected_2)?,
                counted(self.corrected_3)?,
                counted(self.corrected_4)?,
                counted(self.corrected_5)?,
            ],
            escalations: counted(self.escalations)?,
            turns_sum: counted(self.turns_sum)?,
            turns_squares: counted(self.turns_squares)?,
            turns_n: counted(self.turns_n)?,
            system_error_failures: counted(self.system_error_failures)?,
        };
        let start = match cut {
            Cut::Whole => window.start(),
            Cut::Into(_) => Timestamp::from_seconds(self.start),
        };
        Ok(TallyRow { start, source: source_of(&self.source, "outcome_rollup")?, tally })
    }
}
