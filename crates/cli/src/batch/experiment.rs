//! Experiments at the keyboard.

mod results;

use std::process::ExitCode;

use experiments::{ExperimentList, HoldoutPercentage};
use kernel::ExperimentId;
use wire::experiments::RetrievalExperimentListResponse;

use super::{moment, open, organization, print_json};
use crate::arguments::{ExperimentCommand, Target};
use crate::settings::{Settings, SettingsError};

/// Starts, stops or lists experiments, or prints the results of one.
pub(crate) fn run(settings: &Settings, command: &ExperimentCommand) -> anyhow::Result<ExitCode> {
    let (target, listed) = match command {
        ExperimentCommand::Start { target, id, holdout_percentage } => {
            let holdout = HoldoutPercentage::new(*holdout_percentage)
                .map_err(|error| SettingsError::new("--holdout-percentage", error.to_string()))?;
            let (org, id) = (organization(&target.org)?, experiment(id)?);
            (target, open(settings)?.start_experiment().start(&org, &id, holdout)?)
        }
        ExperimentCommand::Stop { target, id } => {
            let (org, id) = (organization(&target.org)?, experiment(id)?);
            (target, open(settings)?.stop_experiment().stop(&org, &id)?)
        }
        ExperimentCommand::List { target } => {
            let org = organization(&target.org)?;
            (target, open(settings)?.list_experiments().list(&org)?)
        }
        ExperimentCommand::Results { target, id } => {
            let (org, id) = (organization(&target.org)?, experiment(id)?);
            results::show(target, &open(settings)?.read_results().read(&org, &id)?)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    show(target, &listed)?;
    Ok(ExitCode::SUCCESS)
}

fn experiment(text: &str) -> Result<ExperimentId, SettingsError> {
    ExperimentId::new(text).map_err(|error| SettingsError::new("the experiment's id", error.to_string()))
}

fn show(target: &Target, listed: &ExperimentList) -> anyhow::Result<()> {
    if target.json {
        return print_json(&RetrievalExperimentListResponse::from(listed));
    }
    if listed.0.is_empty() {
        println!(
            "No experiments yet; start one with `touchstone experiment start ID --holdout-percentage 10`."
        );
    }
    for one in &listed.0 {
        let state =
            one.ended_at.map_or_else(|| "active".to_owned(), |at| format!("ended {}", moment(at.seconds())));
        println!(
            "{}  {} % held out  started {}  {state}",
            one.id,
            one.holdout.percent(),
            moment(one.started_at.seconds())
        );
    }
    Ok(())
}
