//! The learning feed: commit order, nothing skipped, nothing late.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::{OrgId, StoreError, UnitOfWork};
use learning::{FeedPosition, FeedReader, Publication, PublishTx, Purpose};
use storage::{Database, on_both};

use super::{happened, publish, request_id, said, session, turn};
use crate::{at, org};

fn read(database: &Database, of: &OrgId, after: u64, limit: u32) -> Vec<(u64, String)> {
    let entries = database.entries(of, FeedPosition(after), limit).unwrap();
    entries.iter().map(|entry| (entry.sequence.0, entry.request_id.to_string())).collect()
}

fn names(entries: &[(u64, String)]) -> Vec<&str> {
    entries.iter().map(|(_, request)| request.as_str()).collect()
}

on_both! {
    fn published_requests_come_in_order_with_their_turns(db) {
        let turns = vec![happened(9, turn("User", "a")), happened(3, turn("Agent", "b"))];
        publish(&db.database, "acme", Publication { interactions: turns, ..said("ada", "s", "r2", 9) }).unwrap();
        publish(&db.database, "acme", said("bob", "t", "r1", 1)).unwrap();

        let entries = db.database.entries(&org("acme"), FeedPosition(0), 10).unwrap();

        assert_eq!(entries.len(), 2);
        assert!(entries[0].sequence < entries[1].sequence);
        assert_eq!((&entries[0].request_id, &entries[0].session), (&request_id("r2"), &session("ada", "s")));
        let said: Vec<_> = entries[0].interactions.iter().map(|turn| turn.body.content.as_str()).collect();
        assert_eq!(said, ["a", "b"]);
    }

    fn a_reader_goes_on_where_it_stopped(db) {
        for request in ["r1", "r2", "r3"] {
            publish(&db.database, "acme", said("ada", "s", request, 1)).unwrap();
        }

        let first = read(&db.database, &org("acme"), 0, 2);
        let rest = read(&db.database, &org("acme"), first[1].0, 2);
        let end = read(&db.database, &org("acme"), rest[0].0, 2);

        assert_eq!((names(&first), names(&rest), names(&end)), (vec!["r1", "r2"], vec!["r3"], vec![]));
        assert_eq!(read(&db.database, &org("acme"), u64::MAX, 2), []);
    }

    fn who_comes_for_the_first_time_after_years_is_given_no_more_numbers_than_needed(db) {
        db.execute("INSERT INTO feed_entries (org_id, user_id, session_id, request_id) WITH RECURSIVE numbers (i) AS \
             (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 12000) SELECT 'acme', 'ada', 's', 'r' || i FROM numbers");

        let first = read(&db.database, &org("acme"), 0, 2);

        assert_eq!(names(&first), ["r1", "r2"]);
        if db.url.starts_with("postgres") {
            assert_eq!(db.number("SELECT count(*) AS n FROM feed_entries WHERE sequence IS NOT NULL"), 5_000);
        }
        let mut seen = vec![first[1].clone()];
        loop {
            let page = read(&db.database, &org("acme"), seen[seen.len() - 1].0, 1_000);
            if page.is_empty() {
                break;
            }
            seen.extend(page);
        }
        assert!(names(&seen).into_iter().eq((2..=12_000).map(|n| format!("r{n}"))), "an entry is missing or out of order");
    }

    fn an_organization_reads_its_own_entries_alone(db) {
        publish(&db.database, "acme", said("ada", "s", "ours", 1)).unwrap();
        publish(&db.database, "umbrella", said("ada", "s", "theirs", 1)).unwrap();

        assert_eq!(names(&read(&db.database, &org("acme"), 0, 9)), ["ours"]);
        assert_eq!(names(&read(&db.database, &org("umbrella"), 0, 9)), ["theirs"]);
    }

    fn a_number_is_not_given_again_when_the_newest_entry_is_gone(db) {
        publish(&db.database, "acme", said("ada", "s", "r1", 1)).unwrap();
        let seen = read(&db.database, &org("acme"), 0, 9)[0].0;
        db.execute("DELETE FROM feed_entries");

        publish(&db.database, "acme", said("ada", "s", "r2", 1)).unwrap();

        assert_eq!(names(&read(&db.database, &org("acme"), seen, 9)), ["r2"]);
    }

    fn a_transaction_that_is_still_open_is_not_passed_by(db) {
        let request = learning::Request {
            request_id: request_id("slow"),
            session: session("ada", "s"),
            source: kernel::Source::unstated(),
            agent_version: kernel::AgentVersion::unstated(),
            purpose: Purpose::Learning,
            attribution: None,
            created_at: at(1),
        };
        let store: &dyn UnitOfWork<dyn PublishTx> = &db.database;
        let (inserted, is_inserted) = std::sync::mpsc::channel();
        let (go_on, goes_on) = std::sync::mpsc::channel::<()>();

        let seen_before = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut once = Some((inserted, goes_on));
                store
                    .transact(&org("acme"), |tx| {
                        tx.admit(std::slice::from_ref(&request.session.user))?;
                        tx.append_to_feed(&request)?;
                        if let Some((inserted, goes_on)) = once.take() {
                            inserted.send(()).unwrap();
                            goes_on.recv().unwrap();
                        }
                        Ok::<_, StoreError>(())
                    })
                    .unwrap();
            });
            is_inserted.recv().unwrap();
            // SQLite has one writer: there the quick one can only come after the slow one.
            if db.database.engine() == "postgres" {
                publish(&db.database, "acme", said("bob", "s", "quick", 1)).unwrap();
            }
            let seen = read(&db.database, &org("acme"), 0, 9);
            go_on.send(()).unwrap();
            seen
        });

        let after = seen_before.last().map_or(0, |(sequence, _)| *sequence);
        assert!(!names(&seen_before).contains(&"slow"));
        assert_eq!(names(&read(&db.database, &org("acme"), after, 9)), ["slow"]);
    }

    fn tailing_readers_see_every_entry_once_and_in_one_order_while_many_publish(db) {
        const PUBLISHERS: usize = 8;
        const EACH: usize = 12;
        let done = AtomicUsize::new(0);
        let servers = [db.database.clone(), db.another_server()];

        let read: Vec<Vec<(u64, String)>> = std::thread::scope(|scope| {
            for publisher in 0..PUBLISHERS {
                let (server, done) = (&servers[publisher % 2], &done);
                scope.spawn(move || {
                    for n in 0..EACH {
                        let name = format!("r-{publisher}-{n}");
                        publish(server, "acme", said(&format!("u{publisher}"), &name, &name, 1)).unwrap();
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
            let tail = |server: &Database| {
                let mut seen: Vec<(u64, String)> = Vec::new();
                loop {
                    let is_over = done.load(Ordering::SeqCst) == PUBLISHERS;
                    let after = seen.last().map_or(0, |(sequence, _)| *sequence);
                    let page = read(server, &org("acme"), after, 7);
                    if page.is_empty() && is_over {
                        return seen;
                    }
                    seen.extend(page);
                }
            };
            let readers: Vec<_> = servers.iter().map(|server| scope.spawn(move || tail(server))).collect();
            readers.into_iter().map(|reader| reader.join().unwrap()).collect()
        });

        let different: HashSet<_> = read[0].iter().map(|(_, request)| request.clone()).collect();
        assert_eq!((read[0].len(), different.len()), (PUBLISHERS * EACH, PUBLISHERS * EACH));
        assert_eq!(read[0], read[1]);
        for publisher in 0..PUBLISHERS {
            let own = read[0].iter().filter(|(_, request)| request.starts_with(&format!("r-{publisher}-")));
            let expected: Vec<_> = (0..EACH).map(|n| format!("r-{publisher}-{n}")).collect();
            assert_eq!(own.map(|(_, request)| request.clone()).collect::<Vec<_>>(), expected);
        }
    }
}
