//! Looking into the JSON lists of text columns, which each database does in its own way.

use super::AnyConnection;

/// The condition that a column's list holds every entry of the JSON list that takes the place of `$n`.
pub(crate) fn holds_all(conn: &AnyConnection, column: &str) -> [String; 2] {
    match conn {
        AnyConnection::Sqlite(_) => [
            "NOT EXISTS (SELECT 1 FROM json_each(".to_owned(),
            format!(") AS wanted WHERE wanted.value NOT IN (SELECT value FROM json_each({column})))"),
        ],
        AnyConnection::Postgres(_) => [format!("CAST({column} AS JSONB) @> CAST("), " AS JSONB)".to_owned()],
    }
}
