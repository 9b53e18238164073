//! The command line: composition root, server and batch jobs.

mod active_experiment;
mod arguments;
mod background;
mod batch;
mod clock;
pub mod demo;
mod draft;
mod due_work;
mod exit;
mod home;
mod ids;
mod one_second;
mod organization_settings;
mod randomness;
mod retrieval_gate;
mod serve;
mod settings;
pub mod telemetry;
mod tokens;
pub mod wiring;

use std::process::ExitCode;

use clap::Parser as _;

pub use batch::judging::judge_due;
pub use clock::SystemClock;
pub use due_work::{Account, Done};
pub use ids::RandomIds;
pub use randomness::OperatingSystem;
pub use retrieval_gate::ExperimentGate;
pub use settings::{Settings, SettingsError};
pub use tokens::Cl100kBase;

use arguments::{Arguments, Command};

/// What one thread allocates, another frees: a call's work on the way to the database, an answer's rows on the way back.
/// The system's allocator makes such threads wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command that the arguments name.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match dispatch(arguments) {
        Ok(code) => code,
        Err(error) => exit::tell(&error),
    }
}

fn dispatch(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { database_url, command } = arguments;
    let settings = || Settings::read(database_url.as_deref());
    match command {
        Command::Serve(options) => serve::serve(&settings()?, &options),
        Command::Demo(options) => demo::run(&settings()?, &options),
        Command::Migrate => batch::migrate::migrate(&settings()?),
        Command::Credential(command) => batch::credential::run(&settings()?, &command),
        Command::Experiment(command) => batch::experiment::run(&settings()?, &command),
        Command::EraseUser { ticket, yes } => batch::governance::erase(&settings()?, &ticket, yes),
        Command::ExportUser { ticket, out } => batch::governance::export(&settings()?, &ticket, &out),
        Command::PurgeStatus { target, purge_id } => {
            batch::governance::status(&settings()?, &target, &purge_id)
        }
        Command::Maintain => batch::governance::maintain(&settings()?),
        Command::EvaluateDue { target } => batch::judging::evaluate_due(&settings()?, &target),
        Command::Regenerate { target, from, to, wait } => {
            batch::judging::regenerate(&settings()?, &target, (&from, &to), wait)
        }
        Command::Overview { target, from, to } => batch::overview::show(&settings()?, &target, &from, &to),
        Command::Config(command) => batch::config::run(database_url.as_deref(), &command),
        Command::Doctor => batch::doctor::examine(database_url.as_deref()),
        Command::Openapi => batch::papers::openapi(),
        Command::Completions { shell } => batch::papers::completions(shell),
    }
}
