//! Commands that do their work and end: the same use cases, without HTTP.

pub(crate) mod config;
pub(crate) mod credential;
pub(crate) mod doctor;
pub(crate) mod experiment;
pub(crate) mod governance;
pub(crate) mod judging;
pub(crate) mod migrate;
pub(crate) mod overview;
pub(crate) mod papers;

use anyhow::Context as _;
use kernel::OrgId;
use serde::Serialize;

use crate::settings::{Settings, SettingsError};
use crate::wiring::House;

/// Opens the house on a current schema.
pub(crate) fn open(settings: &Settings) -> anyhow::Result<House> {
    let house = House::open(settings)?;
    house
        .database
        .migrate()
        .with_context(|| format!("cannot use the database {}", settings.database.masked()))?;
    house.agree_on_keys()?;
    Ok(house)
}

fn organization(text: &str) -> Result<OrgId, SettingsError> {
    OrgId::new(text).map_err(|error| SettingsError::new("--org", error.to_string()))
}

pub(crate) fn print_json(answer: &impl Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string_pretty(answer)?);
    Ok(())
}

/// A time as people read it.
fn moment(seconds: i64) -> String {
    chrono::DateTime::from_timestamp(seconds, 0)
        .map_or_else(|| seconds.to_string(), |time| time.format("%Y-%m-%d %H:%M:%S UTC").to_string())
}
