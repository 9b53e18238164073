//! Statements built from the coverage declaration: every identifier comes from there, every value is bound.
//!
//! All of them bind the organization as `$1` and the user as `$2`.

use ::governance::{Column, Form, Owner, Table, Treatment, Value};
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, QueryableByName};
use diesel::row::{Field as _, NamedRow, Row};
use diesel::sql_types::{BigInt, Bool, Double, Text};
use kernel::StoreError;

/// The column that names the user.
fn user_column(table: &Table) -> Result<&'static str, StoreError> {
    match table.owner {
        Owner::Column(user) => Ok(user),
        Owner::Nobody => Err(StoreError::Failed(format!("the rows of {} belong to no user", table.name))),
    }
}

/// The condition that picks a user's rows.
pub(super) fn of_user(table: &Table) -> Result<String, StoreError> {
    Ok(format!("org_id = $1 AND {} = $2", user_column(table)?))
}

/// `column = NULL` for every column that is blanked.
pub(super) fn blanks(table: &Table) -> String {
    let blanked = table.columns.iter().filter(|column| column.treatment == Treatment::Blank);
    blanked.map(|column| format!("{} = NULL", column.name)).collect::<Vec<_>>().join(", ")
}

/// The columns that put one user's rows in the order of the table's key.
pub(super) fn order(table: &Table) -> Result<Vec<&'static Column>, StoreError> {
    let user = user_column(table)?;
    let rest = table.key.iter().filter(|name| **name != "org_id" && **name != user);
    rest.map(|name| {
        let declared = table.columns.iter().find(|column| column.name == *name);
        declared.ok_or_else(|| StoreError::Failed(format!("{}.{name} is not declared", table.name)))
    })
    .collect()
}

/// Selects a page of a user's rows, behind the `$3…` of the last one when there was one; `LIMIT` is the last bind.
pub(super) fn page(table: &Table, is_first: IsFirst) -> Result<String, StoreError> {
    let columns: Vec<_> = table.columns.iter().map(selected).collect();
    let order = order(table)?;
    let names: Vec<_> = order.iter().map(|column| column.name).collect();
    let (names, binds) =
        (names.join(", "), (3..3 + order.len()).map(|n| format!("${n}")).collect::<Vec<_>>());
    let (behind, limit) = match is_first {
        IsFirst::Yes => (String::new(), 3),
        IsFirst::No => (format!(" AND ({names}) > ({})", binds.join(", ")), 3 + order.len()),
    };
    Ok(format!(
        "SELECT {} FROM {} WHERE {}{behind} ORDER BY {names} LIMIT ${limit}",
        columns.join(", "),
        table.name,
        of_user(table)?,
    ))
}

/// Whether a page is a table's first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IsFirst {
    Yes,
    No,
}

/// A column is selected under the name of its form, so that a row says by itself how it reads.
fn selected(column: &Column) -> String {
    match column.form {
        Form::Integer => format!("CAST({} AS BIGINT) AS {}", column.name, alias(column.form)),
        form => format!("{} AS {}", column.name, alias(form)),
    }
}

const fn alias(form: Form) -> &'static str {
    match form {
        Form::Text => "form_text",
        Form::Integer => "form_integer",
        Form::Real => "form_real",
        Form::Boolean => "form_boolean",
        Form::Json => "form_json",
    }
}

const FORMS: [Form; 5] = [Form::Text, Form::Integer, Form::Real, Form::Boolean, Form::Json];

/// A row selected by [`page`]: its values in declared order.
pub(super) struct Loaded(pub(super) Vec<Value>);

impl<DB> QueryableByName<DB> for Loaded
where
    DB: Backend,
    String: FromSql<Text, DB>,
    i64: FromSql<BigInt, DB>,
    f64: FromSql<Double, DB>,
    bool: FromSql<Bool, DB>,
{
    fn build<'a>(row: &impl NamedRow<'a, DB>) -> deserialize::Result<Self> {
        let mut values = Vec::with_capacity(row.field_count());
        for index in 0..row.field_count() {
            let field = Row::get(row, index).ok_or("a column is missing")?;
            let form = FORMS.into_iter().find(|form| field.field_name() == Some(alias(*form)));
            let form = form.ok_or("a column does not say how it reads")?;
            values.push(match field.value() {
                None => Value::Null,
                Some(raw) => match form {
                    Form::Text => Value::Text(String::from_sql(raw)?),
                    Form::Integer => Value::Integer(i64::from_sql(raw)?),
                    Form::Real => Value::Real(f64::from_sql(raw)?),
                    Form::Boolean => Value::Boolean(bool::from_sql(raw)?),
                    Form::Json => Value::Json(String::from_sql(raw)?),
                },
            });
        }
        Ok(Self(values))
    }
}
