//! Exporting a user into a file.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use governance::ReceiverGone;
use serde_json::json;
use wire::governance::{ExportText, Receiver};

use super::super::{open, organization, print_json};
use super::ticket;
use crate::arguments::TicketArguments;
use crate::draft::Draft;
use crate::settings::{Settings, SettingsError};

/// Exports a user into a file that only its owner may read, and that appears only when it is whole.
pub(crate) fn export(
    settings: &Settings,
    arguments: &TicketArguments,
    out: &Path,
) -> anyhow::Result<ExitCode> {
    let org = organization(&arguments.target.org)?;
    let ticket = ticket(arguments)?;
    let (folder, file) = place(out)?;
    let house = open(settings)?;
    let told = || format!("cannot write {}", file.display());
    let mut desk = Desk { draft: Draft::within(&folder).with_context(told)?, failure: None };
    let exported = house.export_user().export(&org, &ticket, &mut ExportText::new(&mut desk));
    if let Some(failure) = desk.failure {
        return Err(failure).with_context(told);
    }
    let counts = exported?;
    desk.draft.keep_as(&file).with_context(told)?;
    if arguments.target.json {
        print_json(&json!({ "file": file, "folder": folder, "rows": counts.total() }))?;
    } else {
        println!("{} row(s) written to {}.", counts.total(), file.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder and the file that are meant; what is there and is no plain file stays as it is.
fn place(out: &Path) -> Result<(PathBuf, PathBuf), SettingsError> {
    let refused = || SettingsError::new("--out", "must name a plain file, or one that is not there yet");
    let file = out.with_file_name(out.file_name().ok_or_else(refused)?);
    if file.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        return Err(refused());
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((folder.to_owned(), file))
}

/// Takes an export down, and remembers why it could not.
struct Desk {
    draft: Draft,
    failure: Option<io::Error>,
}

impl Desk {
    fn heard(&mut self, outcome: io::Result<()>) -> Result<(), ReceiverGone> {
        outcome.map_err(|failure| {
            self.failure = Some(failure);
            ReceiverGone
        })
    }
}

impl Receiver for Desk {
    fn take(&mut self, piece: &str) -> Result<(), ReceiverGone> {
        let written = self.draft.write(piece);
        self.heard(written)
    }

    fn settle(&mut self) -> Result<(), ReceiverGone> {
        let settled = self.draft.settle();
        self.heard(settled)
    }
}
