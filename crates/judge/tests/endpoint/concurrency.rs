//! Calls in flight reach the organization's limit and never pass it.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use touchstone_judge::Limiter;

use crate::stub::{Stub, saying};
use crate::{SUCCESS, grade, judge_at, pace};

const LIMIT: usize = 3;
const CALLS: usize = 12;
/// How long each call stays in flight, so that one too many would be seen.
const WATCH: Duration = Duration::from_millis(100);

#[derive(Default)]
struct InFlight {
    now: usize,
    most: usize,
}

/// A stub that keeps its callers waiting while it watches for one too many.
fn watching(in_flight: &Arc<(Mutex<InFlight>, Condvar)>) -> Stub {
    let shared = Arc::clone(in_flight);
    Stub::by(move |_, _| {
        let (state, changed) = shared.as_ref();
        let mut watched = state.lock().unwrap();
        watched.now += 1;
        watched.most = watched.most.max(watched.now);
        changed.notify_all();
        let (mut watched, _) =
            changed.wait_timeout_while(watched, WATCH, |watched| watched.most <= LIMIT).unwrap();
        watched.now -= 1;
        saying(SUCCESS)
    })
}

#[test]
fn calls_in_flight_reach_the_limit_and_never_pass_it() {
    let in_flight = Arc::new((Mutex::new(InFlight::default()), Condvar::new()));
    let stub = watching(&in_flight);
    let judge = Arc::new(judge_at(stub.base_url(), pace(1), Arc::new(Limiter::new(LIMIT))));

    let callers: Vec<_> = (0..CALLS)
        .map(|_| {
            let judge = Arc::clone(&judge);
            thread::spawn(move || grade(&judge).unwrap())
        })
        .collect();
    for caller in callers {
        caller.join().unwrap();
    }

    assert_eq!(in_flight.0.lock().unwrap().most, LIMIT);
    assert_eq!(stub.asked().len(), CALLS);
}

#[test]
fn two_judges_of_one_organization_share_its_limit() {
    let in_flight = Arc::new((Mutex::new(InFlight::default()), Condvar::new()));
    let stub = watching(&in_flight);
    let limiter = Arc::new(Limiter::new(LIMIT));
    let judges: Vec<_> =
        (0..2).map(|_| Arc::new(judge_at(stub.base_url(), pace(1), Arc::clone(&limiter)))).collect();

    let callers: Vec<_> = (0..CALLS)
        .map(|number| {
            let judge = Arc::clone(&judges[number % 2]);
            thread::spawn(move || grade(&judge).unwrap())
        })
        .collect();
    for caller in callers {
        caller.join().unwrap();
    }

    assert_eq!(in_flight.0.lock().unwrap().most, LIMIT);
}
