//! Writers of every kind race an erasure over real HTTP: what they were told is kept was erased, the rest was refused.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};
use support::app::NOW;
use support::{Client, ServerProcess, TestDatabase, TestOrganization};
use touchstone_cli::SystemClock;

use crate::activity::{add_user_playbook, first_id, judged, request};

const WRITERS: usize = 50;
const BYSTANDERS: usize = 4;
/// What is told to a writer of a user who is being erased, or was; a link finds the playbook gone.
const REFUSALS: [&str; 3] = ["409 subject_being_erased", "410 subject_erased", "422 invalid_request"];
/// Too many want the same rows at once: nothing was kept, and the writer tries again.
const CONTENDED: &str = "503 storage_unavailable";

/// `TOUCHSTONE_RACE_ROUNDS` asks for more.
fn rounds() -> usize {
    std::env::var("TOUCHSTONE_RACE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2)
}

/// A kind of write, named for the count of an erasure that it raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Publish,
    Profile,
    Playbook,
    Link,
    Result,
    Score,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Publish, Self::Profile, Self::Playbook, Self::Link, Self::Result, Self::Score];

    const fn path(self) -> &'static str {
        match self {
            Self::Publish => "/api/publish_interaction",
            Self::Profile => "/api/add_user_profile",
            Self::Playbook => "/api/add_user_playbook",
            Self::Link => "/api/add_agent_playbook",
            Self::Result => "/api/import_evaluation_results",
            Self::Score => "/api/partner_scores",
        }
    }

    /// The count of an erasure that each write raises by one; links are removed without being counted there.
    const fn target(self) -> Option<&'static str> {
        match self {
            Self::Publish => Some("requests"),
            Self::Profile => Some("profiles"),
            Self::Playbook => Some("user_playbooks"),
            Self::Link => None,
            Self::Result => Some("agent_success_evaluation_results"),
            Self::Score => Some("partner_scores"),
        }
    }

    /// The `n`th write of this kind for a user who has this playbook.
    fn body(self, user: &str, playbook: i64, n: u64) -> Value {
        let of_user = json!({ "user_id": user, "playbook_name": "p", "content": "tea" });
        let name = format!("{user}-{n}");
        match self {
            Self::Publish => request(user, &format!("s{}", n % 7), &name),
            Self::Profile => json!({ "user_profiles": [of_user] }),
            Self::Playbook => json!({ "user_playbooks": [of_user] }),
            Self::Link => {
                let windows = json!([{ "user_playbook_id": playbook }]);
                json!({ "agent_playbooks": [{ "playbook_name": "p", "content": "tea", "source_windows": windows }] })
            }
            Self::Result => json!({ "results": [judged(user, &name, NOW)] }),
            Self::Score => json!({ "scores": [{
                "source_run_id": name, "scorer_name": "tone", "value": 1, "ts": NOW, "user_id": user,
            }] }),
        }
    }
}

/// The servers of one race; each writer speaks to one of them.
struct Track<'a> {
    db: &'a TestDatabase,
    callers: Vec<Client>,
    next: AtomicU64,
}

/// What the writers of one round were told.
#[derive(Default)]
struct Told {
    kept: Mutex<BTreeMap<Kind, u64>>,
    contended: AtomicU64,
}

impl Told {
    fn all_kept(&self) -> u64 {
        self.kept.lock().unwrap().values().sum()
    }
}

