//! The table of what was seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const BEGIN: &str = "<!-- faults: written by make faults -->\n";
const END: &str = "<!-- end of faults -->\n";

/// What one fault did on one database.
pub(crate) struct Row {
    /// What was broken.
    pub(crate) fault: &'static str,
    /// Where.
    pub(crate) database: &'static str,
    /// What callers saw.
    pub(crate) seen: String,
    /// How many writes were told to be kept.
    pub(crate) acknowledged: usize,
    /// How many of them are not there.
    pub(crate) lost: usize,
    /// How it came back.
    pub(crate) recovery: String,
}

/// Outcomes with how often each was told, most frequent first.
pub(crate) fn tally(seen: &BTreeMap<String, usize>) -> String {
    let mut seen: Vec<_> = seen.iter().collect();
    seen.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
    seen.iter().map(|(what, times)| format!("{what} ({times})")).collect::<Vec<_>>().join(", ")
}

/// The table as Markdown.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut text = "| fault | database | what callers saw | acknowledged | lost | recovery |\n|---|---|---|--:|--:|---|\n".to_owned();
    for row in rows {
        let cells = [
            row.fault,
            row.database,
            &row.seen,
            &row.acknowledged.to_string(),
            &row.lost.to_string(),
            &row.recovery,
        ];
        writeln!(text, "| {} |", cells.join(" | ")).unwrap();
    }
    text
}

/// Replaces the table in the document.
pub(crate) fn write(rows: &[Row]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/RELIABILITY.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = document.split_once(BEGIN).unwrap();
    let (_, tail) = rest.split_once(END).unwrap();
    std::fs::write(&path, format!("{head}{BEGIN}\n{}\n{END}{tail}", text(rows))).unwrap();
}
