//! A PostgreSQL of one's own, to be stopped, crashed and started again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running cluster; it ends and vanishes with this value.
pub struct Cluster {
    /// Where it is.
    pub url: String,
    folder: tempfile::TempDir,
    data: PathBuf,
    programs: PathBuf,
    server: Option<Child>,
}

impl Cluster {
    /// A new cluster in a temporary folder; `None` where no PostgreSQL is installed.
    #[must_use]
    pub fn begin() -> Option<Self> {
        Self::begin_in(None)
    }

    /// A new cluster whose data lies in this folder.
    #[must_use]
    pub fn begin_in(place: Option<&Path>) -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::Builder::new().prefix("touchstone-own-pg.").tempdir_in("/tmp").unwrap();
        let data = place.unwrap_or(folder.path()).join("cluster");
        std::fs::create_dir(&data).unwrap();
        if is_root() {
            for owned in [folder.path(), &data] {
                run(Command::new("chown").arg("postgres:").arg(owned));
            }
        }
        let url = format!(
            "postgres://postgres@{}/postgres",
            folder.path().display().to_string().replace('/', "%2F")
        );
        let mut cluster = Self { url, folder, data, programs, server: None };
        let mut init = cluster.program("initdb");
        init.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"]);
        run(init.arg("--pgdata").arg(&cluster.data));
        cluster.start();
        Some(cluster)
    }

    /// Starts it and waits until it answers.
    pub fn start(&mut self) {
        let begun = Instant::now();
        while !self.try_start() {
            assert!(begun.elapsed() < Duration::from_secs(60), "PostgreSQL does not start");
        }
    }

    /// A commit outlives a crash of the server, though not of the machine: this is about processes.
    fn try_start(&mut self) -> bool {
        let sockets = format!("unix_socket_directories={}", self.folder.path().display());
        let mut server = self.program("postgres");
        server.arg("-D").arg(&self.data).args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", &sockets]);
        server.args(["-c", "max_connections=200", "-c", "log_min_messages=fatal"]);
        let mut server = server.spawn().unwrap();
        loop {
            let mut ready = Command::new(self.programs.join("pg_isready"));
            if ready.arg("-q").arg("-h").arg(self.folder.path()).status().unwrap().success() {
                self.server = Some(server);
                return true;
            }
            if server.try_wait().unwrap().is_some() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it as a crash would: nobody is asked to finish.
    pub fn crash(&mut self) {
        self.signal("QUIT");
    }

    /// Whether its server still runs.
    pub fn is_running(&mut self) -> bool {
        self.server.as_mut().is_some_and(|server| server.try_wait().unwrap().is_none())
    }

    fn signal(&mut self, signal: &str) {
        let Some(mut server) = self.server.take() else { return };
        let _ = Command::new("sh").args(["-c", &format!("kill -{signal} {}", server.id())]).status();
        let _ = server.wait();
    }

    /// A program of the server, as the user it runs as; it dies with us.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=QUIT"])
                .arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.signal("QUIT");
    }
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8_lossy(&id.stdout).trim() == "0"
}

/// The folder of the newest server's programs; Debian keeps them out of the PATH.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    found.sort();
    found.pop()
}
