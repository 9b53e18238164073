//! Audit rows are appended, in order, once per success, and never change.

use governance::{Actor, AuditEntry, Counts, Operation, Outcome, Target, TicketRefs};
use kernel::{StoreError, UnitOfWork};
use storage::on_both;

use super::{refs, store, within};
use crate::{at, found, org};

fn entry(operation: Operation, outcome: Outcome, refs: TicketRefs) -> AuditEntry {
    let mut counts = Counts::zero();
    counts.add(Target::Interactions, 3);
    AuditEntry { actor: Actor::operator(), operation, outcome, refs, counts, at: at(50) }
}

fn append(database: &storage::Database, entry: &AuditEntry) -> Result<(), StoreError> {
    within(database, |tx| tx.audit().append(entry))
}

fn refused(db: &storage::testing::TestDatabase, sql: &str) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| db.execute(sql))).is_err()
}

on_both! {
    fn each_organization_numbers_its_rows_from_one_without_gaps(db) {
        found(db, &["acme", "umbrella"]);
        for request in ["a", "b", "c"] {
            append(&db.database, &entry(Operation::Erase, Outcome::Ok, refs("ada", request))).unwrap();
        }
        let foreign = entry(Operation::Erase, Outcome::Ok, refs("ada", "a"));
        store(&db.database).transact(&org("umbrella"), |tx| tx.audit().append(&foreign)).unwrap();

        let sum = |org: &str| {
            db.number(&format!("SELECT count(*) * 100 + max(sequence) AS n FROM audit_events WHERE org_id = '{org}'"))
        };
        assert_eq!((sum("acme"), sum("umbrella")), (303, 101));
    }

    fn a_row_holds_references_and_counts(db) {
        found(db, &["acme"]);
        append(&db.database, &entry(Operation::Export, Outcome::Ok, refs("ada", "ticket-1"))).unwrap();

        let ticket = refs("ada", "ticket-1");
        let same = db.number(&format!(
            "SELECT count(*) AS n FROM audit_events WHERE operation = 'EXPORT' AND outcome = 'ok' \
             AND actor_kind = 'operator' AND actor_ref = 'operator' AND subject_ref = '{}' AND request_ref = '{}' \
             AND created_at = 50 AND counts LIKE '%\"interactions\":3%' AND counts LIKE '%\"profiles\":0%'",
            ticket.subject, ticket.request
        ));
        assert_eq!(same, 1);
    }

    fn the_database_itself_allows_one_success_per_operation_and_ticket(db) {
        found(db, &["acme"]);
        let erased = entry(Operation::Erase, Outcome::Ok, refs("ada", "ticket-1"));
        append(&db.database, &erased).unwrap();

        assert_eq!(append(&db.database, &erased), Err(StoreError::Contended));
        for other in [
            entry(Operation::Export, Outcome::Ok, refs("ada", "ticket-1")),
            entry(Operation::Erase, Outcome::Ok, refs("ada", "ticket-2")),
            entry(Operation::Erase, Outcome::Error, refs("ada", "ticket-1")),
            entry(Operation::Erase, Outcome::Error, refs("ada", "ticket-1")),
        ] {
            append(&db.database, &other).unwrap();
        }
    }

    fn a_success_is_found_under_the_references_of_one_key_and_only_a_success(db) {
        found(db, &["acme", "umbrella"]);
        let (old, new) = (refs("ada-old", "ticket-old"), refs("ada", "ticket"));
        append(&db.database, &entry(Operation::Export, Outcome::Error, new.clone())).unwrap();
        append(&db.database, &entry(Operation::Erase, Outcome::Ok, new.clone())).unwrap();
        let crossed = TicketRefs { subject: old.subject.clone(), request: new.request.clone() };
        append(&db.database, &entry(Operation::Export, Outcome::Ok, crossed)).unwrap();
        let known = [new, old.clone()];
        let seen = |tx: &mut (dyn governance::GovernanceTx + 'static)| tx.audit().succeeded(Operation::Export, &known);
        assert_eq!(within(&db.database, seen), Ok(None));

        append(&db.database, &entry(Operation::Export, Outcome::Ok, old.clone())).unwrap();

        assert_eq!(within(&db.database, seen), Ok(Some(old)));
        assert_eq!(store(&db.database).transact(&org("umbrella"), seen), Ok::<_, StoreError>(None));
    }

    fn of_two_repeats_one_sees_the_others_row(db) {
        found(db, &["acme"]);
        let servers = [db.database.clone(), db.another_server()];
        let exported = entry(Operation::Export, Outcome::Ok, refs("ada", "ticket-1"));

        std::thread::scope(|scope| {
            for n in 0..16 {
                let (server, exported): (&dyn UnitOfWork<dyn governance::GovernanceTx>, _) =
                    (&servers[n % 2], &exported);
                scope.spawn(move || {
                    server
                        .transact(&org("acme"), |tx| {
                            let known = [exported.refs.clone()];
                            if tx.audit().succeeded(Operation::Export, &known)?.is_none() {
                                tx.audit().append(exported)?;
                            }
                            Ok::<_, StoreError>(())
                        })
                        .unwrap();
                });
            }
        });

        assert_eq!(db.number("SELECT count(*) AS n FROM audit_events"), 1);
    }

    fn rows_appended_at_once_get_numbers_of_their_own(db) {
        found(db, &["acme"]);
        let servers = [db.database.clone(), db.another_server()];

        std::thread::scope(|scope| {
            for n in 0..16 {
                let server = &servers[n % 2];
                scope.spawn(move || {
                    let one = entry(Operation::Export, Outcome::Ok, refs("ada", &format!("ticket-{n}")));
                    append(server, &one).unwrap();
                });
            }
        });

        assert_eq!(db.number("SELECT count(*) * 100 + max(sequence) AS n FROM audit_events"), 1616);
    }

    fn nobody_changes_or_deletes_a_row(db) {
        found(db, &["acme"]);
        append(&db.database, &entry(Operation::Erase, Outcome::Ok, refs("ada", "ticket-1"))).unwrap();

        assert!(refused(db, "UPDATE audit_events SET outcome = 'error'"));
        assert!(refused(db, "DELETE FROM audit_events"));
        assert_eq!(db.number("SELECT count(*) AS n FROM audit_events WHERE outcome = 'ok'"), 1);
    }
}
