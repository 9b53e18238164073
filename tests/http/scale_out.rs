//! Three servers behind a round-robin proxy on one PostgreSQL: a caller need not know which one answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Client, RoundRobin, ServerProcess, StubJudge, TestDatabase, TestOrganization, eventually};
use touchstone_cli::SystemClock;

use crate::activity::{add_profile, count, publish, request};

const SERVERS: usize = 3;
const EXPERIMENTS: &str = "/api/retrieval_experiments";
/// By the contract's vectors, at 50 % of org-1's exp-1 user-0 is held out.
const HELD_OUT: &str = "user-0";

struct Fleet {
    db: TestDatabase,
    proxy: RoundRobin,
    agent: Client,
    token: String,
    _servers: Vec<ServerProcess>,
}

impl Fleet {
    fn begin() -> Option<Self> {
        let db = TestDatabase::postgres()?;
        let org = TestOrganization::found(&db.database, Arc::new(SystemClock), "org-1");
        let servers: Vec<_> = (0..SERVERS).map(|_| ServerProcess::on(&db.url)).collect();
        let proxy = RoundRobin::before(servers.iter().map(|server| server.address).collect());
        let agent = proxy.anonymous().bearing(&org.production());
        Some(Self { db, proxy, agent, token: org.governance(), _servers: servers })
    }

    /// What every server says of a search, asked one after the other.
    fn found_everywhere(&self) -> Vec<Value> {
        let search = json!({ "query": "tea", "user_id": HELD_OUT });
        (0..SERVERS).map(|_| self.agent.post("/api/search", &search).json()).collect()
    }

    /// Asks all servers until they agree; those asked a second after the change must.
    fn wait_until_all(&self, changed: Instant, see: impl Fn(&Value) -> bool) {
        loop {
            let sent = changed.elapsed();
            let found = self.found_everywhere();
            if found.iter().all(&see) {
                return;
            }
            assert!(sent <= Duration::from_secs(1), "not everywhere {sent:?} after the change: {found:?}");
        }
    }
}

#[test]
fn a_start_and_a_stop_are_felt_on_every_server_within_a_second() {
    let Some(fleet) = Fleet::begin() else { return };
    assert_eq!(add_profile(&fleet.agent, HELD_OUT, "tea").told(), "200");
    fleet.wait_until_all(Instant::now(), |found| count(found, "profiles") == 1);

    let start = json!({ "experiment_id": "exp-1", "holdout_percentage": 50 });
    assert_eq!(fleet.agent.post(EXPERIMENTS, &start).told(), "200");
    fleet.wait_until_all(Instant::now(), |found| {
        found["experiment"]["arm"] == "holdout" && count(found, "profiles") == 0
    });
    assert_eq!(fleet.agent.post(&format!("{EXPERIMENTS}/stop"), &start).told(), "200");
    fleet.wait_until_all(Instant::now(), |found| count(found, "profiles") == 1);
}

#[test]
fn one_cookie_is_good_on_every_server_and_signing_out_ends_it_on_all() {
    let Some(fleet) = Fleet::begin() else { return };
    let signed_in = fleet.proxy.anonymous().post("/api/auth/session", &json!({ "token": fleet.token }));
    assert_eq!(signed_in.status, 204, "{}", signed_in.text());
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = fleet.proxy.anonymous().sending("cookie", cookie);
    let browser = browser.sending("origin", browser.origin());

    for n in 0..SERVERS {
        assert_eq!(browser.get("/api/auth/session").json()["org_id"], "org-1");
        let writes = json!({ "experiment_id": format!("e{n}"), "holdout_percentage": 10 });
        assert_eq!(browser.post(EXPERIMENTS, &writes).told(), "200");
        assert_eq!(browser.post(&format!("{EXPERIMENTS}/stop"), &writes).told(), "200");
    }
    assert_eq!(browser.delete("/api/auth/session").status, 204);

    let signed_out = Instant::now();
    eventually(|| {
        let sent = signed_out.elapsed();
        let told: Vec<_> = (0..SERVERS).map(|_| browser.get("/api/auth/session").told()).collect();
        let is_out = told.iter().all(|told| told == "401 not_authenticated");
        assert!(is_out || sent <= Duration::from_secs(1), "{told:?}");
        is_out.then_some(())
    });
    assert!(fleet.proxy.served().iter().all(|served| *served >= SERVERS), "{:?}", fleet.proxy.served());
}

#[test]
fn all_servers_share_one_queue_and_judge_each_session_once() {
    let Some(fleet) = Fleet::begin() else { return };
    let (judge, person) = (StubJudge::begin(), fleet.proxy.anonymous().bearing(&fleet.token));
    judge.take(Duration::from_millis(50));
    let body = json!({
        "group_evaluation_delay_seconds": 0, "sampling_rate": 1.0, "judge": judge.configuration(),
        "eval_concurrency_limit": 2,
    });
    assert_eq!(person.post("/api/update_config", &body).told(), "200");

    for n in 0..60 {
        assert_eq!(publish(&fleet.agent, &request("ada", &format!("s{n}"), &format!("r{n}"))).told(), "200");
    }

    eventually(|| (fleet.db.number("SELECT count(*) AS n FROM work_items") == 0).then_some(()));
    assert_eq!(fleet.db.number("SELECT count(*) AS n FROM evaluation_results"), 60);
    assert_eq!(judge.calls(), 60);
    assert!(judge.most_in_flight() > 2, "more than one server judged: {} at once", judge.most_in_flight());
}
