//! The results of an experiment as a table that a person can read.

use std::fmt::Write as _;

use experiments::{ArmMetrics, Results};
use wire::experiments::RetrievalExperimentResultsResponse;

use crate::arguments::Target;
use crate::batch::{moment, print_json};

/// Stands where nothing was measured, so that it never looks like 0.
const NOT_MEASURED: &str = "not measured";

/// Prints the results, for a person or for a program.
pub(super) fn show(target: &Target, results: &Results) -> anyhow::Result<()> {
    if target.json {
        return print_json(&RetrievalExperimentResultsResponse::from(results));
    }
    print!("{}", table(results));
    Ok(())
}

/// The whole page: the experiment, its arms, the lift, what speaks against it, and what it means.
fn table(results: &Results) -> String {
    let experiment = &results.experiment;
    let ended = experiment
        .ended_at
        .map_or_else(|| "still active".to_owned(), |at| format!("ended {}", moment(at.seconds())));
    let mut page = format!(
        "Experiment {}: {} % held out, started {}, {ended}\n\n{:<34}{:>14}{:>14}\n",
        experiment.id,
        experiment.holdout.percent(),
        moment(experiment.started_at.seconds()),
        "",
        "treatment",
        "holdout"
    );
    for (name, figure) in ROWS {
        let [treatment, holdout] = [figure(&results.arms.treatment), figure(&results.arms.holdout)];
        let _ = writeln!(page, "{name:<34}{treatment:>14}{holdout:>14}");
    }
    let _ = write!(page, "\n{}{}\n{}\n", lift(results), health(results), results.sentence());
    page
}

/// A row of the table: its name, and the figure of an arm as text.
type Row = (&'static str, fn(&ArmMetrics) -> String);

const ROWS: [Row; 10] = [
    ("Assigned users", |arm| arm.assigned_users.to_string()),
    ("Published sessions", |arm| arm.published_sessions.to_string()),
    ("Evaluated users", |arm| arm.evaluated_users.to_string()),
    ("Evaluated sessions", |arm| arm.evaluated_sessions.to_string()),
    ("Success rate", |arm| percent(arm.success_rate)),
    ("Corrections per session", |arm| number(arm.average_corrections)),
    ("Turns to resolution", |arm| number(arm.average_turns_to_resolution)),
    ("Escalation rate", |arm| percent(arm.escalation_rate)),
    ("Output tokens per session", |arm| number(arm.average_output_tokens)),
    ("Sessions with all tokens counted", |arm| arm.output_token_sessions.to_string()),
];

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| NOT_MEASURED.to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn number(average: Option<f64>) -> String {
    average.map_or_else(|| NOT_MEASURED.to_owned(), |average| format!("{average:.2}"))
}

fn lift(results: &Results) -> String {
    let mut lines = String::new();
    let lift = results.lift.map_or_else(
        || NOT_MEASURED.to_owned(),
        |lift| {
            let relative =
                results.relative_lift.map(|share| format!(", {:+.1} % of the holdout's rate", 100.0 * share));
            format!("{lift:+.1} percentage points{}", relative.unwrap_or_default())
        },
    );
    let interval = results.interval.map_or_else(
        || NOT_MEASURED.to_owned(),
        |interval| format!("{:+.1} to {:+.1} percentage points", interval.low, interval.high),
    );
    let _ = writeln!(lines, "{:<34}{lift}\n{:<34}{interval}", "Lift", "95 % interval");
    let _ = writeln!(
        lines,
        "{:<34}{} of evaluated sessions carry the experiment's tag, {} do not",
        "Coverage",
        percent(results.coverage),
        results.unattributed_sessions
    );
    lines
}

fn health(results: &Results) -> String {
    let mut lines = String::new();
    for finding in &results.health {
        let severity = finding.code.severity().as_str();
        let _ =
            writeln!(lines, "{:<34}{}", format!("{severity}: {}", finding.code.as_str()), finding.message);
    }
    lines
}

#[cfg(test)]
mod tests {
    use experiments::{ArmSums, ClusterSums, Experiment, HoldoutPercentage, PerArm, ResultSums};
    use kernel::{ExperimentId, Timestamp};

    use super::*;

    fn page(treatment: &[(u32, u32)], holdout: &[(u32, u32)]) -> String {
        let arm = |users: &[(u32, u32)]| ArmSums {
            outcomes: users.iter().copied().collect::<ClusterSums>(),
            ..ArmSums::default()
        };
        let arms = PerArm { treatment: arm(treatment), holdout: arm(holdout) };
        let evaluated_sessions = arms.treatment.outcomes.sessions + arms.holdout.outcomes.sessions;
        let sums = ResultSums { arms, evaluated_sessions, ..ResultSums::default() };
        let id = ExperimentId::new("spring").unwrap();
        let holdout = HoldoutPercentage::new(10.0).unwrap();
        table(&Results::from_sums(Experiment::started(id, holdout, Timestamp::from_seconds(0)), &sums))
    }

    #[test]
    fn the_page_shows_both_arms_the_lift_and_what_it_means() {
        let page = page(&[(10, 9); 50], &[(10, 2); 50]);

        assert!(page.starts_with(
            "Experiment spring: 10 % held out, started 1970-01-01 00:00:00 UTC, still active\n"
        ));
        assert!(page.contains(&format!("{:<34}{:>14}{:>14}", "Success rate", "90.0 %", "20.0 %")), "{page}");
        assert!(page.contains("+70.0 percentage points, +350.0 % of the holdout's rate"), "{page}");
        assert!(page.contains("Clear lift: retrieval raises the success rate by +70.0"), "{page}");
    }

    #[test]
    fn what_was_not_measured_never_looks_like_zero() {
        let page = page(&[], &[]);

        assert!(
            page.contains(&format!("{:<34}{:>14}{:>14}", "Success rate", NOT_MEASURED, NOT_MEASURED)),
            "{page}"
        );
        assert!(!page.contains("0.0 %"), "{page}");
        assert!(page.contains("Not enough evidence"), "{page}");
    }

    #[test]
    fn what_speaks_against_the_figures_is_named() {
        let page = page(&[(10, 9); 5], &[(10, 2); 5]);

        assert!(page.contains("warning: few_holdout_users"), "{page}");
    }
}
