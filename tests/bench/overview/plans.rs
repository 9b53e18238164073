//! The queries of one overview, as they went to the database, and how it answers them.

use std::fmt::Write as _;

use evaluation::ReadOverview;
use kernel::OrgId;
use storage::testing::{TestDatabase, asked_by, scanned_table};

use super::{query, window};
use crate::raw::Raw;

/// Tells the queries of an overview of ninety days, each with its plan.
pub(super) fn told(read: &ReadOverview, database: &TestDatabase, raw: &mut Raw) -> anyhow::Result<String> {
    let (org, query) = (OrgId::new("acme")?, query(window(90)?));
    let (queries, overview) = asked_by(|| read.read(&org, &query));
    overview?;
    let (mut told, mut scans) = (String::new(), 0);
    for asked in &queries {
        let steps = database.plan(asked);
        for table in steps.iter().filter_map(|step| scanned_table(step)) {
            scans += usize::from(is_large(raw, table)?);
        }
        let begins: String = asked.statement.chars().take(150).collect();
        let telling: Vec<_> = steps.into_iter().filter(|step| is_telling(step, raw)).collect();
        writeln!(told, "{begins}…\n    {}", telling.join("\n    "))?;
    }
    Ok(format!("{} queries, {scans} scans of a table with a thousand rows or more\n\n{told}", queries.len()))
}

/// Whether a step says how rows are found; on PostgreSQL many do not.
fn is_telling(step: &str, raw: &Raw) -> bool {
    let words = ["Scan", "Index Cond", "Group", "Sort Key"];
    matches!(raw, Raw::Sqlite(_)) || words.iter().any(|word| step.contains(word))
}

/// Whether it matters that a table is scanned: an index makes no difference to one of a few rows.
fn is_large(raw: &mut Raw, table: &str) -> anyhow::Result<bool> {
    let counted = format!("SELECT count(*) AS n FROM (SELECT 1 FROM {table} LIMIT 1000) AS seen");
    Ok(raw.numbers(&counted, &[])?.first().is_some_and(|rows| *rows >= 1_000))
}
