//! The overview in the terminal.

use std::process::ExitCode;

use evaluation::{Bucket, OverviewQuery, Part, SourceSets};
use kernel::{Timestamp, Window};
use wire::evaluation::overview_answer::GetEvaluationOverviewResponse;
use wire::time::Moment;

use super::{moment, open, organization, print_json};
use crate::arguments::Target;
use crate::settings::{Settings, SettingsError};

/// The steps of a trend line, from low to high.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Shows how well the agent does.
pub(crate) fn show(settings: &Settings, target: &Target, from: &str, to: &str) -> anyhow::Result<ExitCode> {
    let org = organization(&target.org)?;
    let window = Window::new(time("--from", from)?, time("--to", to)?)
        .map_err(|error| SettingsError::new("--to", error.to_string()))?;
    let query = OverviewQuery {
        window,
        agent_version: None,
        bucket: Bucket::Day,
        shadow: Part::Included,
        sessions: Part::LeftOut,
        source_sets: SourceSets::default(),
    };
    let overview = open(settings)?.read_overview().read(&org, &query)?;
    let answer = GetEvaluationOverviewResponse::from(&overview);
    if target.json {
        print_json(&answer)?;
    } else {
        tell(&answer, window);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a time as a person types it.
pub(crate) fn time(flag: &str, text: &str) -> Result<Timestamp, SettingsError> {
    Moment::Text(text.to_owned()).parse().map_err(|error| SettingsError::new(flag, error.to_string()))
}

fn tell(answer: &GetEvaluationOverviewResponse, window: Window) {
    println!("{} to {}", moment(window.start().seconds()), moment(window.end().seconds()));
    let sessions: u64 = answer.hero.buckets.iter().map(|bucket| bucket.regular_n).sum();
    match answer.hero.ci95 {
        None => println!("No session was evaluated in this window."),
        Some([low, high]) => {
            let rate = answer.hero.regular_success_rate_pp;
            println!("success      {rate:.1} %  (95 % interval {low:.1} to {high:.1}, {sessions} sessions)");
        }
    }
    let tiles = &answer.context_tiles;
    let baseline = tiles.baseline_sessions;
    println!(
        "last 7 days  {:.1} %, {:+.1} points against the 7 days before ({baseline} sessions)",
        tiles.success.current, tiles.success.delta_pp
    );
    println!("corrections  {:.2} per session, {:+.2}", tiles.corrections.current, tiles.corrections.delta);
    println!("escalation   {:.1} %, {:+.1} points", tiles.escalation.current, tiles.escalation.delta_pp);
    let total = &answer.shadow_win_rate_trend.window_total;
    if total.n > 0 {
        println!("shadow       {} wins, {} ties, {} losses", total.wins, total.ties, total.losses);
    }
    let rates: Vec<f64> = answer.hero.buckets.iter().map(|bucket| bucket.regular_rate).collect();
    if !rates.is_empty() {
        println!("by day       {}", trend_line(&rates));
    }
}

/// A small line of blocks, one for each rate from 0 to 1.
fn trend_line(rates: &[f64]) -> String {
    rates
        .iter()
        .map(|rate| {
            let reached =
                [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875].iter().filter(|step| rate > step).count();
            STEPS.get(reached).copied().unwrap_or('█')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_line_rises_with_the_rate() {
        assert_eq!(trend_line(&[0.0, 0.5, 1.0]), "▁▄█");
    }

    #[test]
    fn a_time_is_read_as_seconds_or_rfc_3339() {
        assert_eq!(time("--from", "1700000000").unwrap().seconds(), 1_700_000_000);
        assert_eq!(time("--from", "2023-11-14T22:13:20Z").unwrap().seconds(), 1_700_000_000);
        assert!(time("--from", "yesterday").is_err());
    }
}
