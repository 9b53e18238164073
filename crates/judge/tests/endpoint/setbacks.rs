//! What becomes of a call that does not go well.

use std::net::TcpListener;
use std::time::Duration;

use evaluation::judging::{Judge, JudgeFailure, Trouble};
use touchstone_judge::Pace;

use crate::stub::{Act, Stub, saying, status};
use crate::{SUCCESS, grade, judge_at, judge_of, pace};

fn rate_limited(retry_after: Option<u32>) -> Act {
    Act::Answer(429, retry_after, String::new())
}

fn garbage() -> Act {
    Act::Answer(200, None, "<html>my secret words</html>".to_owned())
}

fn impatient() -> Pace {
    Pace { timeout: Duration::from_millis(300), ..pace(3) }
}

#[test]
fn too_often_then_broken_then_garbage_is_tried_until_there_is_an_answer() {
    let stub = Stub::doing(vec![rate_limited(Some(0)), status(500), garbage(), saying(SUCCESS)]);

    let judged = grade(&judge_of(&stub, pace(4))).unwrap();

    assert!(judged.answer.is_success);
    assert_eq!(stub.asked().len(), 4);
}

#[test]
fn when_the_tries_are_used_up_the_last_failure_stands() {
    let endings = [
        (rate_limited(None), JudgeFailure::RateLimited { retry_after: None }),
        (status(503), JudgeFailure::Unavailable(Trouble::Status(503))),
        (garbage(), JudgeFailure::Malformed("the endpoint sent no chat completion")),
    ];
    for (act, expected) in endings {
        let stub = Stub::doing(vec![act]);

        assert_eq!(grade(&judge_of(&stub, pace(3))), Err(expected));
        assert_eq!(stub.asked().len(), 3);
    }
}

#[test]
fn an_endpoint_that_asks_for_more_time_than_we_wait_is_left_alone() {
    let stub = Stub::doing(vec![rate_limited(Some(120)), saying(SUCCESS)]);

    let failure = grade(&judge_of(&stub, pace(3))).unwrap_err();

    assert_eq!(failure, JudgeFailure::RateLimited { retry_after: Some(120) });
    assert_eq!(stub.asked().len(), 1);
}

#[test]
fn an_endpoint_that_is_too_slow_is_timed_out_before_and_within_its_answer() {
    for act in [Act::Silence, Act::HalfAnAnswer] {
        let stub = Stub::doing(vec![act]);

        assert_eq!(grade(&judge_of(&stub, impatient())), Err(JudgeFailure::TimedOut));
        assert_eq!(stub.asked().len(), 1);
    }
}

#[test]
fn a_wrong_key_is_not_tried_again() {
    let stub = Stub::doing(vec![status(401)]);

    assert_eq!(grade(&judge_of(&stub, pace(3))), Err(JudgeFailure::Unavailable(Trouble::Status(401))));
    assert_eq!(stub.asked().len(), 1);
}

#[test]
fn an_address_where_nobody_is_has_no_connection() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let judge = judge_at(
        format!("http://{nobody}/v1"),
        pace(2),
        std::sync::Arc::new(touchstone_judge::Limiter::new(1)),
    );

    assert_eq!(grade(&judge), Err(JudgeFailure::Unavailable(Trouble::Connection)));
    assert_eq!(judge.probe(), Err(JudgeFailure::Unavailable(Trouble::Connection)));
}

#[test]
fn nothing_that_the_endpoint_wrote_is_in_a_failure() {
    let unusable = saying("my secret words");
    for act in [status(500), status(401), garbage(), unusable] {
        let failure = grade(&judge_of(&Stub::doing(vec![act]), pace(1))).unwrap_err();

        assert!(!format!("{failure} {failure:?}").contains("secret"), "{failure:?}");
    }
}

#[test]
fn a_probe_is_content_with_any_answer_but_a_breakdown_or_a_locked_door() {
    let probe = |act| judge_of(&Stub::doing(vec![act]), pace(1)).probe();

    assert_eq!(probe(status(200)), Ok(()));
    assert_eq!(probe(status(404)), Ok(()));
    assert_eq!(probe(status(500)), Err(JudgeFailure::Unavailable(Trouble::Status(500))));
    assert_eq!(probe(status(403)), Err(JudgeFailure::Unavailable(Trouble::Status(403))));
}

#[test]
fn a_probe_asks_no_model() {
    let stub = Stub::doing(vec![status(200)]);

    judge_of(&stub, pace(1)).probe().unwrap();

    assert_eq!(stub.asked().iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(), ["/v1/models"]);
}
