//! A server of the house in a process of its own, whose memory is watched while it answers.

use std::io::{BufRead as _, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::rt::System;
use actix_web::web::Data;
use anyhow::Context as _;
use storage::testing::test_ring;
use storage::{Database, DatabaseUrl, Options};
use touchstone_cli::wiring::House;
use touchstone_cli::{SystemClock, telemetry};
use web::{Listeners, Settings};

/// The argument that makes this binary a server.
pub(crate) const SERVE: &str = "serve-the-house";

/// A server; it ends when its input does.
pub(crate) struct Server {
    /// Where it answers.
    pub(crate) address: SocketAddr,
    child: Child,
    input: Option<ChildStdin>,
}

/// The memory of a server in mebibytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// Before.
    pub(crate) idle: f64,
    /// The most that was seen meanwhile.
    pub(crate) peak: f64,
}

impl Server {
    /// Serves this database.
    pub(crate) fn on(url: &str) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([SERVE, url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let address = lines.next().context("the server did not start")??.parse()?;
        Ok(Self { address, child, input })
    }

    /// Watches the server's memory while something is done with it.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(Memory, T)> {
        let idle = self.anonymous_mebibytes()?;
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watching = scope.spawn(|| {
                let mut peak = idle;
                while !is_over.load(Ordering::Relaxed) {
                    peak = self.anonymous_mebibytes().unwrap_or(peak).max(peak);
                    std::thread::sleep(Duration::from_millis(10));
                }
                peak
            });
            let done = work();
            is_over.store(true, Ordering::Relaxed);
            let peak = watching.join().map_err(|_| anyhow::anyhow!("the watch panicked"))?;
            Ok((Memory { idle, peak }, done?))
        })
    }

    /// What the process holds of its own: pages of mapped files are the kernel's to take back.
    fn anonymous_mebibytes(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1_024.0)
    }

    /// Ends the server.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        drop(self.input.take());
        self.child.wait()?;
        Ok(())
    }
}

/// Reads an answer to its end and says how many bytes and lines it has, without keeping it.
pub(crate) fn drained(answer: &mut reqwest::blocking::Response) -> anyhow::Result<(u64, u64)> {
    anyhow::ensure!(answer.status().is_success(), "refused: {}", answer.status());
    let mut buffer = vec![0; 256 * 1024];
    let (mut bytes, mut lines) = (0, 0);
    loop {
        let read = answer.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, lines));
        }
        bytes += u64::try_from(read)?;
        let piece = buffer.get(..read).unwrap_or_default();
        lines += u64::try_from(piece.split(|byte| *byte == b'\n').count().saturating_sub(1))?;
    }
}

/// A client for answers that take long.
pub(crate) fn patient_client() -> anyhow::Result<reqwest::blocking::Client> {
    // Another client of this process may have chosen the provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(reqwest::blocking::Client::builder().timeout(Duration::from_secs(900)).build()?)
}

/// Serves the house as `touchstone serve` does, until the input ends.
pub(crate) fn serve(url: &str) -> anyhow::Result<()> {
    telemetry::begin();
    let workers = std::thread::available_parallelism()?.get();
    let database = Database::open(&Options::usual(DatabaseUrl::parse(url)?, test_ring()));
    let settings = Settings { rate_limit_per_second: None, secure_cookie: false, operations_listen: None };
    let app = Data::new(House::over(database, Arc::new(SystemClock)).web(settings));
    let main = TcpListener::bind("127.0.0.1:0")?;
    main.set_nonblocking(true)?;
    let address = main.local_addr()?;
    std::thread::spawn(move || {
        let listeners = Listeners { main, operations: None };
        System::new().block_on(web::serve(app, listeners, workers, std::future::pending()))
    });
    println!("{address}");
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}
