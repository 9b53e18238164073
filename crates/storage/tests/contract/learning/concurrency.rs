//! Many publishers at once: no error, no lost row, and one session stays right.

use storage::on_both;

use super::{happened, publish, said, turn};

on_both! {
    fn thirty_two_publishers_lose_nothing(db) {
        const PUBLISHERS: i64 = 32;
        const EACH: i64 = 5;

        std::thread::scope(|scope| {
            for publisher in 0..PUBLISHERS {
                let database = &db.database;
                scope.spawn(move || {
                    for n in 0..EACH {
                        let turns = (0..4).map(|at| happened(at, turn("Agent", "well"))).collect();
                        let name = format!("r-{publisher}-{n}");
                        let given = learning::Publication {
                            interactions: turns,
                            ..said(&format!("u{publisher}"), "s", &name, n)
                        };
                        publish(database, "acme", given).unwrap();
                    }
                });
            }
        });

        let count = |table: &str| db.number(&format!("SELECT count(*) AS n FROM {table}"));
        assert_eq!(count("requests"), PUBLISHERS * EACH);
        assert_eq!(count("interactions"), PUBLISHERS * EACH * 4);
        assert_eq!(count("feed_entries"), PUBLISHERS * EACH);
        assert_eq!((count("sessions"), count("work_items")), (PUBLISHERS, PUBLISHERS));
    }

    fn a_crowd_that_publishes_one_session_on_four_servers_loses_nothing_and_agrees_on_its_ends(db) {
        const PUBLISHERS: i64 = 64;
        const EACH: i64 = 5;
        let servers = [db.database.clone(), db.another_server(), db.another_server(), db.another_server()];

        std::thread::scope(|scope| {
            for (publisher, server) in (0..PUBLISHERS).zip(servers.iter().cycle()) {
                scope.spawn(move || {
                    for n in 0..EACH {
                        let time = (publisher * EACH + n) * 7 % (PUBLISHERS * EACH);
                        publish(server, "acme", said("ada", "s", &format!("r{time:03}"), time)).unwrap();
                    }
                });
            }
        });

        assert_eq!(db.number("SELECT count(*) AS n FROM requests"), PUBLISHERS * EACH);
        let ends = "SELECT count(*) AS n FROM sessions WHERE first_request_id = 'r000' AND first_request_at = 0 \
             AND last_request_id = 'r319' AND last_request_at = 319";
        assert_eq!(db.number(ends), 1);
        assert_eq!(db.number("SELECT revision AS n FROM work_items"), PUBLISHERS * EACH);
    }

    fn of_many_who_repeat_one_request_all_get_the_same_answer(db) {
        let servers = [db.database.clone(), db.another_server()];

        let answers: Vec<_> = std::thread::scope(|scope| {
            let repeats: Vec<_> = (0..16)
                .map(|n| {
                    let server = &servers[n % 2];
                    scope.spawn(move || publish(server, "acme", said("ada", "s", "r", 1)).unwrap())
                })
                .collect();
            repeats.into_iter().map(|repeat| repeat.join().unwrap()).collect()
        });

        assert!(answers.iter().all(|answer| *answer == answers[0]));
        assert_eq!(db.number("SELECT count(*) AS n FROM interactions"), 1);
    }
}
