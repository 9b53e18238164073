//! `docs/benchmarks.md`: one part per section; a run replaces the parts it measured and keeps the others.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::Section;

const HEAD: &str = "# Benchmarks\n\nWritten by `make bench`. Every section measures the house beside the same work without it, in turns \
     and in one run on one machine, and tells the median of the rounds: the ratios travel to another machine, the absolute figures do \
     not.\n";

/// Writes what a section found into its part of the document.
pub(crate) fn write(section: &Section, found: &str) -> anyhow::Result<()> {
    let path = path();
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let part = format!("{}\n## {}\n\n{}\n\n{found}\n", begins(section), section.title, machine());
    let document = replaced(&kept, section, &part);
    fs::write(&path, document).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{part}");
    Ok(())
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md")
}

fn begins(section: &Section) -> String {
    format!("<!-- section: {} -->", section.name)
}

/// The document with the section's part replaced, or added at its end.
fn replaced(kept: &str, section: &Section, part: &str) -> String {
    let mark = begins(section);
    let mut parts: Vec<String> = kept
        .split("<!-- section: ")
        .skip(1)
        .map(|old| format!("<!-- section: {}\n", old.trim_end()))
        .collect();
    match parts.iter_mut().find(|old| old.starts_with(&mark)) {
        Some(old) => part.clone_into(old),
        None => parts.push(part.to_owned()),
    }
    format!("{HEAD}\n{}", parts.join("\n"))
}

/// What was measured on, without naming the machine.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown").to_owned();
    format!("Measured on {cores} cores, load average {load} at the end of the run.")
}
