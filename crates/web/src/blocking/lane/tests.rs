//! In what order calls run, on how many threads, and what one of them can do to the others.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::mpsc;
use std::thread::{self, ThreadId};

use actix_web::rt;
use futures_util::future::{join_all, poll_immediate};

use super::*;

fn run(test: impl Future<Output = ()>) {
    rt::System::new().block_on(test);
}

/// A call that has begun when the receiver hears of it, and ends when the sender is used or gone.
fn held() -> (impl FnOnce() -> ThreadId + Send + 'static, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (has_begun, begun) = mpsc::channel();
    let (let_go, wait) = mpsc::channel();
    let call = move || {
        let _ = has_begun.send(());
        let _ = wait.recv();
        thread::current().id()
    };
    (call, begun, let_go)
}

/// A call that has begun on the lane, and what lets it end.
async fn begun_on(
    lane: &Arc<Lane>,
) -> (Pin<Box<impl Future<Output = Result<ThreadId, Lost>> + use<>>>, mpsc::Sender<()>) {
    let (slow, begun, let_go) = held();
    let mut slow = Box::pin(Arc::clone(lane).call(slow));
    assert!(poll_immediate(&mut slow).await.is_none());
    begun.recv().unwrap();
    (slow, let_go)
}

#[test]
fn calls_that_wait_together_follow_each_other_on_one_thread() {
    let lane = Lane::default();
    let order = Arc::new(Mutex::new(Vec::new()));
    let work = |number: usize| -> Work {
        let order = Arc::clone(&order);
        Box::new(move |_| order.lock().unwrap().push(number))
    };
    let sent: Vec<bool> = (0..3).map(|number| lane.needs_driver_after(work(number))).collect();

    lane.drive();

    assert_eq!(sent.first(), Some(&true), "nobody was sent for the first");
    assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
    assert!(lane.needs_driver_after(work(3)), "nobody was sent after the lane had been empty");
}

#[test]
fn a_call_that_takes_long_does_not_hold_up_those_who_come_later() {
    run(async {
        let lane = Arc::new(Lane::default());
        let (slow, let_go) = begun_on(&lane).await;
        let mut behind = Box::pin(Arc::clone(&lane).call(|| thread::current().id()));
        assert!(poll_immediate(&mut behind).await.is_none());
        let queued_at = Instant::now();
        while queued_at.elapsed() <= LONGEST_WAIT {
            std::hint::spin_loop();
        }

        let last = Arc::clone(&lane).call(|| thread::current().id()).await.unwrap();
        let behind = behind.await.unwrap();

        assert!(let_go.send(()).is_ok(), "the slow call ended by itself");
        let slow = slow.await.unwrap();
        assert!(slow != last && slow != behind, "a call waited for the slow one's thread");
    });
}

#[test]
fn a_call_that_takes_long_holds_up_nobody_even_when_nobody_comes_later() {
    run(async {
        let lane = Arc::new(Lane::default());
        let (slow, let_go) = begun_on(&lane).await;

        let calls = (0..3).map(|_| Arc::clone(&lane).call(|| thread::current().id()));
        let behind =
            timeout(Duration::from_secs(10), join_all(calls)).await.expect("they wait for the slow one");

        assert!(let_go.send(()).is_ok(), "the slow call ended by itself");
        let slow = slow.await.unwrap();
        assert!(
            behind.into_iter().all(|thread| thread.unwrap() != slow),
            "a call waited for the slow one's thread"
        );
    });
}

#[test]
fn a_call_that_panics_is_lost_alone() {
    let lane = Lane::default();
    let (sender, receiver) = mpsc::channel();
    lane.needs_driver_after(Box::new(|_| panic!("broken")));
    lane.needs_driver_after(Box::new(move |_| sender.send(7).unwrap()));

    lane.drive();

    assert_eq!(receiver.recv(), Ok(7), "the next was lost too");
    run(async move {
        let lane = Arc::new(lane);
        let broken = Arc::clone(&lane).call(|| -> u32 { panic!("broken") }).await;
        assert_eq!(broken, Err(Lost::Panicked));
        assert_eq!(lane.call(|| 7).await, Ok(7));
    });
}

#[test]
fn a_call_that_nobody_waits_for_does_not_run() {
    let (sender, receiver) = mpsc::channel();
    run(async {
        let lane = Arc::new(Lane::default());
        let (first, let_go) = begun_on(&lane).await;
        let mut left = Box::pin(Arc::clone(&lane).call(move || sender.send(())));
        assert!(poll_immediate(&mut left).await.is_none());

        drop(left);
        let_go.send(()).unwrap();
        first.await.unwrap();
        lane.call(|| ()).await.unwrap();

        assert!(receiver.recv().is_err(), "a call ran for nobody");
    });
}

#[test]
fn a_crowd_of_calls_all_get_their_own_answers() {
    run(async {
        let lane = Arc::new(Lane::default());
        let crowd = (0..1_000).map(|number| Arc::clone(&lane).call(move || (number, thread::current().id())));

        let answers: Vec<_> = join_all(crowd).await.into_iter().map(Result::unwrap).collect();

        assert!(answers.iter().map(|(number, _)| *number).eq(0..1_000));
        let threads: HashSet<ThreadId> = answers.iter().map(|(_, thread)| *thread).collect();
        assert!(threads.len() <= MOST_DRIVERS);
    });
}

#[test]
fn a_call_that_has_waited_too_long_is_refused_and_does_not_run() {
    run(async {
        let lane = Arc::new(Lane::default());
        // Somebody drives already, so that the call only waits.
        lane.state().drivers = 1;
        let (sender, receiver) = mpsc::channel();
        let mut patient = Box::pin(Arc::clone(&lane).call(move || sender.send(())));
        assert!(poll_immediate(&mut patient).await.is_none());
        for (since, _) in &mut lane.state().waiting {
            *since -= TOO_LONG;
        }

        lane.drive();

        assert_eq!(patient.await, Err(Lost::Late));
        assert!(receiver.recv().is_err(), "it ran all the same");
    });
}
