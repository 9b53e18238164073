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

    fn many_publishers_of_one_session_on_two_servers_agree_on_its_ends(db) {
        const PUBLISHERS: i64 = 32;
        let servers = [db.database.clone(), db.another_server()];

        std::thread::scope(|scope| {
            for publisher in 0..PUBLISHERS {
                let server = &servers[usize::from(publisher % 2 == 0)];
                scope.spawn(move || {
                    let time = (publisher * 7) % PUBLISHERS;
                    publish(server, "acme", said("ada", "s", &format!("r{time:02}"), time + 100)).unwrap();
                });
            }
        });

        assert_eq!(db.number("SELECT count(*) AS n FROM requests"), PUBLISHERS);
        let ends = "SELECT count(*) AS n FROM sessions WHERE first_request_id = 'r00' AND first_request_at = 100 \
             AND last_request_id = 'r31' AND last_request_at = 131";
        assert_eq!(db.number(ends), 1);
        assert_eq!(db.number("SELECT revision AS n FROM work_items"), PUBLISHERS);
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
