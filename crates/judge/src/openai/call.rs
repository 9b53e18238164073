//! Calling a chat-completions endpoint: paced, limited, and stepping down to what it understands.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use evaluation::judging::{JudgeFailure, Trouble};
use reqwest::StatusCode;
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use serde_json::{Value, json};

use super::reply::Reply;
use super::{Endpoint, Pace};
use crate::limiter::Limiter;

/// The largest body that is read.
const LARGEST_BODY: u64 = 4 * 1024 * 1024;

/// How long a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// Ways to ask for JSON, best first. An endpoint that does not know one answers 400 and is asked the next way.
const MANNERS: [Manner; 4] = [Manner::SchemaCold, Manner::Schema, Manner::Object, Manner::Plain];

#[derive(Debug, Clone, Copy)]
enum Manner {
    /// By JSON schema, at temperature 0, which some models refuse.
    SchemaCold,
    /// By JSON schema.
    Schema,
    /// Any JSON object.
    Object,
    /// By the words of the prompt alone.
    Plain,
}

/// Why a call gave no reply, and what to do about it.
enum Miss {
    /// Try again; not before so many seconds, if the endpoint said so.
    Again(JudgeFailure, Option<u32>),
    /// It does not understand what it was asked.
    NotUnderstood(u16),
    /// There is no point in trying again now.
    Final(JudgeFailure),
}

/// A client of one endpoint.
#[derive(Debug)]
pub(super) struct Caller {
    client: Client,
    base_url: String,
    pace: Pace,
    limiter: Arc<Limiter>,
    /// The manner that was understood last.
    manner: AtomicUsize,
}

impl Caller {
    pub(super) fn new(endpoint: &Endpoint, pace: Pace, limiter: Arc<Limiter>) -> Result<Self, JudgeFailure> {
        install_tls();
        let unusable = JudgeFailure::Unavailable(Trouble::Configuration);
        let mut headers = HeaderMap::new();
        if let Some(key) = &endpoint.api_key {
            let mut bearer =
                HeaderValue::from_str(&format!("Bearer {}", key.reveal())).map_err(|_| unusable)?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let client = Client::builder()
            .timeout(pace.timeout)
            .default_headers(headers)
            .redirect(Policy::none())
            .user_agent("touchstone")
            .build()
            .map_err(|_| unusable)?;
        let base_url = endpoint.base_url.trim_end_matches('/').to_owned();
        Ok(Self { client, base_url, pace, limiter, manner: AtomicUsize::new(0) })
    }

    /// Asks, until there is a reply or the tries are used up.
    pub(super) fn complete(
        &self,
        model: &str,
        messages: &[Value],
        schema: &Value,
    ) -> Result<Reply, JudgeFailure> {
        let mut manner = self.manner.load(Ordering::Relaxed);
        let mut tries = 1;
        loop {
            match self.once(&body(model, messages, schema, manner)) {
                Ok(reply) => {
                    self.manner.store(manner, Ordering::Relaxed);
                    return Ok(reply);
                }
                Err(Miss::Final(failure)) => return Err(failure),
                Err(Miss::NotUnderstood(status)) if manner + 1 >= MANNERS.len() => {
                    return Err(JudgeFailure::Unavailable(Trouble::Status(status)));
                }
                Err(Miss::NotUnderstood(_)) => manner += 1,
                Err(Miss::Again(failure, asked)) => {
                    let delay = self.delay(tries, asked).filter(|_| tries < self.pace.tries);
                    let Some(delay) = delay else { return Err(failure) };
                    thread::sleep(delay);
                    tries += 1;
                }
            }
        }
    }

    /// Whether anyone answers at the address, without asking a model anything.
    pub(super) fn probe(&self) -> Result<(), JudgeFailure> {
        let url = format!("{}/models", self.base_url);
        let response =
            self.client.get(url).timeout(PROBE_TIMEOUT).send().map_err(|error| failure_of(&error))?;
        match response.status() {
            status if status.is_server_error() => Err(unavailable(status)),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(unavailable(response.status())),
            _ => Ok(()),
        }
    }

    /// One call; only this counts as being in flight.
    fn once(&self, body: &Value) -> Result<Reply, Miss> {
        let _place = self.limiter.enter();
        let request = self.client.post(format!("{}/chat/completions", self.base_url)).json(body);
        read(send(request)?)
    }

    /// How long to wait before the next try; `None` when the endpoint asks for more than we wait.
    fn delay(&self, tries: u32, asked: Option<u32>) -> Option<Duration> {
        let growth = 2_u32.saturating_pow(tries.saturating_sub(1));
        let backoff = jittered(self.pace.first_delay.saturating_mul(growth).min(self.pace.longest_delay));
        let asked = asked.map_or(Duration::ZERO, |seconds| Duration::from_secs(seconds.into()));
        (asked <= self.pace.longest_delay).then_some(backoff.max(asked))
    }
}

fn body(model: &str, messages: &[Value], schema: &Value, manner: usize) -> Value {
    let mut body = json!({"model": model, "messages": messages});
    let format = json!({
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": true, "schema": schema},
    });
    let extras = match MANNERS.get(manner).copied().unwrap_or(Manner::Plain) {
        Manner::SchemaCold => vec![("temperature", json!(0)), ("response_format", format)],
        Manner::Schema => vec![("response_format", format)],
        Manner::Object => vec![("response_format", json!({"type": "json_object"}))],
        Manner::Plain => vec![],
    };
    // Without a schema in the request, the words must carry it.
    let worded = matches!(MANNERS.get(manner), Some(Manner::Object | Manner::Plain) | None);
    if worded && let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) {
        messages
            .push(json!({"role": "system", "content": format!("The JSON schema of your answer: {schema}")}));
    }
    if let Some(object) = body.as_object_mut() {
        object.extend(extras.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    body
}

fn send(request: RequestBuilder) -> Result<Response, Miss> {
    let response = request.send().map_err(|error| missed(&error))?;
    let status = response.status();
    match status {
        _ if status.is_success() => Ok(response),
        StatusCode::TOO_MANY_REQUESTS => {
            let retry_after = retry_after(&response);
            Err(Miss::Again(JudgeFailure::RateLimited { retry_after }, retry_after))
        }
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            Err(Miss::Again(unavailable(status), retry_after(&response)))
        }
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            Err(Miss::NotUnderstood(status.as_u16()))
        }
        _ => Err(Miss::Final(unavailable(status))),
    }
}

