//! Those who call: each kind loops over its own routes, and remembers what it was told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::Client;

use crate::latency::Latency;

/// A kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Caller {
    /// Publishes requests of four turns.
    Publisher,
    /// Adds profiles and playbooks.
    Learner,
    /// Searches.
    Searcher,
    /// Reads what the dashboard reads.
    Reader,
    /// Erases users, one after the other.
    Eraser,
    /// Exports users.
    Exporter,
}

impl Caller {
    /// What such callers do, for people.
    pub(crate) const fn does(self) -> &'static str {
        match self {
            Self::Publisher => "publish",
            Self::Learner => "add learnings",
            Self::Searcher => "search",
            Self::Reader => "dashboard",
            Self::Eraser => "erase",
            Self::Exporter => "export",
        }
    }
}

/// What callers of one kind saw.
#[derive(Default)]
pub(crate) struct Tally {
    /// How long answers took.
    pub(crate) latency: Latency,
    /// How often each outcome was told that is no success.
    pub(crate) others: BTreeMap<String, u64>,
}

/// All who call for one organization.
pub(crate) struct Crowd {
    /// The organization.
    pub(crate) org: &'static str,
    caller: Client,
    tallies: Mutex<BTreeMap<Caller, Tally>>,
    /// Acknowledged writes, by user: request ids and profile ids.
    pub(crate) kept: Mutex<BTreeMap<String, Kept>>,
    /// Users whose erasure was told to be complete.
    pub(crate) erased: Mutex<BTreeSet<String>>,
    next_user: AtomicUsize,
}

/// What one user's writers were told is kept.
#[derive(Default)]
pub(crate) struct Kept {
    /// Requests, by id.
    pub(crate) requests: Vec<String>,
    /// How many profiles.
    pub(crate) profiles: usize,
    /// How many playbooks.
    pub(crate) playbooks: usize,
}

/// So many users are alive at a time; the eldest is erased, a new one takes the place.
const ALIVE: usize = 40;

impl Crowd {
    pub(crate) fn of(org: &'static str, caller: Client) -> Self {
        Self {
            org,
            caller,
            tallies: Mutex::default(),
            kept: Mutex::default(),
            erased: Mutex::default(),
            next_user: AtomicUsize::new(ALIVE),
        }
    }

    /// Works until it is over.
    pub(crate) fn work(&self, kind: Caller, number: usize, is_over: &AtomicBool) {
        for n in 0.. {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            match kind {
                Caller::Publisher => self.publish(number, n),
                Caller::Learner => self.learn(n),
                Caller::Searcher => self.search(n),
                Caller::Reader => self.read(n),
                Caller::Eraser => self.erase(),
                Caller::Exporter => self.export(n),
            }
        }
    }

    /// A user who is alive, or just about to be erased.
    fn user(&self, n: usize) -> String {
        let newest = self.next_user.load(Ordering::SeqCst);
        format!("user-{}", newest - 1 - n * 7 % ALIVE)
    }

    /// Calls, and enters how long it took and what was told.
    fn call(&self, kind: Caller, method: &str, path: &str, body: Option<&Value>) -> String {
        let begun = Instant::now();
        let answer = self.caller.try_send(method, path, body);
        let took = begun.elapsed();
        let outcome = answer.map_or_else(|_| "no connection".to_owned(), |answer| answer.told());
        let mut tallies = self.tallies.lock().unwrap();
        let tally = tallies.entry(kind).or_default();
        tally.latency.enter(took);
        if outcome != "200" {
            *tally.others.entry(outcome.clone()).or_default() += 1;
        }
        outcome
    }

    fn post(&self, kind: Caller, path: &str, body: &Value) -> String {
        self.call(kind, "POST", path, Some(body))
    }

    fn publish(&self, number: usize, n: usize) {
        let user = self.user(n * 3 + number);
        let id = format!("{}-{number}-{n}", self.org);
        let turns: Vec<_> = (0..4)
            .map(|turn| json!({ "role": if turn % 2 == 0 { "User" } else { "Agent" }, "content": format!("turn {turn} about tea and milk number {n}") }))
            .collect();
        let body = json!({
            "user_id": user, "session_id": format!("s{}", n % 50), "request_id": id, "agent_version": "v1",
            "source": "web", "interaction_data_list": turns,
        });
        if self.post(Caller::Publisher, "/api/publish_interaction", &body) == "200" {
            self.kept.lock().unwrap().entry(user).or_default().requests.push(id);
        }
    }

    fn learn(&self, n: usize) {
        let user = self.user(n);
        let learning =
            json!({ "user_id": user, "playbook_name": "p", "content": format!("prefers tea of kind {n}") });
        if n.is_multiple_of(2) {
            let body = json!({ "user_profiles": [learning] });
            if self.post(Caller::Learner, "/api/add_user_profile", &body) == "200" {
                self.kept.lock().unwrap().entry(user).or_default().profiles += 1;
            }
        } else {
            let body = json!({ "user_playbooks": [learning] });
            if self.post(Caller::Learner, "/api/add_user_playbook", &body) == "200" {
                self.kept.lock().unwrap().entry(user).or_default().playbooks += 1;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }

    fn search(&self, n: usize) {
        let body = json!({ "query": "tea kind", "user_id": self.user(n) });
        self.post(Caller::Searcher, "/api/search", &body);
    }

    fn read(&self, n: usize) {
        let window = json!({ "from_ts": 1, "to_ts": 9_000_000_000_i64, "include_sessions": false });
        match n % 4 {
            0 => self.post(Caller::Reader, "/api/get_evaluation_overview", &window),
            1 => self.post(Caller::Reader, "/api/get_agent_success_evaluation_results", &json!({})),
            2 => self.call(Caller::Reader, "GET", "/api/evaluations/status", None),
            _ => self.post(Caller::Reader, "/api/get_interactions", &json!({ "user_id": self.user(n) })),
        };
        std::thread::sleep(Duration::from_millis(20));
    }

    /// Erases the eldest user and lets a new one take the place.
    fn erase(&self) {
        let newest = self.next_user.fetch_add(1, Ordering::SeqCst);
        let user = format!("user-{}", newest - ALIVE);
        let ticket = json!({ "user_id": user, "request_id": "soak" });
        if self.post(Caller::Eraser, "/api/governance/erase-user", &ticket) == "200" {
            self.erased.lock().unwrap().insert(user);
        }
        std::thread::sleep(Duration::from_millis(200));
    }

    fn export(&self, n: usize) {
        let ticket = json!({ "user_id": self.user(n), "request_id": format!("soak-{n}") });
        self.post(Caller::Exporter, "/api/governance/export-user", &ticket);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What callers of each kind saw, over all organizations.
pub(crate) fn tallies(crowds: &[Crowd]) -> BTreeMap<Caller, Tally> {
    let mut all: BTreeMap<Caller, Tally> = BTreeMap::new();
    for crowd in crowds {
        for (kind, tally) in crowd.tallies.lock().unwrap().iter() {
            let sum = all.entry(*kind).or_default();
            sum.latency.add(&tally.latency);
            for (outcome, times) in &tally.others {
                *sum.others.entry(outcome.clone()).or_default() += times;
            }
        }
    }
    all
}
