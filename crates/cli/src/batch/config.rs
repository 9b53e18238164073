//! The settings in force.

use std::process::ExitCode;

use serde_json::json;

use super::print_json;
use crate::arguments::ConfigCommand;
use crate::settings::Settings;

/// Prints what is in force, with secrets masked.
pub(crate) fn run(database_url: Option<&str>, command: &ConfigCommand) -> anyhow::Result<ExitCode> {
    let ConfigCommand::Check { json } = command;
    let settings = Settings::read(database_url)?;
    let secrets = match settings.ref_secrets.len() {
        0 => "none set; one is made and kept on a loopback address".to_owned(),
        count => format!("{count} set, masked"),
    };
    let limit = settings.rate_limit_per_second.map_or_else(|| "off".to_owned(), |limit| limit.to_string());
    let rows = [
        ("database_url", settings.database.masked()),
        ("database_pool_size", settings.pool_size.to_string()),
        ("rate_limit_per_second", limit),
        ("ref_secrets", secrets),
        (
            "judge_base_url",
            settings.judge.base_url.clone().unwrap_or_else(|| "none set; the heuristic judges".to_owned()),
        ),
        ("judge_model", settings.judge.model.clone().unwrap_or_else(|| "none set".to_owned())),
        ("judge_api_key", settings.judge.api_key.as_ref().map_or("none set", |_| "set, masked").to_owned()),
        ("workers", settings.workers.to_string()),
    ];
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
