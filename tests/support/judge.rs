//! A chat-completions endpoint on loopback that grades every session as a success, and counts.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

/// A judge that a test can count the calls of, silence, and make wait.
pub struct StubJudge {
    address: SocketAddr,
    desk: Arc<Desk>,
}

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    calls: usize,
    /// Calls are answered up to this one; those behind wait. `None` answers all.
    answers: Option<usize>,
    fails: bool,
    in_flight: usize,
    most_in_flight: usize,
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
        self.desk.state.lock().unwrap().calls
    }

    /// How many calls it had before it at once, at most.
    #[must_use]
    pub fn most_in_flight(&self) -> usize {
        self.desk.state.lock().unwrap().most_in_flight
    }

    /// Lets it answer so many calls; those behind wait until it is told more.
    pub fn answer_only(&self, calls: usize) {
        self.desk.state.lock().unwrap().answers = Some(calls);
    }

    /// Lets it answer everything, also what waits.
    pub fn answer_all(&self) {
        self.desk.state.lock().unwrap().answers = None;
        self.desk.changed.notify_all();
    }

    /// Lets it refuse from now on.
    pub fn fail(&self) {
        self.desk.state.lock().unwrap().fails = true;
    }

    /// Waits until it was asked so often.
    pub fn wait_for_calls(&self, calls: usize) {
        let state = self.desk.state.lock().unwrap();
        let patience = std::time::Duration::from_secs(30);
        let waited =
            self.desk.changed.wait_timeout_while(state, patience, |state| state.calls < calls).unwrap();
        assert!(!waited.1.timed_out(), "asked {} times, not {calls}", waited.0.calls);
    }
}

impl Desk {
    /// Takes a call, waits for leave to answer, and says whether to fail.
    fn take(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        state.calls += 1;
        state.in_flight += 1;
        state.most_in_flight = state.most_in_flight.max(state.in_flight);
        let number = state.calls;
        self.changed.notify_all();
        let must_wait = |state: &mut State| state.answers.is_some_and(|most| number > most);
        let mut state = self.changed.wait_while(state, must_wait).unwrap();
        state.in_flight -= 1;
        state.fails
    }
}

fn serve(mut stream: TcpStream, desk: &Desk) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(length) = read_head(&mut reader) {
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let (status, answer) = if desk.take() { (400, "{}".to_owned()) } else { (200, graded()) };
        let head = format!("HTTP/1.1 {status} Stub\r\ncontent-length: {}\r\n\r\n", answer.len());
        if stream.write_all(format!("{head}{answer}").as_bytes()).is_err() {
            return;
        }
    }
}

fn graded() -> String {
    let grade = json!({
        "is_success": true, "failure_type": null, "failure_reason": "", "is_escalated": false,
        "number_of_correction_per_session": 0,
    });
    json!({
        "model": "stub-1",
        "choices": [{"message": {"content": grade.to_string()}, "finish_reason": "stop"}],
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
