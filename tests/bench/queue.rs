//! The durable queue: what an item costs beside plain changes of the same row, and what a long queue costs a publisher.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use evaluation::judging::{Hold, Holder, JudgingTx, WorkKind, WorkQueue};
use kernel::{OrgId, StoreError, UnitOfWork};
use organization::Profile;
use storage::testing::{TestDatabase, test_ring};
use storage::{Database, DatabaseUrl, Options};
use touchstone_cli::SystemClock;
use touchstone_cli::wiring::House;

use crate::evaluated::{hurry, settle};
use crate::figures::{Stretch, median, tail};
use crate::load::repeat;
use crate::publish::{acme, through_rule};
use crate::raw::{Raw, Value};
use crate::{Section, scale};

pub(crate) const SECTION: Section = Section {
    name: "queue",
    title: "The durable queue: an item beside plain changes of its row, and a publish beside a long queue",
    measure,
};

const QUEUED: u32 = 100_000;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const PUBLISHERS: usize = 32;

/// What was measured on one database, a stretch per round.
#[derive(Default)]
struct Found {
    plain: Vec<Stretch>,
    queue: Vec<Stretch>,
    empty: Vec<Stretch>,
    full: Vec<Stretch>,
}

fn measure() -> anyhow::Result<String> {
    let queued = scale::rows(QUEUED);
    let mut told = format!(
        "{}An item is claimed (the longest due of {queued}, under a lease with a fence, never by two) and completed (under its fence and \
         revision, in a unit of work); beside it one `UPDATE` and one `DELETE` of such a row by its number, each a commit, on one connection. \
         Synchronous to the disk both ways. Then publishing by {PUBLISHERS} clients with an empty queue and with {queued} items of others that \
         are due. {ROUNDS} rounds in turns. Goal: {queued} queued items slow a publish by no more than 10 %.\n\n\
         | database | plain, items/s | queue, items/s | queue's cost beside plain | publish, empty queue, requests/s / p99 ms \
         | publish, {queued} queued, requests/s / p99 ms | full beside empty |\n|---|---|---|---|---|---|---|\n",
        scale::remark()
    );
    for (name, database) in crate::databases()? {
        let found = found(&database)?;
        let rate = |stretches: &[Stretch]| median(stretches.iter().map(Stretch::rate));
        let beside = |some: &[Stretch], others: &[Stretch]| {
            median(some.iter().zip(others).map(|(a, b)| a.rate() / b.rate()))
        };
        writeln!(
            told,
            "| {name} | {:.0} | {:.0} | **{:.2}** | {:.0} / {:.1} | {:.0} / {:.1} | **{:.2}** |",
            rate(&found.plain),
            rate(&found.queue),
            beside(&found.plain, &found.queue),
            rate(&found.empty),
            tail(&found.empty).0,
            rate(&found.full),
            tail(&found.full).0,
            beside(&found.full, &found.empty),
        )?;
    }
    Ok(told)
}

fn found(database: &TestDatabase) -> anyhow::Result<Found> {
    let url = DatabaseUrl::parse(&database.url)?;
    let opened = Database::open(&Options::usual(url.clone(), test_ring()));
    let house = House::over(opened.clone(), Arc::new(SystemClock));
    house.found_organization().found(&acme()?, Profile::Standard)?;
    let publish = house.publish();
    let mut found = Found::default();
    let mut raw = Raw::connect(&url)?;
    let mut filler = Raw::connect(&url)?;
    hurry(&mut filler)?;
    for number in 0..=ROUNDS {
        filler.batch("DELETE FROM work_items")?;
        settle(&mut filler)?;
        let empty = through_rule(&publish, PUBLISHERS)?;
        filler.batch("DELETE FROM work_items")?;
        queue_up(&mut filler)?;
        settle(&mut filler)?;
        let full = through_rule(&publish, PUBLISHERS)?;
        let (plain, queue) = (by_hand(&mut raw)?, through_queue(&opened)?);
        // The first round warms everything up.
        if number > 0 {
            found.empty.push(empty);
            found.full.push(full);
            found.plain.push(plain);
            found.queue.push(queue);
        }
    }
    Ok(found)
}

/// Sessions of other users whose evaluation is due.
fn queue_up(raw: &mut Raw) -> anyhow::Result<()> {
    raw.batch(&format!(
        "INSERT INTO work_items (org_id, user_id, session_id, kind, due_at) WITH RECURSIVE numbers (i) AS \
         (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < {}) \
         SELECT 'acme', 'waiting-' || (i % 1000), 'waiting-' || i, 'session_evaluation', 1700000000 + i FROM numbers",
        scale::rows(QUEUED)
    ))?;
    Ok(())
}

/// Claims and completes as a worker does, one item after another.
fn through_queue(database: &Database) -> anyhow::Result<Stretch> {
    let (holder, org) = (Holder("bench".to_owned()), acme()?);
    repeat(1, scale::time(ROUND), |_| {
        Ok(|| {
            let claimed = database.claim(&[WorkKind::SessionEvaluation], &[], &holder, 1, 60)?;
            let claimed = claimed.first().ok_or_else(|| anyhow::anyhow!("the queue ran dry"))?;
            let held = completed(database, &org, claimed)?;
            anyhow::ensure!(held == Hold::Held, "a lease was lost");
            Ok(())
        })
    })
}

fn completed(
    database: &Database,
    org: &OrgId,
    claimed: &evaluation::judging::Claimed,
) -> Result<Hold, StoreError> {
    let store: &dyn UnitOfWork<dyn JudgingTx> = database;
    store.transact(org, |tx| tx.work().complete(&claimed.lease))
}

/// Changes and deletes rows by their number, one after another.
fn by_hand(raw: &mut Raw) -> anyhow::Result<Stretch> {
    let newest = "SELECT work_id AS n FROM work_items WHERE org_id = 'acme' AND due_at < 1800000000 ORDER BY work_id DESC LIMIT 50000";
    let mut numbers = raw.numbers(newest, &[])?;
    let (began, mut stretch) = (std::time::Instant::now(), Stretch::default());
    while began.elapsed() < scale::time(ROUND) {
        let number = Value::Number(numbers.pop().ok_or_else(|| anyhow::anyhow!("the queue ran dry"))?);
        let called = std::time::Instant::now();
        let claim = "UPDATE work_items SET lease_holder = 'bench', lease_fence = lease_fence + 1, attempts = attempts + 1, \
             lease_expires_at = ? WHERE work_id = ?";
        let changed = raw.execute(claim, &[Value::Number(4_000_000_000), number])?;
        let deleted = raw.execute("DELETE FROM work_items WHERE work_id = ?", &[number])?;
        anyhow::ensure!((changed, deleted) == (1, 1), "a row was not there");
        stretch.latencies.push(called.elapsed());
    }
    stretch.elapsed = began.elapsed();
    Ok(stretch)
}
