//! The chat-completions judge against an endpoint on loopback that misbehaves in every way endpoints do.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod answers;
mod concurrency;
mod evidence;
mod setbacks;
mod stub;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use evaluation::InteractionId;
use evaluation::judging::{Answer, Budget, Instructions, Judge, SessionGrade, Speaker, Transcript, Turn};
use kernel::Timestamp;
use touchstone_judge::{ApiKey, Endpoint, Limiter, OpenAi, Pace};

const SUCCESS: &str = r#"{"is_success": true, "failure_type": null, "failure_reason": "", "is_escalated": false,
    "number_of_correction_per_session": 1}"#;

fn pace(tries: u32) -> Pace {
    Pace {
        timeout: Duration::from_secs(20),
        tries,
        first_delay: Duration::from_millis(1),
        longest_delay: Duration::from_secs(2),
    }
}

fn judge_at(base_url: String, pace: Pace, limiter: Arc<Limiter>) -> OpenAi {
    let endpoint =
        Endpoint { base_url, model: "model-asked-for".to_owned(), api_key: Some(ApiKey::new("key")) };
    OpenAi::new(&endpoint, pace, limiter).unwrap()
}

fn judge_of(stub: &stub::Stub, pace: Pace) -> OpenAi {
    judge_at(stub.base_url(), pace, Arc::new(Limiter::new(10)))
}

fn transcript(user_says: &str) -> Transcript {
    let turn = |id, speaker, content: &str| Turn {
        id: InteractionId(id),
        at: Timestamp::from_seconds(id),
        speaker,
        content: content.to_owned(),
        action: String::new(),
        tools: vec![],
    };
    let turns = [turn(1, Speaker::User, user_says), turn(2, Speaker::Agent, "it arrives today")];
    Transcript::within(Budget::default(), &turns, &BTreeSet::new())
}

fn grade(judge: &OpenAi) -> Answer<SessionGrade> {
    judge.grade_session(&transcript("where is my parcel?"), &Instructions::default())
}
