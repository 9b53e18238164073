//! A chat-completions endpoint on loopback that grades every session as a success, and counts.

mod desk;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use desk::Desk;
use serde_json::{Value, json};

/// How a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// As it should be.
    Well,
    /// With 429, asking for so many seconds of patience.
    RateLimited(u32),
    /// With this status and a body that quotes the conversation, as careless servers do.
    Status(u16),
    /// With words instead of JSON, quoting the conversation.
    Garbage,
    /// Well, but after this time.
    Slowly(Duration),
}

/// A judge that a test can count the calls of, silence, make wait, and make misbehave.
pub struct StubJudge {
    address: SocketAddr,
    desk: Arc<Desk>,
}

impl StubJudge {
    /// A judge that answers at once.
    #[must_use]
    pub fn begin() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let desk = Arc::new(Desk::default());
        let at_desk = Arc::clone(&desk);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let desk = Arc::clone(&at_desk);
                std::thread::spawn(move || serve(stream, &desk));
            }
        });
        Self { address, desk }
    }

    /// What an organization writes into its configuration to be judged by this one.
    #[must_use]
    pub fn configuration(&self) -> Value {
        json!({ "provider": "openai", "base_url": format!("http://{}/v1", self.address), "model": "stub" })
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.desk.state().calls
    }

    /// How often it was asked about each conversation, by the word in it that begins with `case-`.
    #[must_use]
    pub fn calls_by_case(&self) -> BTreeMap<String, usize> {
        self.desk.state().by_case.clone()
    }

    /// How many calls it had before it at once, at most.
    #[must_use]
    pub fn most_in_flight(&self) -> usize {
        self.desk.state().most_in_flight
    }

    /// Lets it answer so many calls; those behind wait until it is told more.
    pub fn answer_only(&self, calls: usize) {
        self.desk.state().answers = Some(calls);
    }

    /// Lets it answer everything, also what waits.
    pub fn answer_all(&self) {
        self.desk.state().answers = None;
        self.desk.notify();
    }

    /// Lets every call take so long.
    pub fn take(&self, time: Duration) {
        self.desk.state().usual = Manner::Slowly(time);
    }

    /// Lets it refuse from now on.
    pub fn fail(&self) {
        self.desk.state().usual = Manner::Status(400);
    }

    /// Lets it answer the calls about this case like this, one after the other, and the last way from then on.
    pub fn script(&self, case: &str, manners: &[Manner]) {
        self.desk.state().scripts.insert(case.to_owned(), manners.to_vec());
    }

    /// Lets it find the response with these words better, wherever it stands.
    pub fn prefer(&self, words: &str) {
        self.desk.state().taste = Some(words.to_owned());
    }

    /// Waits until it was asked so often.
    pub fn wait_for_calls(&self, calls: usize) {
        self.desk.wait_until(&format!("{calls} calls"), |state| state.calls >= calls);
    }
}

/// The word that tells conversations apart.
fn case_of(body: &str) -> Option<String> {
    let (_, behind) = body.split_once("case-")?;
    let name: String = behind.chars().take_while(char::is_ascii_alphanumeric).collect();
    Some(format!("case-{name}"))
}

fn serve(mut stream: TcpStream, desk: &Desk) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(length) = read_head(&mut reader) {
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let body = String::from_utf8_lossy(&body);
        let (manner, taste) = desk.take(case_of(&body));
        if let Manner::Slowly(time) = manner {
            std::thread::sleep(time);
        }
        let answer = answer(manner, &body, taste.as_deref());
        // Whoever reads the answer must find this call counted out already.
        desk.leave();
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(manner: Manner, body: &str, taste: Option<&str>) -> String {
    let (status, header, text) = match manner {
        Manner::Well | Manner::Slowly(_) => (200, String::new(), said(&verdict(body, taste))),
        Manner::RateLimited(seconds) => (429, format!("retry-after: {seconds}\r\n"), "{}".to_owned()),
        Manner::Status(status) => (status, String::new(), json!({ "error": body }).to_string()),
        Manner::Garbage => (200, String::new(), said(&format!("I think that {body}"))),
    };
    format!("HTTP/1.1 {status} Stub\r\n{header}content-length: {}\r\n\r\n{text}", text.len())
}

/// The verdict that was asked for: every session is a success, and of two responses the first is better.
fn verdict(body: &str, taste: Option<&str>) -> String {
    if body.contains("better_request") {
        let better = taste.map_or("1", |words| place_of(words, body));
        return json!({ "better_request": better, "is_significantly_better": true, "comparison_reason": "" })
            .to_string();
    }
    json!({
        "is_success": true, "failure_type": null, "failure_reason": "", "is_escalated": false,
        "number_of_correction_per_session": 0,
    })
    .to_string()
}

/// Which of the two responses holds these words.
fn place_of(words: &str, body: &str) -> &'static str {
    let (_, responses) = body.rsplit_once("<<<REQUEST 1 ").unwrap();
    let (first, _) = responses.split_once("<<<REQUEST 2 ").unwrap();
    if first.contains(words) { "1" } else { "2" }
}

fn said(content: &str) -> String {
    json!({
        "model": "stub-1",
        "choices": [{"message": {"content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1},
    })
    .to_string()
}

/// The length of the body behind the next head.
fn read_head(reader: &mut impl BufRead) -> Option<usize> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            return Some(length);
        }
        if let Some(stated) = line.strip_prefix("content-length:") {
            length = stated.trim().parse().ok()?;
        }
    }
}
