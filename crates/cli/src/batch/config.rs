//! The settings in force.

use std::process::ExitCode;

use serde_json::json;

use super::print_json;
use crate::arguments::{Addresses, ConfigCommand};
use crate::home::{Secrets, find_secrets};
use crate::settings::Settings;
use crate::telemetry;

/// Prints what is in force, with secrets masked; refuses what a server would refuse.
pub(crate) fn run(database_url: Option<&str>, command: &ConfigCommand) -> anyhow::Result<ExitCode> {
    let ConfigCommand::Check { addresses, json } = command;
    let settings = Settings::read(database_url)?;
    let secrets = find_secrets(&settings, addresses.listen.ip())?;
    let rows = in_force(&settings, addresses, &secrets);
    if *json {
        let document: serde_json::Map<_, _> =
            rows.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        print_json(&document)?;
    } else {
        for (name, value) in rows {
            println!("{name:<22} {value}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Every setting that a server reads, as it takes it.
fn in_force(settings: &Settings, addresses: &Addresses, secrets: &Secrets) -> [(&'static str, String); 13] {
    let or = |value: Option<String>, otherwise: &str| value.unwrap_or_else(|| otherwise.to_owned());
    let Addresses { listen, operations_listen } = addresses;
    let judge = &settings.judge;
    let log_format = if telemetry::is_text() { "text" } else { "JSON lines" };
    [
        ("database_url", settings.database.masked()),
        ("database_pool_size", settings.pool_size.to_string()),
        ("listen", listen.to_string()),
        ("operations_listen", or(operations_listen.map(|one| one.to_string()), "the main address")),
        ("ref_secrets", told(settings, secrets)),
        ("rate_limit_per_second", or(settings.rate_limit_per_second.map(|limit| limit.to_string()), "off")),
        ("secure_cookie", settings.is_cookie_secure_on(listen.ip()).to_string()),
        ("workers", settings.workers.to_string()),
        ("judge_base_url", or(judge.base_url.clone(), "none set; the heuristic judges")),
        ("judge_model", or(judge.model.clone(), "none set")),
        ("judge_api_key", judge.api_key.as_ref().map_or("none set", |_| "set, masked").to_owned()),
        ("log", telemetry::filter().to_string()),
        ("log_format", log_format.to_owned()),
    ]
}

fn told(settings: &Settings, secrets: &Secrets) -> String {
    match secrets {
        Secrets::Given(_) => format!("{} set, masked", settings.ref_secrets.len()),
        Secrets::Kept(_, path) => format!("none set; the one kept in {} is used", path.display()),
        Secrets::ToBeMade(path) => format!("none set; one will be made and kept in {}", path.display()),
    }
}
