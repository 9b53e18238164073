//! A read route that asks the database, beside a bare route in the same process.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use actix_web::rt::System;
use actix_web::web::{self as actix, Data};
use actix_web::{App, HttpResponse, HttpServer};
use anyhow::Context as _;
use experiments::HoldoutPercentage;
use kernel::{ExperimentId, OrgId};
use storage::testing::test_ring;
use storage::{Database, DatabaseUrl, Options};
use support::{Client, TestOrganization};
use touchstone_cli::wiring::House;
use touchstone_cli::{SystemClock, telemetry};
use web::{Listeners, Settings};

use crate::Section;
use crate::figures::{Stretch, median};
use crate::load::{Asking, repeat};

pub(crate) const SECTION: Section =
    Section { name: "reads", title: "A read route that asks the database, beside a bare one", measure };
/// The argument that makes this binary the server of the measurement.
pub(crate) const SERVE: &str = "serve-for-reads";

const PATH: &str = "/api/retrieval_experiments";
const CLIENTS: usize = 16;
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(1_500);

/// The server of the measurement, in a process of its own; it ends when its input does.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    bare: SocketAddr,
    house: SocketAddr,
}

/// Who calls.
#[derive(Clone, Copy)]
enum Crowd {
    /// All of one organization: those who ask at once share a read.
    OneOrganization,
    /// Each of an organization of its own: nothing can be shared.
    OneEach,
}

impl Crowd {
    const fn named(self) -> &'static str {
        match self {
            Self::OneOrganization => "one",
            Self::OneEach => "one each",
        }
    }

    /// The keys that the callers show, one per caller.
    fn of(self, tokens: &[String]) -> Vec<String> {
        match self {
            Self::OneOrganization => tokens.first().into_iter().cycle().take(CLIENTS).cloned().collect(),
            Self::OneEach => tokens.to_vec(),
        }
    }
}

/// What one round found.
struct Round {
    bare: f64,
    house: f64,
    bare_cpu: f64,
    house_cpu: f64,
}

fn measure() -> anyhow::Result<String> {
    let mut told = format!(
        "`GET {PATH}` with a real credential (identified, three experiments read from the database, JSON, logged, counted) beside \
         an actix route of the same process that answers the same bytes and does nothing else. {CLIENTS} keep-alive connections from \
         another process on the same cores, {ROUNDS} rounds in turns. Callers of one organization who ask for the same at once share a \
         read; callers of an organization each cannot, so every request of theirs is a query. Throughput shares the cores with the \
         callers and, on PostgreSQL, with the database; the processor time is the server's alone. The rule alone is the same list asked \
         by as many threads of one process, without HTTP: the route cannot be faster than both together. Goal: at least a third of the \
         bare throughput, better half.\n\n\
         | database | callers' organizations | bare, requests/s | rule alone, calls/s | route, requests/s | throughput ratio | processor time per request, bare → route |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for (name, database) in crate::databases()? {
        let tokens = furnish(&database.url)?;
        for crowd in [Crowd::OneOrganization, Crowd::OneEach] {
            let rounds = rounds(&database.url, &crowd.of(&tokens))?;
            let alone = ask_the_rule(&database.url, crowd)?;
            let of = |figure: fn(&Round) -> f64| median(rounds.iter().map(figure));
            writeln!(
                told,
                "| {name} | {} | {:.0} | {alone:.0} | {:.0} | **{:.2}** | {:.0} → {:.0} µs |",
                crowd.named(),
                of(|round| round.bare),
                of(|round| round.house),
                of(|round| round.house / round.bare),
                of(|round| round.bare_cpu),
                of(|round| round.house_cpu),
            )?;
        }
    }
    Ok(told)
}

fn rounds(url: &str, tokens: &[String]) -> anyhow::Result<Vec<Round>> {
    let server = Server::start(url, tokens.first().context("nobody calls")?)?;
    let mut rounds = Vec::new();
    for number in 0..=ROUNDS {
        let (bare, bare_cpu) = server.measure(server.bare, tokens)?;
        let (house, house_cpu) = server.measure(server.house, tokens)?;
        // The first round warms both up.
        if number > 0 {
            rounds.push(Round { bare: bare.rate(), house: house.rate(), bare_cpu, house_cpu });
        }
    }
    server.stop()?;
    Ok(rounds)
}

