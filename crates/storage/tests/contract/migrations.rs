//! What an operator may rely on when servers start and schemas change.

use storage::{Schema, on_both};

on_both! {
    fn a_migrated_database_is_current(db) {
        assert_eq!(db.database.schema(), Ok(Schema::Current));
        assert_eq!(db.database.migrate(), Ok(0));
    }

    fn every_migration_can_be_undone_and_done_again(db) {
        db.database.unmigrate().unwrap();
        assert!(matches!(db.database.schema(), Ok(Schema::Behind(_))));

        db.database.migrate().unwrap();

        assert_eq!(db.database.schema(), Ok(Schema::Current));
    }

    fn ten_servers_that_start_at_once_migrate_once(db) {
        db.database.unmigrate().unwrap();

        let run: Vec<usize> = std::thread::scope(|scope| {
            let starts: Vec<_> =
                (0..10).map(|_| scope.spawn(|| db.another_server().migrate().unwrap())).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });

        assert_eq!(run.iter().filter(|&&migrations| migrations > 0).count(), 1, "{run:?}");
        assert_eq!(db.database.schema(), Ok(Schema::Current));
    }
}
