//! Finding rows by pairs of names.

use diesel::dsl::sql;
use diesel::expression::{AsExpression, SqlLiteral, UncheckedBind};
use diesel::sql_types::{Bool, Text};

use super::AnyConnection;

/// A condition with the pairs bound into it.
type Condition =
    SqlLiteral<Bool, UncheckedBind<SqlLiteral<Bool>, <String as AsExpression<Text>>::Expression>>;

/// Says that two columns hold one of these pairs.
///
/// Each pair is one look into an index; two lists of names would make one of every name with every other.
pub(crate) fn is_one_of<'a>(
    conn: &AnyConnection,
    columns: (&str, &str),
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Condition {
    let bound: serde_json::Value = pairs.into_iter().map(|(one, other)| vec![one, other]).collect();
    let (columns, (begin, end)) = (format!("({}, {})", columns.0, columns.1), told(conn));
    sql(&format!("{columns} IN ({begin}")).bind::<Text, _>(bound.to_string()).sql(&format!("{end})"))
}

/// How a database reads pairs from a JSON text, before and after it.
const fn told(conn: &AnyConnection) -> (&'static str, &'static str) {
    match conn {
        AnyConnection::Postgres(_) => {
            ("SELECT pair ->> 0, pair ->> 1 FROM json_array_elements(CAST(", " AS json)) AS pair")
        }
        AnyConnection::Sqlite(_) => {
            ("SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(", ")")
        }
    }
}
