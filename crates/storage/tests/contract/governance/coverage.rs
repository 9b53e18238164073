//! The coverage declaration agrees with the live schema of both databases.

use std::collections::BTreeSet;

use governance::{DERIVED, Owner, Role, TABLES, Table};
use storage::on_both;
use storage::testing::TestDatabase;

/// Every column of every table that holds rows, as `table.column`, but the tables that the database or the migrations
/// keep for themselves.
fn live_columns(db: &TestDatabase) -> BTreeSet<String> {
    let columns = if db.database.engine() == "sqlite" {
        "SELECT l.name || '.' || x.name AS t FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS x \
         WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite!_%' ESCAPE '!' \
         AND l.name <> '__diesel_schema_migrations'"
    } else {
        "SELECT c.relname || '.' || a.attname AS t FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid \
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f') \
         AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> '__diesel_schema_migrations'"
    };
    db.texts(columns).into_iter().collect()
}

/// Tables that are made of other tables' rows.
fn live_virtual_tables(db: &TestDatabase) -> Vec<String> {
    if db.database.engine() == "sqlite" {
        db.texts("SELECT name AS t FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")
    } else {
        Vec::new()
    }
}

/// Every index over whole tables, as the names of its columns behind the name of its table.
fn live_indexes(db: &TestDatabase) -> Vec<Vec<String>> {
    let indexes = if db.database.engine() == "sqlite" {
        "SELECT l.name || ',' || (SELECT group_concat(x.name, ',') FROM pragma_index_xinfo(i.name) AS x \
            WHERE x.key = 1) AS t \
         FROM pragma_table_list AS l JOIN pragma_index_list(l.name) AS i \
         WHERE l.schema = 'main' AND l.type = 'table' AND i.partial = 0 AND l.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    } else {
        "SELECT c.relname || ',' || string_agg(a.attname, ',' ORDER BY k.place) AS t \
         FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid \
         CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place) \
         JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum \
         WHERE c.relnamespace = current_schema()::regnamespace AND i.indpred IS NULL \
         GROUP BY i.indexrelid, c.relname"
    };
    db.texts(indexes).iter().map(|index| index.split(',').map(str::to_owned).collect()).collect()
}

fn declared_columns() -> BTreeSet<String> {
    let columns = |table: &'static Table| {
        table.columns.iter().map(move |column| format!("{}.{}", table.name, column.name))
    };
    TABLES.iter().flat_map(columns).collect()
}

fn is_derived(name: &str) -> bool {
    DERIVED.iter().any(|derived| derived.name == name)
}

/// The columns that an index must begin with to hand out a user's rows in the order of the key.
fn wanted(table: &Table) -> Vec<&'static str> {
    let Owner::Column(user) = table.owner else { panic!("{} belongs to nobody", table.name) };
    let mut wanted = vec![table.name, "org_id", user];
    if let (Role::Listed(_), Some(first)) =
        (table.role, table.key.iter().find(|name| **name != "org_id" && **name != user))
    {
        wanted.push(first);
    }
    wanted
}

on_both! {
    fn every_column_of_the_schema_is_declared(db) {
        let live = live_columns(db);
        let declared = declared_columns();

        let forgotten: Vec<_> = live.difference(&declared).filter(|name| !is_derived(name)).collect();
        let gone: Vec<_> = declared.difference(&live).collect();

        assert_eq!((forgotten, gone), (vec![], vec![]));
        assert!(live_virtual_tables(db).iter().all(|name| is_derived(name)));
    }

    fn a_column_or_a_table_that_nobody_declared_is_noticed(db) {
        db.execute("ALTER TABLE profiles ADD COLUMN nickname TEXT; CREATE TABLE diaries (org_id TEXT, page TEXT)");

        let live = live_columns(db);

        let declared = declared_columns();
        let forgotten: Vec<_> = live.difference(&declared).filter(|name| !is_derived(name)).collect();
        assert_eq!(forgotten, ["diaries.org_id", "diaries.page", "profiles.nickname"]);
    }

    fn a_users_rows_are_found_through_an_index_and_pages_follow_one(db) {
        let indexes = live_indexes(db);

        for table in TABLES.iter().filter(|table| table.holds_user_rows()) {
            let wanted = wanted(table);
            let fits = |index: &Vec<String>| index.iter().take(wanted.len()).eq(wanted.iter());
            assert!(indexes.iter().any(fits), "no index begins with {wanted:?}");
        }
    }
}
