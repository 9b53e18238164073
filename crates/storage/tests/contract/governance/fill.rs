//! Rows for a user in every table that may hold one, made from the declaration, with a mark in every free text.

use governance::{Column, Form, Owner, TABLES, Table};
use storage::testing::TestDatabase;

/// What every free text of a user's rows begins with: one word, so that indexes of words hold it too.
pub(super) fn mark(name: &str) -> String {
    format!("zqx{name}")
}

/// Gives a user of `acme` so many rows in every table that may hold one; numbers begin at `first`.
pub(super) fn fill(db: &TestDatabase, name: &str, rows: u32, first: u32) {
    let tables: Vec<_> = TABLES.iter().filter(|table| table.holds_user_rows()).collect();
    // Whatever points to a row comes after the row.
    for table in tables.into_iter().rev() {
        fill_table(db, table, name, rows, first);
    }
}

/// Gives a user of `acme` rows in one table.
pub(super) fn fill_table(db: &TestDatabase, table: &Table, name: &str, rows: u32, first: u32) {
    // One database makes this number itself.
    let columns: Vec<_> = table.columns.iter().filter(|column| column.name != "sequence").collect();
    let names: Vec<_> = columns.iter().map(|column| column.name).collect();
    let row = |n: u32| {
        let values: Vec<_> = columns.iter().map(|column| literal(table, column, name, first + n)).collect();
        format!("({})", values.join(", "))
    };
    let values: Vec<_> = (0..rows).map(row).collect();
    db.execute(&format!("INSERT INTO {} ({}) VALUES {}", table.name, names.join(", "), values.join(", ")));
}

fn literal(table: &Table, column: &Column, name: &str, n: u32) -> String {
    if column.name == "org_id" {
        return "'acme'".to_owned();
    }
    if table.owner == Owner::Column(column.name) {
        return format!("'{name}'");
    }
    if let Some(word) = one_of(column.name) {
        return format!("'{word}'");
    }
    let word = format!("{}{}{}{n}", mark(name), table.name.replace('_', ""), column.name.replace('_', ""));
    match column.form {
        Form::Text => format!("'{word}'"),
        Form::Json => format!("'[\"{word}\"]'"),
        Form::Integer if column.name == "agent_playbook_id" => (n % 3).to_string(),
        Form::Integer => n.to_string(),
        Form::Real => format!("{n}.25"),
        Form::Boolean => "TRUE".to_owned(),
    }
}

/// Columns whose values the schema limits.
fn one_of(column: &str) -> Option<&'static str> {
    match column {
        "status" => Some("current"),
        "state" => Some("waiting"),
        "experiment_arm" | "arm" => Some("treatment"),
        "better_request" => Some("tie"),
        _ => None,
    }
}

/// The rows of a user in one table.
pub(super) fn rows_in(db: &TestDatabase, table: &Table, name: &str) -> i64 {
    let Owner::Column(user) = table.owner else { panic!("{} belongs to nobody", table.name) };
    db.number(&format!(
        "SELECT count(*) AS n FROM {} WHERE org_id = 'acme' AND {user} = '{name}'",
        table.name
    ))
}

/// The rows of a user in every table that may hold one.
pub(super) fn rows_of(db: &TestDatabase, name: &str) -> Vec<(&'static str, i64)> {
    let tables = TABLES.iter().filter(|table| table.holds_user_rows());
    tables.map(|table| (table.name, rows_in(db, table, name))).collect()
}
