//! Bringing the schema up to this version.

use std::process::ExitCode;

use anyhow::Context as _;

use crate::settings::Settings;
use crate::wiring::House;

/// Runs the migrations that are missing.
pub(crate) fn migrate(settings: &Settings) -> anyhow::Result<ExitCode> {
    let house = House::open(settings)?;
    let told = || format!("cannot migrate the database {}", settings.database.masked());
    match house.database.migrate().with_context(told)? {
        0 => println!("The schema is current."),
        run => println!("{run} migration(s) run; the schema is current."),
    }
    Ok(ExitCode::SUCCESS)
}
