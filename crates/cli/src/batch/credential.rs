//! Credentials at the keyboard.

use std::process::ExitCode;

use anyhow::Context as _;
use kernel::{CredentialKind, Permissions};
use organization::{CredentialId, MintRequest};
use serde_json::json;
use wire::credential::CredentialRecord;

use super::{moment, open, organization, print_json};
use crate::arguments::{CredentialCommand, Kind, Target};
use crate::settings::Settings;

/// Makes, lists or revokes credentials.
pub(crate) fn run(settings: &Settings, command: &CredentialCommand) -> anyhow::Result<ExitCode> {
    match command {
        CredentialCommand::Create { target, kind, governance, expires_in } => {
            let request = MintRequest {
                kind: match kind {
                    Kind::Production => CredentialKind::Production,
                    Kind::Dashboard => CredentialKind::Dashboard,
                },
                permissions: if *governance { Permissions::governance() } else { Permissions::none() },
                lifetime_seconds: *expires_in,
            };
            create(settings, target, request)
        }
        CredentialCommand::List { target } => list(settings, target),
        CredentialCommand::Revoke { target, id } => revoke(settings, target, id),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn create(settings: &Settings, target: &Target, request: MintRequest) -> anyhow::Result<()> {
    let org = organization(&target.org)?;
    let minted = open(settings)?.mint_credential().mint(&org, request)?;
    let (token, id) = (minted.token.reveal(), minted.credential.id.as_str());
    if target.json {
        return print_json(&json!({ "token": token, "credential_id": id }));
    }
    println!("{token}");
    eprintln!("Credential {id} of {org}. The token is shown this once: keep it now.");
    Ok(())
}

fn list(settings: &Settings, target: &Target) -> anyhow::Result<()> {
    let org = organization(&target.org)?;
    let listed = open(settings)?.list_credentials().list(&org)?;
    let records: Vec<CredentialRecord> = listed.iter().map(Into::into).collect();
    if target.json {
        return print_json(&json!({ "credentials": records }));
    }
    if records.is_empty() {
        println!("{org} has no credentials; make one with `touchstone credential create`.");
    }
    for record in records {
        let ends = match (record.revoked_at, record.expires_at) {
            (Some(at), _) => format!("revoked {}", moment(at)),
            (None, Some(at)) => format!("expires {}", moment(at)),
            (None, None) => "does not expire".to_owned(),
        };
        let used =
            record.last_used_at.map_or_else(|| "never used".to_owned(), |at| format!("used {}", moment(at)));
        let permissions = record.permissions.join(",");
        println!("{}  {:<10}  {:<10}  {ends}, {used}", record.credential_id, record.kind, permissions);
    }
    Ok(())
}

fn revoke(settings: &Settings, target: &Target, id: &str) -> anyhow::Result<()> {
    let org = organization(&target.org)?;
    let revoke = open(settings)?.revoke_credential();
    revoke.revoke(&org, &CredentialId::named(id)).with_context(|| format!("cannot revoke {id} of {org}"))?;
    if target.json {
        return print_json(&json!({ "revoked": id }));
    }
    println!("Revoked {id}; a server feels it within a second.");
    Ok(())
}
