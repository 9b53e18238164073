//! A judge behind any OpenAI-compatible chat-completions endpoint.

mod call;
mod reply;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use call::Caller;
use evaluation::PromptVersion;
use evaluation::judging::{
    Answer, Effort, ImpactVerdict, Instructions, Judge, JudgeEpoch, JudgeFailure, JudgeKind, Judged,
    LearningChunk, RelevanceVerdict, SessionGrade, ShadowGrade, ShadowPair, Transcript, Trouble,
};
use reply::Reply;
use serde_json::{Value, json};

use crate::fenced::{conversation, enclosed, instructions, learnings, responses};
use crate::limiter::Limiter;
use crate::prompts::{Prompt, Prompts, Question};
use crate::{ApiKey, schema};

/// Where the judge is.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The address, including `/v1`.
    pub base_url: String,
    /// The model to ask for.
    pub model: String,
    /// The key, if it wants one.
    pub api_key: Option<ApiKey>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Endpoint").field("model", &self.model).finish_non_exhaustive()
    }
}

/// How patient a caller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long one call may take.
    pub timeout: Duration,
    /// How often a call is made that the endpoint could not answer just then.
    pub tries: u32,
    /// How long before the second try; twice as long before each later one, less a random part.
    pub first_delay: Duration,
    /// The longest wait between two tries; who asks for more is asked again later, by the queue.
    pub longest_delay: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            tries: 3,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(10),
        }
    }
}

/// A judge behind a chat-completions endpoint.
#[derive(Debug)]
pub struct OpenAi {
    caller: Caller,
    model: String,
    returned_model: Mutex<String>,
}

/// One question with everything that belongs to it.
struct Ask<'a, T> {
    prompt: Prompt,
    told: String,
    evidence: String,
    schema: Value,
    read: &'a dyn Fn(&str) -> Result<T, JudgeFailure>,
}

impl OpenAi {
    /// A judge at this endpoint, with no more calls in flight than the limiter lets in.
    ///
    /// # Errors
    /// When the endpoint's address or key cannot be used.
    pub fn new(endpoint: &Endpoint, pace: Pace, limiter: Arc<Limiter>) -> Result<Self, JudgeFailure> {
        let caller = Caller::new(endpoint, pace, limiter)?;
        Ok(Self { caller, model: endpoint.model.clone(), returned_model: Mutex::default() })
    }

    fn ask<T>(&self, ask: &Ask<'_, T>) -> Answer<T> {
        let started = Instant::now();
        let mut messages = vec![
            json!({"role": "system", "content": format!("{}{}", ask.prompt.text, ask.told)}),
            json!({"role": "user", "content": ask.evidence}),
        ];
        let first = self.caller.complete(&self.model, &messages, &ask.schema)?;
        let (answer, last, effort) = match understood(&first, ask.read) {
            Ok(answer) => (answer, first, Effort::default()),
            Err(JudgeFailure::Malformed(why)) => {
                messages.extend(repair(&first, why));
                let second = self.caller.complete(&self.model, &messages, &ask.schema)?;
                (understood(&second, ask.read)?, second, first.effort)
            }
            Err(failure) => return Err(failure),
        };
        let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let effort = Effort { latency_ms, ..effort.plus(last.effort) };
        self.latest_model().clone_from(&last.model);
        Ok(Judged { answer, epoch: self.epoch_of(&ask.prompt, last.model), effort })
    }

    fn epoch_of(&self, prompt: &Prompt, returned_model: String) -> JudgeEpoch {
        JudgeEpoch {
            kind: JudgeKind::Model,
            prompt_version: Prompts::version_of(prompt),
            prompt_hash: prompt.hash(),
            requested_model: self.model.clone(),
            returned_model,
        }
    }

    /// The model that answered last, as far as anyone said.
    fn latest_model(&self) -> MutexGuard<'_, String> {
        self.returned_model.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer in a reply, unless it was declined, cut off, or cannot be read.
fn understood<T>(reply: &Reply, read: &dyn Fn(&str) -> Result<T, JudgeFailure>) -> Result<T, JudgeFailure> {
    reply.content().and_then(read)
}

/// What is said to a judge whose answer cannot be used.
fn repair(reply: &Reply, why: &str) -> [Value; 2] {
    let complaint = format!(
        "Your answer cannot be used: {why}. Answer the same question once more, with nothing but one JSON object that \
         fits the schema."
    );
    [json!({"role": "assistant", "content": reply.said()}), json!({"role": "user", "content": complaint})]
}

impl Judge for OpenAi {
    fn kind(&self) -> JudgeKind {
        JudgeKind::Model
    }

    fn epoch(&self) -> JudgeEpoch {
        self.epoch_of(&Prompts.current(Question::Session), self.latest_model().clone())
    }

    fn probe(&self) -> Result<(), JudgeFailure> {
        self.caller.probe()
    }

    fn grade_session(&self, transcript: &Transcript, told: &Instructions) -> Answer<SessionGrade> {
        self.ask(&Ask {
            prompt: Prompts.current(Question::Session),
            told: instructions(told),
            evidence: enclosed(&[conversation(transcript)]),
            schema: schema::session(),
            read: &schema::read_session,
        })
    }

    fn relevance(&self, chunk: &LearningChunk) -> Answer<Vec<RelevanceVerdict>> {
        self.ask(&Ask {
            prompt: Prompts.current(Question::Relevance),
            told: String::new(),
            evidence: enclosed(&[conversation(&chunk.transcript), learnings(chunk)]),
            schema: schema::relevance(),
            read: &|text| schema::read_relevance(text, chunk),
        })
    }

    fn impact(&self, chunk: &LearningChunk) -> Answer<Vec<ImpactVerdict>> {
        self.ask(&Ask {
            prompt: Prompts.current(Question::Impact),
            told: String::new(),
            evidence: enclosed(&[conversation(&chunk.transcript), learnings(chunk)]),
            schema: schema::impact(),
            read: &|text| schema::read_impact(text, chunk),
        })
    }

    fn compare_shadow(&self, pair: &ShadowPair) -> Answer<ShadowGrade> {
        let prompt = pinned(&pair.version)?;
        let [first, second] = responses(pair);
        self.ask(&Ask {
            prompt,
            told: String::new(),
            evidence: enclosed(&[conversation(&pair.context), first, second]),
            schema: schema::shadow(),
            read: &schema::read_shadow,
        })
    }
}

/// The comparison's wording in the version that was asked for.
pub(crate) fn pinned(version: &PromptVersion) -> Result<Prompt, JudgeFailure> {
    Prompts.find(Question::Shadow, version.as_str()).ok_or(JudgeFailure::Unavailable(Trouble::UnknownPrompt))
}