/// How many lists a second the rule answers to as many threads as there are callers, without HTTP.
fn ask_the_rule(url: &str, crowd: Crowd) -> anyhow::Result<f64> {
    let database = Database::open(&Options::usual(DatabaseUrl::parse(url)?, test_ring()));
    let house = House::over(database, Arc::new(SystemClock));
    let asked = || {
        repeat(CLIENTS, ROUND, |number| {
            let list = house.list_experiments();
            let org = OrgId::new(&organization_of(crowd, number))?;
            Ok(move || {
                list.list(&org)?;
                Ok(())
            })
        })
    };
    // The first stretch opens the connections.
    asked()?;
    Ok(median((0..ROUNDS).map(|_| asked()).collect::<anyhow::Result<Vec<_>>>()?.iter().map(Stretch::rate)))
}

/// The organization that a caller belongs to.
fn organization_of(crowd: Crowd, caller: usize) -> String {
    match crowd {
        Crowd::OneOrganization => "acme-0".to_owned(),
        Crowd::OneEach => format!("acme-{caller}"),
    }
}

/// As many organizations as there are callers, each with a few experiments, and a key to each.
fn furnish(url: &str) -> anyhow::Result<Vec<String>> {
    let database = Database::open(&Options::usual(DatabaseUrl::parse(url)?, test_ring()));
    let house = House::over(database.clone(), Arc::new(SystemClock));
    let furnished = |number| {
        let name = organization_of(Crowd::OneEach, number);
        let organization = TestOrganization::found(&database, Arc::new(SystemClock), &name);
        for name in ["first", "second", "third"] {
            let id = ExperimentId::new(name)?;
            house.start_experiment().start(&organization.id, &id, HoldoutPercentage::new(10.0)?)?;
            house.stop_experiment().stop(&organization.id, &id)?;
        }
        anyhow::Ok(organization.production())
    };
    (0..CLIENTS).map(furnished).collect()
}

impl Server {
    fn start(url: &str, token: &str) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([SERVE, url, token])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let mut address = || anyhow::Ok(lines.next().context("the server did not start")??.parse()?);
        let (house, bare) = (address()?, address()?);
        Ok(Self { child, input, bare, house })
    }

    /// A stretch of calls, and the server's processor time for each in microseconds.
    fn measure(&self, address: SocketAddr, tokens: &[String]) -> anyhow::Result<(Stretch, f64)> {
        let before = self.processor_seconds()?;
        let stretch = repeat(CLIENTS, ROUND, |number| {
            let token = tokens.get(number).context("a caller without a key")?;
            let mut asking = Asking::new(address, PATH, token)?;
            Ok(move || asking.ask())
        })?;
        let spent = self.processor_seconds()? - before;
        let each = spent * 1_000_000.0 / f64::from(stretch.count());
        Ok((stretch, each))
    }

    /// User and system time of the server, which the kernel counts in hundredths of a second.
    fn processor_seconds(&self) -> anyhow::Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, fields) = stat.rsplit_once(')').context("unreadable process state")?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
    }

    fn stop(mut self) -> anyhow::Result<()> {
        drop(self.input.take());
        self.child.wait()?;
        Ok(())
    }
}

/// Serves the house as `touchstone serve` does, and a bare route beside it, until the input ends.
pub(crate) fn serve(url: &str, token: &str) -> anyhow::Result<()> {
    telemetry::begin();
    let workers = std::thread::available_parallelism()?.get();
    let database = Database::open(&Options::usual(DatabaseUrl::parse(url)?, test_ring()));
    let settings = Settings { rate_limit_per_second: None, secure_cookie: false, operations_listen: None };
    let app = Data::new(House::over(database, Arc::new(SystemClock)).web(settings));
    let listener = || -> anyhow::Result<(TcpListener, SocketAddr)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let ((main, house), (bare_listener, bare)) = (listener()?, listener()?);
    std::thread::spawn(move || {
        let listeners = Listeners { main, operations: None };
        System::new().block_on(web::serve(app, listeners, workers, std::future::pending()))
    });
    let answer = Client::of(house).bearing(token).get(PATH).text();
    std::thread::spawn(move || serve_bare(bare_listener, answer, workers));
    println!("{house}\n{bare}");
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}

fn serve_bare(listener: TcpListener, answer: String, workers: usize) -> std::io::Result<()> {
    let server = HttpServer::new(move || {
        let answer = answer.clone();
        let bare = move || {
            let answer = answer.clone();
            async move { HttpResponse::Ok().content_type("application/json").body(answer) }
        };
        App::new().route(PATH, actix::get().to(bare))
    });
    System::new()
        .block_on(server.workers(workers).tcp_nodelay(true).disable_signals().listen(listener)?.run())
}
