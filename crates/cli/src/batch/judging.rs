//! Judging at the keyboard: the same use cases, without a server.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use evaluation::judging::{JobId, JobRecord, JobStatus, ReplayWindow, WorkKind};
use indicatif::ProgressBar;
use kernel::{EvaluationName, OrgId};
use wire::evaluation::regeneration::{RegenerateResponse, RegenerateStatusResponse};

use super::overview::time;
use super::{open, organization, print_json};
use crate::arguments::Target;
use crate::due_work::{Account, Done, DueWork, Scope};
use crate::settings::{Settings, SettingsError};
use crate::wiring::House;

/// So many items are worked on at once.
const THREADS: usize = 8;
/// Leases at hand are prolonged so often.
const BEAT: Duration = Duration::from_secs(15);
/// How long a replay that waits for a retry is left alone.
const PAUSE: Duration = Duration::from_millis(500);

/// Evaluates every session and shadow turn of an organization that is due now, on a few threads, beside whatever servers
/// do; `told` hears of each.
pub fn judge_due(house: &House, org: &OrgId, told: &(dyn Fn(Done) + Sync)) -> anyhow::Result<Account> {
    let kinds = &[WorkKind::SessionEvaluation, WorkKind::ShadowTurn];
    let work = house.due_work(Scope { kinds, only: Some(org.clone()) });
    let account = Mutex::new(Account::default());
    carry_out_all(&work, &|done| {
        if let Ok(mut account) = account.lock() {
            account.enter(done);
        }
        told(done);
    })?;
    Ok(account.into_inner().unwrap_or_default())
}

/// Evaluates what is due, and tells how much that was.
pub(crate) fn evaluate_due(settings: &Settings, target: &Target) -> anyhow::Result<ExitCode> {
    let org = organization(&target.org)?;
    let house = open(settings)?;
    let bar = std::io::stderr().is_terminal().then(ProgressBar::new_spinner);
    let account = judge_due(&house, &org, &|_| {
        if let Some(bar) = &bar {
            bar.inc(1);
        }
    })?;
    if target.json {
        print_json(&account)?;
    } else {
        let Account { judged, skipped, retrying, failed } = account;
        println!(
            "{judged} judged, {skipped} with nothing to do, {retrying} to be tried again, {failed} failed."
        );
    }
    Ok(if account.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Judges the sessions of a window again.
pub(crate) fn regenerate(
    settings: &Settings,
    target: &Target,
    (from, to): (&str, &str),
    waits: bool,
) -> anyhow::Result<ExitCode> {
    let org = organization(&target.org)?;
    let window = ReplayWindow::new(time("--from", from)?, time("--to", to)?)
        .map_err(|_| SettingsError::new("--to", "must be later than --from"))?;
    let house = open(settings)?;
    let started = house.start_regeneration().start(&org, window, &EvaluationName::agent_success())?;
    if waits {
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(started.total));
        let ended = see_through(&house, &org, &started.id, bar.as_ref())?;
        return tell(target, &ended);
    }
    if target.json {
        print_json(&RegenerateResponse::from(&started))?;
    } else {
        println!("job {}: {} session(s) wait for a server.", started.id.as_str(), started.total);
    }
    Ok(ExitCode::SUCCESS)
}

/// Works on a replay until it has ended, beside whatever servers do.
fn see_through(
    house: &House,
    org: &OrgId,
    id: &JobId,
    bar: Option<&ProgressBar>,
) -> anyhow::Result<JobRecord> {
    let work = house.due_work(Scope { kinds: &[WorkKind::RegenerationSession], only: Some(org.clone()) });
    let reader = house.read_regeneration();
    loop {
        carry_out_all(&work, &|done| {
            if let (Some(bar), Done::Judged | Done::Failed) = (bar, done) {
                bar.inc(1);
            }
        })?;
        work.settle()?;
        let record = reader.read(org, id)?;
        if let Some(bar) = bar {
            bar.set_position(record.job.completed + record.job.failed);
        }
        if !record.job.status.is_live() {
            return Ok(record);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Carries out work on a few threads until nothing is due.
fn carry_out_all(work: &DueWork, told: &(dyn Fn(Done) + Sync)) -> anyhow::Result<()> {
    let one = || -> anyhow::Result<()> {
        while let Some(claimed) = work.next()? {
            told(work.carry_out(&claimed)?);
        }
        Ok(())
    };
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let beating = scope.spawn(|| beat(work, &is_done));
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(one)).collect();
        let ended: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        is_done.store(true, Ordering::Release);
        beating.thread().unpark();
        ended.into_iter().try_for_each(|thread| {
            thread.unwrap_or_else(|_| Err(anyhow::anyhow!("a thread that judged has panicked")))
        })
    })
}

/// Keeps the leases at hand alive; one that cannot be prolonged is noticed by whoever works under it.
fn beat(work: &DueWork, is_done: &AtomicBool) {
    while !is_done.load(Ordering::Acquire) {
        std::thread::park_timeout(BEAT);
        let _ = work.heartbeat();
    }
}

fn tell(target: &Target, record: &JobRecord) -> anyhow::Result<ExitCode> {
    let job = &record.job;
    if target.json {
        print_json(&RegenerateStatusResponse::from(record))?;
    } else {
        println!(
            "job {} {}: {} of {} judged, {} failed.",
            job.id.as_str(),
            job.status.as_str(),
            job.completed,
            job.total,
            job.failed
        );
        for failure in &record.failures {
            println!("    {}", failure.reason.as_str());
        }
    }
    Ok(if job.status == JobStatus::Completed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
