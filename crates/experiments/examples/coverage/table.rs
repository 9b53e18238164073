//! The document that the simulation writes.

use std::fmt::{self, Write};

use crate::Cell;

/// The goal, for cells with at least five holdout users.
const GOAL: std::ops::RangeInclusive<f64> = 93.0..=98.0;
const FEWEST_HOLDOUT_USERS: u32 = 5;

/// The whole document: what was done, what came out, every cell.
pub(crate) fn document(cells: &[Cell], planned: &[Cell], seed: u64, runs: u32) -> Result<String, fmt::Error> {
    let mut out =
        include_str!("prose.md").replace("{seed}", &seed.to_string()).replace("{runs}", &runs.to_string());
    summary(&mut out, cells)?;
    outside(&mut out, cells)?;
    power(&mut out, planned)?;
    writeln!(out, "\n## Every cell\n")?;
    header(&mut out)?;
    for cell in cells {
        row(&mut out, cell)?;
    }
    Ok(out)
}

impl Cell {
    fn percent(&self, count: u32) -> f64 {
        100.0 * f64::from(count) / f64::from(self.runs)
    }

    fn counts(&self) -> bool {
        self.users.1 >= FEWEST_HOLDOUT_USERS
    }

    fn misses_goal(&self) -> bool {
        self.counts() && !GOAL.contains(&self.percent(self.covered))
    }
}

fn summary(out: &mut String, cells: &[Cell]) -> fmt::Result {
    let counting: Vec<&Cell> = cells.iter().filter(|cell| cell.counts()).collect();
    let within = counting.iter().filter(|cell| !cell.misses_goal()).count();
    writeln!(out, "\n## Outcome\n")?;
    writeln!(
        out,
        "{within} of the {} cells with at least {FEWEST_HOLDOUT_USERS} holdout users lie within {}–{} %.\n",
        counting.len(),
        GOAL.start(),
        GOAL.end()
    )?;
    writeln!(
        out,
        "| Users (treatment/holdout) | Cells | Lowest coverage | Mean | Highest | False clear lift, highest | False clear harm, \
         highest | Textbook, lowest coverage |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    let mut sizes: Vec<(u32, u32)> = cells.iter().map(|cell| cell.users).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().try_for_each(|size| {
        let of_size: Vec<&Cell> = cells.iter().filter(|cell| cell.users == size).collect();
        size_row(out, size, &of_size)
    })
}

fn size_row(out: &mut String, (treated, held_out): (u32, u32), cells: &[&Cell]) -> fmt::Result {
    let figures = |count: fn(&Cell) -> u32| -> Vec<f64> {
        cells.iter().map(|cell| cell.percent(count(cell))).collect()
    };
    let lowest = |figures: &[f64]| figures.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = |figures: &[f64]| figures.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let covered = figures(|cell| cell.covered);
    let count = f64::from(u32::try_from(covered.len()).unwrap_or(u32::MAX));
    writeln!(
        out,
        "| {treated}/{held_out} | {count} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
        lowest(&covered),
        covered.iter().sum::<f64>() / count,
        highest(&covered),
        highest(&figures(|cell| cell.above)),
        highest(&figures(|cell| cell.below)),
        lowest(&figures(|cell| cell.textbook_covered)),
    )
}

fn outside(out: &mut String, cells: &[Cell]) -> fmt::Result {
    writeln!(out, "\n## Cells outside the goal\n")?;
    if !cells.iter().any(Cell::misses_goal) {
        return writeln!(out, "None.");
    }
    header(out)?;
    cells.iter().filter(|cell| cell.misses_goal()).try_for_each(|cell| row(out, cell))
}

fn power(out: &mut String, planned: &[Cell]) -> fmt::Result {
    writeln!(out, "\n## With a true lift: coverage, and what the planner promised\n")?;
    writeln!(out, "{}", include_str!("planned.md"))?;
    writeln!(out, "| Sessions | Users | Holdout success | True lift (pp) | Covered | Called a clear lift |")?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for cell in planned {
        writeln!(
            out,
            "| {} | {}/{} | {} | {:.1} | {:.2} % | {:.1} % |",
            cell.population.sessions.name(),
            cell.users.0,
            cell.users.1,
            cell.population.rate,
            100.0 * cell.lift,
            cell.percent(cell.covered),
            cell.percent(cell.clear),
        )?;
    }
    Ok(())
}

fn header(out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "| Sessions | Users | Success | Correlation | Covered | Interval above 0 | Interval below 0 | Mean width (pp) | \
         Flawless holdout | Textbook covered |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")
}

fn row(out: &mut String, cell: &Cell) -> fmt::Result {
    let population = cell.population;
    writeln!(
        out,
        "| {} | {}/{} | {} | {} | {:.2} % | {:.2} % | {:.2} % | {:.1} | {:.1} % | {:.1} % |",
        population.sessions.name(),
        cell.users.0,
        cell.users.1,
        population.rate,
        population.correlation,
        cell.percent(cell.covered),
        cell.percent(cell.above),
        cell.percent(cell.below),
        cell.width / f64::from(cell.runs),
        cell.percent(cell.flawless_holdout),
        cell.percent(cell.textbook_covered),
    )
}
