//! What can be typed after `touchstone`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::exit;

/// Tells whether what an agent learned really helps, and lets a person be forgotten, provably.
#[derive(Debug, Parser)]
#[command(name = "touchstone", version, about, after_help = exit::CODES)]
pub(crate) struct Arguments {
    /// Where the data is: `sqlite://PATH` or `postgres://…`, also from `TOUCHSTONE_DATABASE_URL` or `DATABASE_URL`
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the interface over HTTP
    Serve(ServeOptions),
    /// Fill the organization `demo` with ninety days of made-up data, unless it holds them already
    Demo(DemoOptions),
    /// Bring the database's schema up to this version
    Migrate,
    /// Make, list and revoke credentials
    #[command(subcommand)]
    Credential(CredentialCommand),
    /// Start, stop and list retrieval experiments, and read their results
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Erase a user for good, behind a write barrier
    EraseUser {
        #[command(flatten)]
        ticket: TicketArguments,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Export everything that is kept about a user
    ExportUser {
        #[command(flatten)]
        ticket: TicketArguments,
        /// The file to write
        #[arg(long)]
        out: PathBuf,
    },
    /// Show how an erasure stands
    PurgeStatus {
        #[command(flatten)]
        target: Target,
        /// The purge
        purge_id: String,
    },
    /// Rewrite the database's files so that no erased byte is left (with SQLite, stop the server first)
    Maintain,
    /// Evaluate every session and shadow turn that is due now
    EvaluateDue {
        #[command(flatten)]
        target: Target,
    },
    /// Judge the sessions of a window again
    Regenerate {
        #[command(flatten)]
        target: Target,
        /// The first second: epoch seconds or RFC 3339
        #[arg(long)]
        from: String,
        /// The last second
        #[arg(long)]
        to: String,
        /// Do the work here and come back when it is done; else a server does it
        #[arg(long)]
        wait: bool,
    },
    /// Show how well the agent does
    Overview {
        #[command(flatten)]
        target: Target,
        /// The first second: epoch seconds or RFC 3339
        #[arg(long)]
        from: String,
        /// The last second
        #[arg(long)]
        to: String,
    },
    /// Show the configuration in force
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Look for what would keep the service from working
    Doctor,
    /// Print the OpenAPI document
    Openapi,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Where a server answers.
#[derive(Debug, Args)]
pub(crate) struct Addresses {
    /// Where to answer
    #[arg(long, env = "TOUCHSTONE_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,
    /// Where health and metrics answer, if not on the main address
    #[arg(long, env = "TOUCHSTONE_OPERATIONS_LISTEN", value_name = "ADDRESS")]
    pub(crate) operations_listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) addresses: Addresses,
    /// Refuse to start on an old schema instead of migrating it
    #[arg(long)]
    pub(crate) no_migrate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// Serve it afterwards, and print a link that signs in
    #[arg(long)]
    pub(crate) serve: bool,
    /// Tell the same story with fewer people, which is quicker
    #[arg(long)]
    pub(crate) small: bool,
    /// Answer with JSON
    #[arg(long, conflicts_with = "serve")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) server: ServeOptions,
}

/// The organization a command acts on, and how it answers.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The organization
    #[arg(long, default_value = "default")]
    pub(crate) org: String,
    /// Answer with JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whom a governance ticket is about.
#[derive(Debug, Args)]
pub(crate) struct TicketArguments {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Whom it is about
    #[arg(long)]
    pub(crate) user_id: String,
    /// The ticket; a repeat with the same one gets the same answer
    #[arg(long)]
    pub(crate) request_id: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    /// An agent's API key
    Production,
    /// A person's bearer
    Dashboard,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CredentialCommand {
    /// Make a credential and print its token, once; a new organization is made with it
    Create {
        #[command(flatten)]
        target: Target,
        /// Whom it is for
        #[arg(long)]
        kind: Kind,
        /// Let it export and erase users (dashboard only)
        #[arg(long)]
        governance: bool,
        /// How long it works: a number with s, m, h or d
        #[arg(long, value_parser = parse_lifetime, value_name = "TIME")]
        expires_in: Option<i64>,
    },
    /// List credentials
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Revoke a credential and every session made from it
    Revoke {
        #[command(flatten)]
        target: Target,
        /// The credential's id, as listed
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// Start an experiment
    Start {
        #[command(flatten)]
        target: Target,
        /// The experiment's id
        id: String,
        /// The share of users held out, in percent
        #[arg(long)]
        holdout_percentage: f64,
    },
    /// Stop the active experiment
    Stop {
        #[command(flatten)]
        target: Target,
        /// The experiment's id
        id: String,
    },
    /// List experiments
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Print what an experiment has measured, and what it means
    Results {
        #[command(flatten)]
        target: Target,
        /// The experiment's id
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print what is in force, with secrets masked, and refuse what a server would refuse
    Check {
        #[command(flatten)]
        addresses: Addresses,
        /// Answer with JSON
        #[arg(long)]
        json: bool,
    },
}

fn parse_lifetime(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text:?} is not a time: write a number with s, m, h or d, such as 30d");
    let split = text.char_indices().last().map_or(0, |(at, _)| at);
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let number: i64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).filter(|&total| total > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_is_a_number_with_a_unit() {
        assert_eq!(parse_lifetime("30d"), Ok(2_592_000));
        assert_eq!(parse_lifetime("90s"), Ok(90));
        for text in ["", "d", "30", "-1d", "0s", "1w", "ü", "99999999999999999d"] {
            assert!(parse_lifetime(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_arguments_are_well_formed() {
        use clap::CommandFactory as _;
        Arguments::command().debug_assert();
    }
}