impl Track<'_> {
    fn caller(&self, n: usize) -> &Client {
        &self.callers[n % self.callers.len()]
    }

    fn write(&self, writer: usize, kind: Kind, user: &str, playbook: i64) -> String {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        self.caller(writer).post(kind.path(), &kind.body(user, playbook, n)).told()
    }

    fn write_until_refused(&self, writer: usize, user: &str, playbook: i64, told: &Told) {
        let kind = Kind::ALL[writer % Kind::ALL.len()];
        loop {
            match self.write(writer, kind, user, playbook).as_str() {
                "200" => *told.kept.lock().unwrap().entry(kind).or_default() += 1,
                CONTENDED => drop(told.contended.fetch_add(1, Ordering::Relaxed)),
                refusal => {
                    assert!(REFUSALS.contains(&refusal), "{kind:?}: {refusal}");
                    return;
                }
            }
        }
    }

    /// One round: the user's writers loop, others write on, and in the middle the user is erased.
    fn round(&self, round: usize) -> (Value, Told, u64) {
        let user = format!("anna-{round}");
        let playbook = first_id(&add_user_playbook(self.caller(0), &user, "tea"));
        let (told, is_over, others) = (Told::default(), AtomicBool::new(false), AtomicU64::new(0));
        let erased = std::thread::scope(|scope| {
            let (user, told, is_over, others) = (&user, &told, &is_over, &others);
            for writer in 0..WRITERS {
                scope.spawn(move || self.write_until_refused(writer, user, playbook, told));
            }
            for n in 0..BYSTANDERS {
                let other = format!("ben-{round}-{n}");
                let playbook = first_id(&add_user_playbook(self.caller(n), &other, "tea"));
                scope.spawn(move || {
                    for kind in Kind::ALL.into_iter().cycle() {
                        if is_over.load(Ordering::Relaxed) {
                            return;
                        }
                        assert_eq!(self.write(n, kind, &other, playbook), "200", "{kind:?} of another user");
                        others.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            while told.all_kept() < 50 {
                std::thread::yield_now();
            }
            let ticket = json!({ "user_id": user, "request_id": "t" });
            let erased = self.caller(1).post("/api/governance/erase-user", &ticket);
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(erased.status, 200, "{}", erased.text());
            erased.json()
        });
        (erased, told, others.load(Ordering::Relaxed))
    }

    /// Every table that names users, found in the database itself.
    fn tables(&self) -> Vec<String> {
        self.db.texts(if self.db.url.starts_with("sqlite") {
            "SELECT m.name AS t FROM sqlite_master AS m, pragma_table_info(m.name) AS c
             WHERE m.type = 'table' AND c.name = 'user_id' AND m.name NOT LIKE '%_words%'"
        } else {
            "SELECT CAST(table_name AS TEXT) AS t FROM information_schema.columns
             WHERE table_schema = current_schema() AND column_name = 'user_id'"
        })
    }
}

fn assert_nothing_slips_in(db: &TestDatabase, processes: usize) {
    let acme = TestOrganization::found(&db.database, Arc::new(SystemClock), "acme");
    let token = acme.governance();
    let servers: Vec<_> = (0..processes).map(|_| ServerProcess::on(&db.url)).collect();
    let callers = servers.iter().map(|server| server.anonymous().bearing(&token)).collect();
    let track = Track { db, callers, next: AtomicU64::new(0) };
    let tables = track.tables();
    assert!(tables.len() >= 10, "{tables:?}");
    let (mut all_kept, mut all_others, mut all_contended) = (0, 0, 0);
    for round in 0..rounds() {
        let (erased, told, others) = track.round(round);

        assert_eq!(erased["status"], "complete");
        let kept = told.kept.lock().unwrap();
        for kind in Kind::ALL {
            // The playbook that the links name was there before.
            let expected = kept.get(&kind).copied().unwrap_or_default() + u64::from(kind == Kind::Playbook);
            if let Some(target) = kind.target() {
                assert_eq!(erased["deleted_counts"][target], expected, "{kind:?} in round {round}");
            }
        }
        for table in &tables {
            let left = format!("SELECT count(*) AS n FROM {table} WHERE user_id = 'anna-{round}'");
            assert_eq!(db.number(&left), 0, "{table} in round {round}");
        }
        assert!(others > 0, "nobody else wrote in round {round}");
        all_kept += kept.values().sum::<u64>();
        all_others += others;
        all_contended += told.contended.load(Ordering::Relaxed);
    }
    println!(
        "{} rounds: {all_kept} writes were kept and erased, {all_contended} were sent away for contention, \
         {all_others} writes of others all succeeded",
        rounds()
    );
}

#[test]
fn no_write_by_any_route_slips_in_behind_an_erasure_on_sqlite() {
    assert_nothing_slips_in(&TestDatabase::sqlite(), 1);
}

#[test]
fn no_write_by_any_route_slips_in_behind_an_erasure_on_postgres() {
    if let Some(db) = TestDatabase::postgres() {
        assert_nothing_slips_in(&db, 2);
    }
}
