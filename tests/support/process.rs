//! The binary itself, in a process of its own, to be killed and to be read the log of.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::Client;

/// A `touchstone serve` on a port of its own; it is killed with this value.
pub struct ServerProcess {
    /// Where it answers.
    pub address: SocketAddr,
    child: Child,
    printed: Arc<Printed>,
    readers: Vec<JoinHandle<()>>,
    _home: tempfile::TempDir,
}

/// What a process has printed, and a bell for whoever waits for more.
#[derive(Default)]
struct Printed {
    text: Mutex<String>,
    grew: Condvar,
}

impl Printed {
    fn add(&self, line: &str) {
        let mut text = self.text.lock().unwrap();
        text.push_str(line);
        text.push('\n');
        self.grew.notify_all();
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }
}

impl ServerProcess {
    /// Serves this database.
    #[must_use]
    pub fn on(database_url: &str) -> Self {
        Self::with(database_url, &[])
    }

    /// Serves this database, with these variables in its environment (see `storage::faults` for what can be broken).
    #[must_use]
    pub fn with(database_url: &str, environment: &[(&str, &str)]) -> Self {
        let begun = Self::try_with(database_url, environment);
        begun.unwrap_or_else(|printed| panic!("the server did not start: {printed}"))
    }

    /// Serves this database, or hands over what was printed by a server that refused to.
    pub fn try_with(database_url: &str, environment: &[(&str, &str)]) -> Result<Self, String> {
        let home = tempfile::tempdir().unwrap();
        let mut child = command(database_url, environment)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(home.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = Arc::new(Printed::default());
        let errors = keep(child.stderr.take().unwrap(), &printed);
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let Some(address) = answers_on(&mut output, &printed) else {
            child.wait().unwrap();
            errors.join().unwrap();
            return Err(printed.text());
        };
        let readers = vec![errors, keep(output, &printed)];
        Ok(Self { address, child, printed, readers, _home: home })
    }

    /// A caller without a credential.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::of(self.address)
    }

    /// The beginning of the name under which it holds leases.
    #[must_use]
    pub fn lease_prefix(&self) -> String {
        format!("{}-", self.child.id())
    }

    /// How much memory it holds, in megabytes; 0 where the operating system does not tell.
    #[must_use]
    pub fn resident_megabytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        kilobytes.unwrap_or_default() / 1_024
    }

    /// The process's number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the process as a power cut would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to stop.
    pub fn terminate(&self) {
        // The shell's own `kill`: a machine without the package procps has no other.
        let told = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.child.id())]).status();
        assert!(told.unwrap().success());
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Everything it has printed and logged until now.
    #[must_use]
    pub fn printed(&self) -> String {
        self.printed.text()
    }

    /// Waits until it has printed or logged this.
    pub fn wait_until_printed(&self, text: &str) {
        let printed = self.printed.text.lock().unwrap();
        let patience = Duration::from_secs(30);
        let wait = self.printed.grew.wait_timeout_while(printed, patience, |all| !all.contains(text));
        let (printed, waited) = wait.unwrap();
        assert!(!waited.timed_out(), "never printed {text:?}: {printed}");
    }

    /// Everything it ever printed and logged; it must have ended.
    pub fn printed_to_the_end(&mut self) -> String {
        for reader in self.readers.drain(..) {
            reader.join().unwrap();
        }
        self.printed()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs one command of the binary to its end, whatever end that is.
#[must_use]
pub fn run(database_url: &str, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    command(database_url, environment).args(arguments).current_dir(home.path()).output().unwrap()
}

/// The binary on this database, with nothing else in its environment.
fn command(database_url: &str, environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(binary());
    command
        .env_clear()
        .env("TOUCHSTONE_DATABASE_URL", database_url)
        .env("TOUCHSTONE_REF_SECRETS", storage::testing::SECRET)
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    command
}

/// Cargo puts the binary beside the folder of the test that runs.
fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).unwrap();
    folder.join("touchstone-under-test")
}

fn answers_on(output: &mut impl BufRead, printed: &Printed) -> Option<SocketAddr> {
    for line in output.lines().map_while(Result::ok) {
        printed.add(&line);
        if let Some((_, address)) = line.split_once("answers on http://") {
            return Some(address.trim().parse().unwrap());
        }
    }
    None
}

fn keep(output: impl Read + Send + 'static, printed: &Arc<Printed>) -> JoinHandle<()> {
    let printed = Arc::clone(printed);
    std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).for_each(|line| printed.add(&line));
    })
}
