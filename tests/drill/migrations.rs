//! Ten servers start at once on a database without a schema.

use std::time::Instant;

use support::ServerProcess;

use crate::load;
use crate::table::Row;

const SERVERS: usize = 10;

pub(crate) fn drill() -> Vec<Row> {
    let drills = crate::databases().into_iter().map(|(database, db)| {
        db.database.unmigrate().unwrap();
        let begun = Instant::now();
        let servers: Vec<ServerProcess> = std::thread::scope(|scope| {
            let starting: Vec<_> = (0..SERVERS).map(|_| scope.spawn(|| ServerProcess::on(&db.url))).collect();
            starting.into_iter().map(|server| server.join().unwrap()).collect()
        });
        let all_up = begun.elapsed();
        let token = load::token(&db.database);
        let mut told = load::Told::default();
        for (n, server) in servers.iter().enumerate() {
            assert_eq!(server.anonymous().get("/readyz").status, 200);
            let id = format!("0-{n}");
            let outcome =
                load::publish(&server.anonymous().bearing(&token), &load::request(0, &id, "a turn"));
            assert_eq!(outcome, "200");
            told.acknowledged.push(id);
        }
        let organizations = db.number("SELECT count(*) AS n FROM organizations WHERE org_id = 'default'");
        assert_eq!(organizations, 1, "the first organization is made once");
        let (acknowledged, lost) = (told.acknowledged.len(), load::lost(&db, &told));
        let seen = format!("all ten up and ready within {all_up:.1?}; each answers 200");
        let recovery = "nothing to recover: one migrates, nine wait for it".to_owned();
        Row { fault: "ten servers migrate at once", database, seen, acknowledged, lost, recovery }
    });
    drills.collect()
}
