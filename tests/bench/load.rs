//! Callers that do nothing but call: keep-alive connections, one thread each, and as little work per call as can be.

use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::figures::Stretch;

/// Lets `clients` of them repeat an act for a while; each begins by making what it acts with.
pub(crate) fn repeat<A: FnMut() -> anyhow::Result<()>>(
    clients: usize,
    duration: Duration,
    make: impl Fn(usize) -> anyhow::Result<A> + Sync,
) -> anyhow::Result<Stretch> {
    let ready = std::sync::Barrier::new(clients + 1);
    let run = |number| {
        let act = make(number);
        ready.wait();
        let mut act = act?;
        let (began, mut latencies) = (Instant::now(), Vec::new());
        while began.elapsed() < duration {
            let called = Instant::now();
            act()?;
            latencies.push(called.elapsed());
        }
        anyhow::Ok(latencies)
    };
    std::thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = (0..clients).map(|number| scope.spawn(move || run(number))).collect();
        ready.wait();
        let began = Instant::now();
        let mut stretch = Stretch::default();
        for one in running {
            let latencies = one.join().map_err(|_| anyhow::anyhow!("a client panicked"))?;
            stretch.latencies.extend(latencies?);
        }
        stretch.elapsed = began.elapsed();
        Ok(stretch)
    })
}

/// A connection that asks for the same thing again and again.
pub(crate) struct Asking {
    connection: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Asking {
    /// Asks for this path, showing this bearer.
    pub(crate) fn new(address: SocketAddr, path: &str, token: &str) -> anyhow::Result<Self> {
        let connection = TcpStream::connect(address)?;
        connection.set_nodelay(true)?;
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n");
        Ok(Self { connection, request: request.into_bytes(), buffer: vec![0; 64 * 1024] })
    }

    /// Asks once and reads the whole answer.
    pub(crate) fn ask(&mut self) -> anyhow::Result<()> {
        self.connection.write_all(&self.request)?;
        let mut filled = 0;
        let mut whole = None;
        while whole.is_none_or(|length| filled < length) {
            let room = self.buffer.get_mut(filled..).context("the answer is larger than expected")?;
            let read = self.connection.read(room)?;
            if read == 0 {
                bail!("the server closed the connection");
            }
            filled += read;
            whole = whole.or_else(|| whole_length(self.buffer.get(..filled).unwrap_or_default()));
        }
        if !self.buffer.starts_with(b"HTTP/1.1 200") {
            bail!("refused: {}", String::from_utf8_lossy(self.buffer.get(..filled).unwrap_or_default()));
        }
        Ok(())
    }
}

/// How long an answer is, once its head has come.
fn whole_length(answer: &[u8]) -> Option<usize> {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = std::str::from_utf8(answer.get(..head)?).ok()?;
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    Some(head + 4 + length.trim().parse::<usize>().ok()?)
}
