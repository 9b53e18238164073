//! Measures ratios in one run and writes them to `docs/benchmarks.md`: `bench [SECTION…]`, all sections when none is named.
//!
//! A machine's absolute figures say little; what a layer costs beside the same work without it says much. So every section
//! measures both in turns, several times, and tells the median. A section is a file of its own with one [`Section`].

mod activity;
mod commits;
mod erase;
mod evaluated;
mod figures;
mod idle;
mod load;
mod overview;
mod page;
mod publish;
mod queue;
mod raw;
mod reads;
mod report;
mod results;
mod scale;
mod search;
mod server;

use std::path::PathBuf;

use anyhow::bail;
use storage::testing::TestDatabase;

/// One thing that is measured.
pub(crate) struct Section {
    /// What it is called on the command line.
    name: &'static str,
    /// What it is called in the document.
    title: &'static str,
    /// Measures, and tells what was found as Markdown.
    measure: fn() -> anyhow::Result<String>,
}

const SECTIONS: [Section; 10] = [
    reads::SECTION,
    commits::SECTION,
    publish::SECTION,
    search::SECTION,
    overview::SECTION,
    page::SECTION,
    results::SECTION,
    erase::SECTION,
    queue::SECTION,
    idle::SECTION,
];

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, url, token] = arguments.as_slice()
        && command == reads::SERVE
    {
        return reads::serve(url, token);
    }
    if let [command, url] = arguments.as_slice()
        && command == server::SERVE
    {
        return server::serve(url);
    }
    for name in &arguments {
        if !SECTIONS.iter().any(|section| section.name == name) {
            let known: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
            bail!("there is no section {name:?}; there are {}", known.join(", "));
        }
    }
    for section in &SECTIONS {
        if arguments.is_empty() || arguments.iter().any(|name| name == section.name) {
            eprintln!("measuring: {}", section.title);
            report::write(section, &(section.measure)()?)?;
        }
    }
    Ok(())
}

/// A new database of each kind, both on a disk: in memory a commit would cost nothing.
pub(crate) fn databases() -> anyhow::Result<Vec<(&'static str, TestDatabase)>> {
    let disk = PathBuf::from("/var/tmp");
    let Some(postgres) = TestDatabase::postgres() else {
        bail!("the bench needs a PostgreSQL on a disk: run `make bench`");
    };
    let mut databases = vec![("SQLite", TestDatabase::sqlite_in(&disk)), ("PostgreSQL", postgres)];
    // One alone is enough to try something out.
    if let Ok(only) = std::env::var("TOUCHSTONE_BENCH_DATABASE") {
        databases.retain(|(name, _)| *name == only);
    }
    Ok(databases)
}
