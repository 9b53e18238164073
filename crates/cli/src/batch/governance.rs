//! Erasing and exporting users at the keyboard: the same use cases, without HTTP.

mod export;

use std::io::{IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::bail;
use governance::{Actor, EraseAnswer, Onlooker, Ticket};
use indicatif::ProgressBar;
use kernel::{RequestId, UserId};
use wire::governance::{EraseResponse, PurgeRecord};

use super::{moment, open, organization, print_json};
use crate::arguments::{Target, TicketArguments};
use crate::settings::{Settings, SettingsError};

pub(crate) use export::export;

fn ticket(arguments: &TicketArguments) -> anyhow::Result<Ticket> {
    let user = UserId::new(&arguments.user_id)
        .map_err(|error| SettingsError::new("--user-id", error.to_string()))?;
    let request = RequestId::new(&arguments.request_id)
        .map_err(|error| SettingsError::new("--request-id", error.to_string()))?;
    Ok(Ticket { user, request, actor: Actor::operator() })
}

/// Shows how far an erasure is, and never loses patience.
struct Progress(Option<ProgressBar>);

impl Progress {
    fn begin(rows: u64) -> Self {
        Self(std::io::stderr().is_terminal().then(|| ProgressBar::new(rows)))
    }
}

impl Onlooker for Progress {
    fn advanced(&self, rows: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(rows);
        }
    }

    fn goes_on(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Erases a user.
pub(crate) fn erase(
    settings: &Settings,
    arguments: &TicketArguments,
    is_confirmed: bool,
) -> anyhow::Result<ExitCode> {
    let org = organization(&arguments.target.org)?;
    let ticket = ticket(arguments)?;
    let house = open(settings)?;
    let preview = house.preview_erase().preview(&org, &ticket.user)?;
    if !is_confirmed {
        confirm(&ticket.user, preview.counts.total())?;
    }
    let answer = house.erase_user().erase(&org, &ticket, &Progress::begin(preview.counts.total()))?;
    match answer {
        EraseAnswer::Complete(report) if arguments.target.json => print_json(&EraseResponse::from(&report))?,
        EraseAnswer::Complete(report) => {
            println!("Erased. {} row(s) deleted, checked and audited.", report.deleted.total());
            println!("purge {}", report.view.purge_id.as_str());
            println!("{} agent playbook(s) lost a source and stay as they are.", report.unlinked.len());
        }
        EraseAnswer::Running(view) if arguments.target.json => print_json(&PurgeRecord::from(&view))?,
        EraseAnswer::Running(view) => {
            println!(
                "The erasure goes on elsewhere; see `touchstone purge-status {}`.",
                view.purge_id.as_str()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A person types the user's id before anything is erased.
fn confirm(user: &UserId, rows: u64) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        bail!("erasing needs a person's word: type it at a terminal, or say --yes");
    }
    eprint!("This deletes {rows} row(s) for good. Type the user's id to go on: ");
    std::io::stderr().flush()?;
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    if typed.trim() == user.as_str() {
        Ok(())
    } else {
        bail!("that is not the user's id; nothing was erased")
    }
}

/// Shows how an erasure stands.
pub(crate) fn status(settings: &Settings, target: &Target, purge_id: &str) -> anyhow::Result<ExitCode> {
    let org = organization(&target.org)?;
    let record = PurgeRecord::from(&open(settings)?.show_purge().show(&org, purge_id)?);
    if target.json {
        print_json(&record)?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}  {}", record.purge_id, record.status);
    println!("opened {}, changed {}", moment(record.created_at), moment(record.updated_at));
    if let Some(at) = record.completed_at {
        println!("complete {}", moment(at));
    }
    if let (Some(code), Some(detail)) = (&record.error_code, &record.error_detail) {
        println!("failed: {code}: {detail}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Rewrites the database's files so that no erased byte is left in them.
pub(crate) fn maintain(settings: &Settings) -> anyhow::Result<ExitCode> {
    open(settings)?.database.maintain()?;
    println!(
        "Maintained: no erased byte is left in the database's own files. Backups are outside its reach."
    );
    Ok(ExitCode::SUCCESS)
}
