//! A chat-completions endpoint on loopback that does as it is told and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the stub was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

impl Asked {
    /// The text of the message at this place.
    pub(crate) fn message(&self, place: usize) -> &str {
        self.body["messages"][place]["content"].as_str().unwrap()
    }
}

/// What the stub does with a call.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Answers with this status, this `Retry-After`, and this body.
    Answer(u16, Option<u32>, String),
    /// Says nothing until the caller hangs up.
    Silence,
    /// Begins an answer and then says nothing until the caller hangs up.
    HalfAnAnswer,
}

/// A completion whose message is this text.
pub(crate) fn saying(content: &str) -> Act {
    finishing(&json!({"content": content}), "stop")
}

/// A completion with this message that ended for this reason.
pub(crate) fn finishing(message: &Value, reason: &str) -> Act {
    let body = json!({
        "model": "model-that-answered",
        "choices": [{"message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7},
    });
    Act::Answer(200, None, body.to_string())
}

pub(crate) fn status(status: u16) -> Act {
    Act::Answer(status, None, "{\"error\": \"the user said: my secret words\"}".to_owned())
}

type Script = dyn Fn(&Asked, usize) -> Act + Send + Sync;

/// A running stub.
pub(crate) struct Stub {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Stub {
    /// A stub that acts by this script, which is told how many calls came before.
    pub(crate) fn by(script: impl Fn(&Asked, usize) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (script, seen): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                thread::spawn(move || serve(stream, script.as_ref(), &seen));
            }
        });
        Self { address, asked }
    }

    /// A stub that does these things one after another, and the last of them from then on.
    pub(crate) fn doing(acts: Vec<Act>) -> Self {
        Self::by(move |_, before| acts[before.min(acts.len() - 1)].clone())
    }

    /// Its address, as a caller configures it.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Everything it was asked, in order.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, script: &Script, seen: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(asked) = read(&mut reader) {
        let before = {
            let mut seen = seen.lock().unwrap();
            seen.push(asked.clone());
            seen.len() - 1
        };
        match script(&asked, before) {
            Act::Answer(status, retry_after, body) => {
                let retry =
                    retry_after.map_or_else(String::new, |seconds| format!("retry-after: {seconds}\r\n"));
                let head =
                    format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n{retry}\r\n", body.len());
                stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
            }
            Act::Silence => return wait_for_the_end(&mut reader),
            Act::HalfAnAnswer => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\"").unwrap();
                return wait_for_the_end(&mut reader);
            }
        }
    }
}

fn wait_for_the_end(reader: &mut impl Read) {
    let _ = reader.read_to_end(&mut Vec::new());
}

fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let header = |name: &str| {
        lines
            .iter()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .find_map(|(key, value)| key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned()))
    };
    let length = header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked {
        path: lines[0].split(' ').nth(1)?.to_owned(),
        authorization: header("authorization"),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}
