//! Searching by words, on each database's own engine.

use ::learning::MatchMode;

use super::{AnyConnection, tags};
use crate::learning::words::Wanted;

/// Where a kind of learning lies, for a search in it.
pub(crate) struct Library {
    /// The learnings.
    pub(crate) table: &'static str,
    /// Their number.
    pub(crate) key: &'static str,
    /// Their marked words.
    pub(crate) words: &'static str,
    /// The engine's index of the words, where it is a table of its own.
    pub(crate) index: &'static str,
    /// Further conditions on the table, with parameters from `$5` on.
    pub(crate) filters: &'static str,
    /// What decides between equal ranks.
    pub(crate) ties: &'static str,
    /// The columns that are wanted of it. Named one by one: a kept statement must not change when a table grows.
    pub(crate) columns: &'static str,
    /// What is wanted besides about each of the learnings `found`, which is looked up for those alone.
    pub(crate) details: &'static str,
}

/// The engine's expression for the words. They hold letters and digits only, so quoting makes them words for sure.
pub(crate) fn expression(conn: &AnyConnection, wanted: &Wanted) -> String {
    let (quote, prefix, and, or) = match conn {
        AnyConnection::Sqlite(_) => ('"', "*", " AND ", " OR "),
        AnyConnection::Postgres(_) => ('\'', ":*", " & ", " | "),
    };
    let quoted = |word: &String| format!("{quote}{word}{quote}");
    let beginnings: Vec<_> = wanted.beginnings.iter().map(|word| quoted(word) + prefix).collect();
    let last = format!("({})", beginnings.join(or));
    let words: Vec<_> = wanted.whole.iter().map(quoted).chain([last]).collect();
    words.join(match wanted.mode {
        MatchMode::AllWords => and,
        MatchMode::AnyWord => or,
    })
}

/// The statement that finds current learnings, best first.
///
/// `$1` stands for the expression, `$2` for the organization, `$3` for the tags as a JSON list, `$4` for the most rows.
pub(crate) fn statement(conn: &AnyConnection, library: &Library) -> String {
    let Library { table, key, words, index, filters, ties, columns, details } = library;
    let columns: Vec<_> = columns.split(", ").map(|column| format!("{table}.{column}")).collect();
    let columns = columns.join(", ");
    let tags = tags::holds_all(conn, &format!("{table}.tags")).join("$3");
    // On PostgreSQL behind a SELECT: seeing which organization it is and how little is wanted, the planner would think each search
    // worth a plan of its own, and planning takes longer than searching.
    let (org, most) = match conn {
        AnyConnection::Sqlite(_) => ("$2", "$4"),
        AnyConnection::Postgres(_) => ("(SELECT $2)", "(SELECT $4)"),
    };
    let conditions =
        format!("{table}.org_id = {org} AND {table}.status = 'current' AND {filters} AND {tags}");
    let found = match conn {
        // The engine goes first, whatever the planner thinks of it.
        AnyConnection::Sqlite(_) => format!(
            "SELECT {columns} FROM {index} CROSS JOIN {table} ON {table}.{key} = {index}.rowid \
             WHERE {index} MATCH $1 AND {conditions} ORDER BY bm25({index}), {ties} LIMIT {most}"
        ),
        // Materialized and behind OFFSET 0 for the same reason: left to itself, the planner reads a whole organization.
        AnyConnection::Postgres(_) => format!(
            "WITH wanted AS MATERIALIZED (SELECT to_tsquery('touchstone', $1) AS query), \
             hits AS MATERIALIZED (SELECT {key}, ts_rank(vector, (SELECT query FROM wanted)) AS rank \
             FROM {words} WHERE vector @@ (SELECT query FROM wanted)) \
             SELECT {columns} FROM hits CROSS JOIN LATERAL \
             (SELECT * FROM {table} WHERE {table}.{key} = hits.{key} OFFSET 0) AS {table} \
             WHERE {conditions} ORDER BY hits.rank DESC, {ties} LIMIT {most}"
        ),
    };
    let statement =
        if details.is_empty() { found } else { format!("SELECT found.*, {details} FROM ({found}) AS found") };
    match conn {
        AnyConnection::Sqlite(_) => statement.replace('$', "?"),
        AnyConnection::Postgres(_) => statement,
    }
}
