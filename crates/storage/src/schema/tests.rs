//! The tables as diesel sees them are the tables that the migrations make, on both databases.

use diesel::prelude::*;

use super::*;

/// Asks for no row, and thereby for every column, of each table.
macro_rules! assert_columns_exist {
    ($db:expr, $($table:ident),+ $(,)?) => {
        let mut conn = $db.database.connect().unwrap();
        $(
            let asked = $table::table.limit(0).execute(&mut conn);
            assert!(asked.is_ok(), "{}: {asked:?}", stringify!($table));
        )+
    };
}

crate::on_both! {
    fn every_column_of_every_table_exists(db) {
        assert_columns_exist!(
            db,
            organizations,
            credentials,
            experiments,
            subject_barriers,
            reference_keys,
            requests,
            sessions,
            interactions,
            session_citations,
            retrieved_learnings,
            feed_entries,
            work_items,
            profiles,
            user_playbooks,
            agent_playbooks,
            playbook_source_links,
            profile_words,
            user_playbook_words,
            agent_playbook_words,
            experiment_sessions,
            experiment_users,
        );
    }
}
