//! Experiments at the keyboard.

mod results;

use std::process::ExitCode;

use anyhow::Context as _;
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
            let start = open(settings)?.start_experiment();
            (target, start.start(&organization(&target.org)?, &experiment(id)?, holdout)?)
        }
        ExperimentCommand::Stop { target, id } => {
            let stop = open(settings)?.stop_experiment();
            (target, stop.stop(&organization(&target.org)?, &experiment(id)?)?)
        }
        ExperimentCommand::List { target } => {
            (target, open(settings)?.list_experiments().list(&organization(&target.org)?)?)
        }
        ExperimentCommand::Results { target, id } => {
            let read = open(settings)?.read_results();
            results::show(target, &read.read(&organization(&target.org)?, &experiment(id)?)?)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    show(target, &listed)?;
    Ok(ExitCode::SUCCESS)
}

fn experiment(text: &str) -> anyhow::Result<ExperimentId> {
    ExperimentId::new(text).with_context(|| format!("{text:?} cannot name an experiment"))
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
