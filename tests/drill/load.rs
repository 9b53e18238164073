//! Callers who publish all the while, and remember what they were told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use storage::Database;
use storage::testing::TestDatabase;
use support::{Client, TestOrganization};
use touchstone_cli::SystemClock;

const PUBLISHERS: usize = 8;

/// An organization of the drill, with its key.
pub(crate) fn token(database: &Database) -> String {
    TestOrganization::found(database, Arc::new(SystemClock), "acme").governance()
}

/// What callers were told.
#[derive(Default)]
pub(crate) struct Told {
    /// The requests that are kept, they were told.
    pub(crate) acknowledged: Vec<String>,
    /// How often each outcome was told.
    pub(crate) seen: BTreeMap<String, usize>,
}

/// Where callers turn to, what they have been told, and whether they go on.
pub(crate) struct Load {
    place: Mutex<Client>,
    told: Mutex<Told>,
    /// Called whenever somebody was told something.
    news: Condvar,
    is_over: AtomicBool,
    kept: AtomicUsize,
}

/// Ends the load with its own end.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Load {
    /// Callers of this server.
    pub(crate) fn on(caller: Client) -> Self {
        let (told, news) = (Mutex::default(), Condvar::new());
        let (is_over, kept) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { place: Mutex::new(caller), told, news, is_over, kept }
    }

    /// Lets them publish while `during` breaks things.
    pub(crate) fn publish(self, during: impl FnOnce(&Self)) -> Told {
        std::thread::scope(|scope| {
            for publisher in 0..PUBLISHERS {
                let load = &self;
                scope.spawn(move || load.publish_until_over(publisher));
            }
            // Also when `during` panics: the callers must not go on for ever.
            let _over = Over(&self.is_over);
            during(&self);
        });
        self.told.into_inner().unwrap()
    }

    /// Lets them turn to another server.
    pub(crate) fn turn_to(&self, caller: Client) {
        *self.place.lock().unwrap() = caller;
    }

    /// How many writes were told to be kept until now.
    pub(crate) fn kept(&self) -> usize {
        self.kept.load(Ordering::SeqCst)
    }

    /// Waits until so many more are kept, and says how long that took.
    pub(crate) fn wait_for(&self, more: usize) -> Duration {
        let (begun, goal) = (Instant::now(), self.kept() + more);
        self.wait_while(|_| self.kept() < goal);
        begun.elapsed()
    }

    /// Waits until this outcome was told so often.
    pub(crate) fn wait_until_told(&self, outcome: &str, times: usize) {
        self.wait_while(|told| told.seen.get(outcome).copied().unwrap_or_default() < times);
    }

    fn wait_while(&self, is_missing: impl Fn(&Told) -> bool) {
        let told = self.told.lock().unwrap();
        let patience = Duration::from_secs(120);
        let (told, waited) = self.news.wait_timeout_while(told, patience, |told| is_missing(told)).unwrap();
        assert!(!waited.timed_out(), "it never came about: {:?}", told.seen);
    }

    fn publish_until_over(&self, publisher: usize) {
        for n in 0.. {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let caller = self.place.lock().unwrap().clone();
            let id = format!("{publisher}-{n}");
            let outcome = publish(&caller, &request(publisher, &id, "a turn"));
            let is_kept = outcome == "200";
            let mut told = self.told.lock().unwrap();
            *told.seen.entry(outcome).or_default() += 1;
            if is_kept {
                told.acknowledged.push(id);
                self.kept.fetch_add(1, Ordering::SeqCst);
            }
            drop(told);
            self.news.notify_all();
            if !is_kept {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// A request of four turns.
pub(crate) fn request(publisher: usize, id: &str, content: &str) -> Value {
    let turns = vec![json!({ "role": "Agent", "content": content }); 4];
    json!({
        "user_id": format!("user-{publisher}"), "session_id": "s", "request_id": id, "interaction_data_list": turns,
    })
}

/// Publishes once, and says what came of it.
pub(crate) fn publish(caller: &Client, body: &Value) -> String {
    match caller.try_send("POST", "/api/publish_interaction", Some(body)) {
        Ok(answer) => answer.told(),
        Err(_) => "no connection".to_owned(),
    }
}

/// How many of the acknowledged requests are not there, whole.
pub(crate) fn lost(database: &TestDatabase, told: &Told) -> usize {
    let whole = database.texts(
        "SELECT r.request_id AS t FROM requests AS r JOIN interactions AS i
             ON i.org_id = r.org_id AND i.request_id = r.request_id
         GROUP BY r.request_id HAVING count(*) = 4",
    );
    let whole: BTreeSet<_> = whole.into_iter().collect();
    told.acknowledged.iter().filter(|id| !whole.contains(*id)).count()
}
