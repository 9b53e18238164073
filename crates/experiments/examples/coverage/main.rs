//! Measures how often the headline interval covers the truth, and writes `docs/coverage.md`.
//!
//! `cargo run --release -p touchstone-experiments --example coverage -- [OUT] [RUNS]`

mod population;
mod random;
mod table;

use std::error::Error;

use touchstone_experiments::interval::{cluster_robust, lift_interval};
use touchstone_experiments::plan::{BaselineRate, ExpectedUsers};
use touchstone_experiments::{ClusterSums, HoldoutPercentage, Interval, Plan, PlanRequest};

use population::{Population, SessionCounts};
use random::Random;

/// Treatment and holdout users of the grid.
const SIZES: [(u32, u32); 6] = [(18, 2), (45, 5), (90, 10), (180, 20), (450, 50), (900, 100)];
const RATES: [f64; 3] = [0.5, 0.7, 0.95];
const CORRELATIONS: [f64; 3] = [0.05, 0.2, 0.4];
const SESSIONS: [SessionCounts; 2] = [SessionCounts::Geometric, SessionCounts::LogNormal];
const SEED: u64 = 20_250_101;
const RUNS: u32 = 10_000;

/// How one cell came out.
pub(crate) struct Cell {
    pub(crate) users: (u32, u32),
    /// The holdout's users.
    pub(crate) population: Population,
    /// How much more often the treatment's users succeed, 0–1.
    pub(crate) lift: f64,
    pub(crate) runs: u32,
    /// Runs whose interval holds the true lift.
    pub(crate) covered: u32,
    /// Runs whose interval lies above the true lift.
    pub(crate) above: u32,
    /// Runs whose interval lies below the true lift.
    pub(crate) below: u32,
    /// Runs whose interval lies above 0: a clear lift.
    pub(crate) clear: u32,
    /// Runs in which no holdout session failed.
    pub(crate) flawless_holdout: u32,
    /// Runs whose textbook interval holds the true lift.
    pub(crate) textbook_covered: u32,
    /// Sum of the widths, in percentage points.
    pub(crate) width: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "docs/coverage.md".to_owned());
    let runs = arguments.next().map_or(Ok(RUNS), |text| text.parse())?;
    let measured = |(cell, seed): (Cell, u64)| cell.measured(seed, runs);
    let cells: Vec<Cell> = grid().zip(SEED..).map(measured).collect();
    let planned: Vec<Cell> = planned()?.into_iter().zip(SEED + 1000..).map(measured).collect();
    std::fs::write(out, table::document(&cells, &planned, SEED, runs)?)?;
    Ok(())
}

/// The grid: both arms are drawn from one population, so the true lift is 0.
fn grid() -> impl Iterator<Item = Cell> {
    SESSIONS.into_iter().flat_map(|sessions| {
        SIZES.into_iter().flat_map(move |users| {
            RATES.into_iter().flat_map(move |rate| {
                CORRELATIONS
                    .into_iter()
                    .map(move |correlation| Cell::new(users, Population { rate, correlation, sessions }, 0.0))
            })
        })
    })
}

/// Beyond the grid: experiments whose true lift is what the planner calls detectable.
fn planned() -> Result<Vec<Cell>, Box<dyn Error>> {
    let mut cells = vec![];
    for users in SIZES.into_iter().skip(2) {
        for rate in RATES.into_iter().take(2) {
            for sessions in SESSIONS {
                let population = Population { rate, correlation: 0.2, sessions };
                if let Some(lift) = detectable_lift(users, population)? {
                    cells.push(Cell::new(users, population, lift));
                }
            }
        }
    }
    Ok(cells)
}

/// What the planner answers an organization that has seen many such users.
fn detectable_lift(
    (treated, held_out): (u32, u32),
    population: Population,
) -> Result<Option<f64>, Box<dyn Error>> {
    let users = treated + held_out;
    let request = PlanRequest {
        holdout: HoldoutPercentage::new(100.0 * f64::from(held_out) / f64::from(users))?,
        expected_users: Some(ExpectedUsers::new(u64::from(users))?),
        expected_sessions_per_user: None,
        baseline_rate: Some(BaselineRate::new(population.rate)?),
        minimum_lift: None,
    };
    let history = population.arm(20_000, &mut Random::seeded(SEED));
    Ok(Plan::from_history(&request, &history).detectable_lift.map(|lift| lift / 100.0))
}

impl Cell {
    const fn new(users: (u32, u32), population: Population, lift: f64) -> Self {
        Self {
            users,
            population,
            lift,
            runs: 0,
            covered: 0,
            above: 0,
            below: 0,
            clear: 0,
            flawless_holdout: 0,
            textbook_covered: 0,
            width: 0.0,
        }
    }

    fn measured(mut self, seed: u64, runs: u32) -> Self {
        let mut random = Random::seeded(seed);
        let treated = Population { rate: self.population.rate + self.lift, ..self.population };
        for _ in 0..runs {
            let treatment = treated.arm(self.users.0, &mut random);
            let holdout = self.population.arm(self.users.1, &mut random);
            self.count(&treatment, &holdout);
        }
        self
    }

    fn count(&mut self, treatment: &ClusterSums, holdout: &ClusterSums) {
        self.runs += 1;
        let Some(interval) = lift_interval(treatment, holdout) else { return };
        let truth = 100.0 * self.lift;
        let holds = |interval: Interval| interval.low <= truth && truth <= interval.high;
        self.covered += u32::from(holds(interval));
        self.above += u32::from(interval.low > truth);
        self.below += u32::from(interval.high < truth);
        self.clear += u32::from(interval.low > 0.0);
        let textbook = cluster_robust(treatment, holdout);
        self.textbook_covered += u32::from(textbook.is_some_and(|textbook| holds(textbook.interval)));
        self.flawless_holdout += u32::from(holdout.successes == holdout.sessions);
        self.width += interval.high - interval.low;
    }
}