fn read(response: Response) -> Result<Reply, Miss> {
    let mut body = Vec::new();
    response.take(LARGEST_BODY).read_to_end(&mut body).map_err(|error| match error.kind() {
        std::io::ErrorKind::TimedOut => Miss::Final(JudgeFailure::TimedOut),
        // The client wraps its own time-out in an error of no particular kind.
        _ if is_timeout(&error) => Miss::Final(JudgeFailure::TimedOut),
        _ => Miss::Again(JudgeFailure::Unavailable(Trouble::Connection), None),
    })?;
    Reply::read(&body).map_err(|failure| Miss::Again(failure, None))
}

fn is_timeout(error: &std::io::Error) -> bool {
    error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<reqwest::Error>())
        .is_some_and(reqwest::Error::is_timeout)
}

/// A call that took too long has cost enough; one that never arrived may be made again.
fn missed(error: &reqwest::Error) -> Miss {
    match failure_of(error) {
        JudgeFailure::TimedOut => Miss::Final(JudgeFailure::TimedOut),
        failure if error.is_builder() => Miss::Final(failure),
        failure => Miss::Again(failure, None),
    }
}

fn failure_of(error: &reqwest::Error) -> JudgeFailure {
    match error {
        _ if error.is_timeout() => JudgeFailure::TimedOut,
        _ if error.is_builder() => JudgeFailure::Unavailable(Trouble::Configuration),
        _ => JudgeFailure::Unavailable(Trouble::Connection),
    }
}

fn unavailable(status: StatusCode) -> JudgeFailure {
    JudgeFailure::Unavailable(Trouble::Status(status.as_u16()))
}

/// The seconds that the endpoint asks for; a date is not read, our own back-off stands then.
fn retry_after(response: &Response) -> Option<u32> {
    response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

/// Between half and all of a delay, so that callers who failed together do not come back together.
fn jittered(delay: Duration) -> Duration {
    let mut byte = [0_u8];
    // Without randomness the delay is merely the longest one.
    if getrandom::fill(&mut byte).is_err() {
        byte = [u8::MAX];
    }
    delay / 2 + (delay / 2) * u32::from(byte[0]) / 255
}

/// The process has one TLS provider; whoever came first may have installed it.
fn install_tls() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
