//! The rules of the answer to "is my evaluator running?".

use super::*;
use crate::judging::judge::{Judge, JudgeKind, MockJudge, MockJudges, Trouble};
use crate::judging::ports::MockQueueReader;
use crate::judging::testing::epoch;
use crate::judging::work::WorkKind;
use crate::samples::{at, clock_at, org};

fn status(probe: Result<(), JudgeFailure>) -> JudgingStatus {
    let mut queue = MockQueueReader::new();
    let counts = QueueCounts {
        depth: vec![(WorkKind::SessionEvaluation, 7)],
        oldest_due: Some(at(5)),
        running: 2,
        retrying: 1,
        failed: 3,
    };
    queue
        .expect_counts()
        .withf(|_, since| *since == at(1_000_000 - 86_400))
        .times(1)
        .return_const(Ok(counts));
    let mut judge = MockJudge::new();
    judge.expect_probe().return_const(probe);
    judge.expect_epoch().return_const(epoch(JudgeKind::Model));
    let judge: Arc<dyn Judge> = Arc::new(judge);
    let mut judges = MockJudges::new();
    judges.expect_judge_of().return_once(move |_| Ok(judge));
    ReadJudgingStatus::new(Arc::new(queue), Arc::new(judges), clock_at(1_000_000)).read(&org()).unwrap()
}

#[test]
fn the_status_tells_the_queue_and_the_failures_of_24_hours() {
    let status = status(Ok(()));

    assert_eq!((status.queue.running, status.queue.retrying, status.queue.failed), (2, 1, 3));
    assert_eq!(status.judge, JudgeStanding { trouble: None, epoch: epoch(JudgeKind::Model) });
}

#[test]
fn a_judge_that_cannot_be_reached_is_told_and_not_an_error() {
    let down = JudgeFailure::Unavailable(Trouble::Connection);

    assert_eq!(status(Err(down)).judge.trouble, Some(down));
}
