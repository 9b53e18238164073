//! The command itself: fill, say where to sign in, and serve if asked to.

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::ExitCode;

use indicatif::ProgressBar;
use kernel::{CredentialKind, OrgId, Permissions};
use organization::{MintRequest, Minted};
use serde_json::json;

use super::fill::{Filled, ORGANIZATION, Outcome, fill};
use super::story::Size;
use super::timeline::DAYS;
use crate::arguments::DemoOptions;
use crate::batch;
use crate::serve;
use crate::settings::Settings;
use crate::wiring::House;

/// A sign-in link works for so many seconds: a week.
const LINK_SECONDS: i64 = 7 * 86_400;

/// Fills the organization `demo`, and serves it if asked to.
pub(crate) fn run(settings: &Settings, options: &DemoOptions) -> anyhow::Result<ExitCode> {
    let house = batch::open(settings)?;
    let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(u64::from(DAYS)));
    let heard = |_: u32| {
        if let Some(bar) = &bar {
            bar.inc(1);
        }
    };
    let size = if options.small { Size::SMALL } else { Size::FULL };
    let outcome = fill(&house.database, house.now(), size, &heard)?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    if !options.serve {
        tell(&house, options, &outcome)?;
        return Ok(ExitCode::SUCCESS);
    }
    announce(&outcome);
    serve::serve_with(settings, &options.server, |house, address| {
        println!("Sign in to the organization `{ORGANIZATION}` (for a week) at");
        println!("    {}", link(address, &sign_in(house)?));
        Ok(())
    })
}

/// Lets a person sign in who may also export and erase.
fn sign_in(house: &House) -> anyhow::Result<Minted> {
    let request = MintRequest {
        kind: CredentialKind::Dashboard,
        permissions: Permissions::governance(),
        lifetime_seconds: Some(LINK_SECONDS),
    };
    Ok(house.mint_credential().mint(&OrgId::new(ORGANIZATION)?, request)?)
}

fn link(address: SocketAddr, minted: &Minted) -> String {
    format!("http://{address}/#token={}", minted.token.reveal())
}

fn announce(outcome: &Outcome) {
    match outcome {
        Outcome::AlreadyThere => {
            println!("The organization `{ORGANIZATION}` holds the demo already; nothing was done.");
        }
        Outcome::Filled(filled) => {
            let Filled { users, sessions, verdicts, purge_id, .. } = filled;
            println!(
                "Filled the organization `{ORGANIZATION}`: {users} users, {sessions} sessions, {verdicts} verdicts."
            );
            println!("One user was forgotten: {purge_id}");
        }
    }
}

fn tell(house: &House, options: &DemoOptions, outcome: &Outcome) -> anyhow::Result<()> {
    let minted = match outcome {
        Outcome::Filled(_) => Some(sign_in(house)?),
        Outcome::AlreadyThere => None,
    };
    let link = minted.as_ref().map(|minted| link(options.server.addresses.listen, minted));
    if options.json {
        let holds = match outcome {
            Outcome::Filled(filled) => Some(filled),
            Outcome::AlreadyThere => None,
        };
        return batch::print_json(&json!({
            "organization": ORGANIZATION,
            "filled": holds,
            "token": minted.as_ref().map(|minted| minted.token.reveal()),
            "credential_id": minted.as_ref().map(|minted| minted.credential.id.as_str()),
            "sign_in": link,
        }));
    }
    announce(outcome);
    match link {
        Some(link) => println!("After `touchstone serve`, sign in (for a week) at\n    {link}"),
        None => println!(
            "To sign in: `touchstone demo --serve`, or `touchstone credential create --org {ORGANIZATION} --kind \
             dashboard --governance`."
        ),
    }
    Ok(())
}
