//! Looking for what would keep the service from working.

use std::process::ExitCode;

use storage::Schema;

use crate::settings::Settings;
use crate::wiring::House;

/// Checks settings, folder, database and schema, and says how to mend what is wrong.
pub(crate) fn examine(database_url: Option<&str>) -> anyhow::Result<ExitCode> {
    let settings = Settings::read(database_url)?;
    println!("ok    settings can be read");
    let house = House::open(&settings)?;
    println!("ok    folder and secrets can be used");
    let mut healthy = true;
    match house.database.ping() {
        Ok(()) => println!("ok    {} answers", settings.database.masked()),
        Err(error) => {
            healthy = false;
            println!(
                "wrong {}: {error}; start it, or set TOUCHSTONE_DATABASE_URL",
                settings.database.masked()
            );
        }
    }
    if healthy {
        match house.database.schema()? {
            Schema::Current => println!("ok    the schema is current"),
            Schema::Behind(missing) => {
                healthy = false;
                println!("wrong the schema lacks {missing} migration(s); run `touchstone migrate`");
            }
        }
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
