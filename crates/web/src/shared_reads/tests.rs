//! Who shares a read with whom.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use actix_web::{ResponseError as _, rt};
use futures_util::future::{join_all, poll_immediate};
use kernel::StoreError;

use super::{SharedReads, Turn};

/// A source whose reads are numbered, and wait until they are let go.
struct Source {
    asked: Arc<AtomicUsize>,
}

impl Source {
    fn new() -> Self {
        Self { asked: Arc::default() }
    }

    fn read(&self) -> impl FnOnce() -> Result<usize, StoreError> + Send + 'static + use<> {
        let asked = Arc::clone(&self.asked);
        move || Ok(asked.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// A read that has begun when the first receiver hears of it, and ends when it is let go.
    fn held_read(&self) -> (impl FnOnce() -> Result<usize, StoreError> + Send + 'static + use<>, Held) {
        let (has_begun, begun) = mpsc::channel();
        let (let_go, wait) = mpsc::channel();
        let read = self.read();
        let held = move || {
            let answer = read();
            let _ = has_begun.send(());
            let _ = wait.recv();
            answer
        };
        (held, Held { begun, let_go })
    }
}

/// The other end of a held read.
struct Held {
    begun: mpsc::Receiver<()>,
    let_go: mpsc::Sender<()>,
}

impl Held {
    fn await_beginning(&self) {
        self.begun.recv().unwrap();
    }

    fn let_go(&self) {
        // Its leader may have gone.
        let _ = self.let_go.send(());
    }
}

fn run(test: impl Future<Output = ()>) {
    rt::System::new().block_on(test);
}

#[test]
fn those_who_ask_while_a_read_runs_share_the_next_one() {
    run(async {
        let (reads, source) = (SharedReads::default(), Source::new());
        let (held, other_end) = source.held_read();
        let mut first = Box::pin(reads.read("key", held));
        assert!(poll_immediate(&mut first).await.is_none());
        other_end.await_beginning();
        let mut late: Vec<_> = (0..20).map(|_| Box::pin(reads.read("key", source.read()))).collect();
        for reader in &mut late {
            assert!(poll_immediate(reader).await.is_none());
        }

        other_end.let_go();
        let first = first.await.unwrap();
        let late = join_all(late).await;

        assert_eq!(*first, 1);
        assert!(
            late.iter().all(|answer| matches!(answer.as_deref(), Ok(2))),
            "a read that had begun was shared"
        );
        assert_eq!(source.asked.load(Ordering::SeqCst), 2);
    });
}

#[test]
fn those_who_ask_before_a_read_begins_share_it() {
    let reads: SharedReads<&str, usize> = SharedReads::default();
    let Ok(lead) = reads.enter("key") else { panic!("nobody led") };
    let begin = lead.beginning();
    let mut early = reads.enter("key").err().unwrap();
    begin();
    let mut late = reads.enter("key").err().unwrap();

    lead.tell(&Ok(Arc::new(7)));

    assert!(matches!(early.try_recv(), Ok(Turn::Told(Ok(answer))) if *answer == 7));
    assert!(
        matches!(late.try_recv(), Ok(Turn::Lead(_))),
        "one who asked after the beginning got an old answer"
    );
}

#[test]
fn a_read_whose_leader_has_gone_lets_nobody_share_another() {
    let reads: SharedReads<&str, usize> = SharedReads::default();
    let Ok(gone) = reads.enter("key") else { panic!("nobody led") };
    let begin_late = gone.beginning();
    drop(gone);
    let Ok(lead) = reads.enter("key") else { panic!("the key was left locked") };
    lead.beginning()();
    let mut late = reads.enter("key").err().unwrap();

    begin_late();
    lead.tell(&Ok(Arc::new(7)));

    assert!(
        matches!(late.try_recv(), Ok(Turn::Lead(_))),
        "one who asked after the beginning got an old answer"
    );
}

#[test]
fn one_who_asks_after_an_answer_reads_anew() {
    run(async {
        let (reads, source) = (SharedReads::default(), Source::new());

        let first = reads.read("key", source.read()).await;
        let second = reads.read("key", source.read()).await;

        assert!(matches!((first.as_deref(), second.as_deref()), (Ok(1), Ok(2))));
    });
}

#[test]
fn different_keys_do_not_wait_for_each_other() {
    run(async {
        let (reads, source) = (SharedReads::default(), Source::new());
        let (held, other_end) = source.held_read();
        let mut first = Box::pin(reads.read("acme", held));
        assert!(poll_immediate(&mut first).await.is_none());
        other_end.await_beginning();

        let other = reads.read("other", source.read()).await;

        assert!(other.is_ok());
        other_end.let_go();
        first.await.unwrap();
    });
}

#[test]
fn a_reader_who_leaves_takes_nobody_along() {
    run(async {
        let (reads, source) = (SharedReads::default(), Source::new());
        let (held, other_end) = source.held_read();
        let mut leader = Box::pin(reads.read("key", held));
        let mut next = Box::pin(reads.read("key", source.read()));
        let mut last = Box::pin(reads.read("key", source.read()));
        assert!(poll_immediate(&mut leader).await.is_none());
        other_end.await_beginning();
        assert!(poll_immediate(&mut next).await.is_none());
        assert!(poll_immediate(&mut last).await.is_none());

        // The second has been given the lead when it goes, and has not begun.
        drop(leader);
        drop(next);
        other_end.let_go();

        assert!(last.await.is_ok());
        assert!(reads.read("key", source.read()).await.is_ok(), "the key was left locked");
    });
}

#[test]
fn a_failure_is_told_to_all_who_share_it() {
    run(async {
        let (reads, source) = (SharedReads::default(), Source::new());
        let (held, other_end) = source.held_read();
        let mut first = Box::pin(reads.read("key", held));
        assert!(poll_immediate(&mut first).await.is_none());
        other_end.await_beginning();
        let down = || Err(StoreError::Unavailable("away".to_owned()));
        let mut late: Vec<_> = (0..3).map(|_| Box::pin(reads.read("key", down))).collect();
        for reader in &mut late {
            assert!(poll_immediate(reader).await.is_none());
        }

        other_end.let_go();
        first.await.unwrap();

        for answer in join_all(late).await {
            assert_eq!(answer.map_err(|problem| problem.status_code().as_u16()), Err(503));
        }
    });
}
