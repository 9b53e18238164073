//! What a soak has shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::callers::{Caller, Tally};
use crate::memory::Sample;

const BEGIN: &str = "<!-- soak: written by make soak -->\n";
const END: &str = "<!-- end of soak -->\n";

/// One database's soak.
pub(crate) struct Soaked {
    pub(crate) database: &'static str,
    pub(crate) elapsed: Duration,
    pub(crate) memory: Vec<Sample>,
    pub(crate) tallies: BTreeMap<Caller, Tally>,
    pub(crate) judged: usize,
    pub(crate) violations: Vec<String>,
}

/// The report as Markdown.
pub(crate) fn text(soaked: &[Soaked]) -> String {
    let mut text = String::new();
    for one in soaked {
        let seconds = one.elapsed.as_secs_f64();
        writeln!(text, "### {}, {:.0} s\n", one.database, seconds).unwrap();
        text.push_str(
            "| callers | calls | per second | p50 ms | p99 ms | p99.9 ms | told other than 200 |\n",
        );
        text.push_str("|---|--:|--:|--:|--:|--:|---|\n");
        for (caller, tally) in &one.tallies {
            let latency = &tally.latency;
            let per_second = f64::from(u32::try_from(latency.calls()).unwrap_or(u32::MAX)) / seconds;
            let others: Vec<_> =
                tally.others.iter().map(|(outcome, times)| format!("{outcome} ({times})")).collect();
            writeln!(
                text,
                "| {} | {} | {per_second:.1} | {:.1} | {:.1} | {:.1} | {} |",
                caller.does(),
                latency.calls(),
                latency.per_mille(500),
                latency.per_mille(990),
                latency.per_mille(999),
                others.join(", ")
            )
            .unwrap();
        }
        writeln!(
            text,
            "\nThe judge was asked {} times. Memory of the server, second: megabytes — {}.",
            one.judged,
            memory(&one.memory)
        )
        .unwrap();
        let violations = if one.violations.is_empty() {
            "Invariants: all hold.".to_owned()
        } else {
            format!("Invariants **violated**: {}.", one.violations.join("; "))
        };
        writeln!(text, "{violations}\n").unwrap();
    }
    text
}

fn memory(samples: &[Sample]) -> String {
    samples.iter().map(|sample| format!("{}: {}", sample.at, sample.megabytes)).collect::<Vec<_>>().join(", ")
}

/// Replaces the report in the document.
pub(crate) fn write(soaked: &[Soaked]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/RELIABILITY.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = document.split_once(BEGIN).unwrap();
    let (_, tail) = rest.split_once(END).unwrap();
    std::fs::write(&path, format!("{head}{BEGIN}\n{}{END}{tail}", text(soaked))).unwrap();
}
