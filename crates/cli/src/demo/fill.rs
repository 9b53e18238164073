//! Fills the organization `demo`: the story is played once, and never twice.

use std::sync::Arc;

use anyhow::bail;
use evaluation::EvaluationError;
use evaluation::judging::{JobId, JobIds, JobRecord, ReplayWindow};
use governance::{Actor, EraseAnswer, Onlooker, Ticket};
use judge::Prompts;
use kernel::{EvaluationName, OrgId, RequestId, Timestamp};
use organization::{Configuration, Profile, PromptCatalogue};
use serde::Serialize;
use storage::Database;

use super::library::LearningCounts;
use super::stage::{Moment, Stage};
use super::story::{MORNING, Size, Story, days};
use super::timeline::{
    ACTIVE_EXPERIMENT, DAY, DAYS, ENDED_EXPERIMENT, ERASURE, NEW_RUBRIC, REGRESSION, Timeline,
};
use super::verdicts::{EarlierPrompts, OLDER_RUBRIC};
use crate::wiring::House;

/// The organization that is filled.
pub const ORGANIZATION: &str = "demo";
/// The replay that ends the story: whoever finds it completed knows that the rest is there.
const JOB: &str = "demo-replay-of-v2-3-0";
/// The ticket of the user who asks to be forgotten.
const TICKET: &str = "demo-ticket-1";

/// What the organization holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Filled {
    /// People who wrote, the forgotten one left out.
    pub users: usize,
    /// Sessions that were published, those of the forgotten user included.
    pub sessions: usize,
    /// Verdicts of the judge on sessions, turns and replayed sessions.
    pub verdicts: u64,
    /// Scores of partners.
    pub partner_scores: u64,
    /// What was learned.
    #[serde(flatten)]
    pub learnings: LearningCounts,
    /// The experiment that has ended.
    pub ended_experiment: String,
    /// The experiment that still runs.
    pub active_experiment: String,
    /// The replay that was carried out.
    pub regeneration_job_id: String,
    /// The erasure that was carried out.
    pub purge_id: String,
}

/// What became of filling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The organization was filled.
    Filled(Filled),
    /// It held the demo already, and nothing was done.
    AlreadyThere,
}

/// Hears of every day that was played.
pub type Listener<'a> = &'a dyn Fn(u32);

/// Fills the organization with the ninety days that end now, unless it holds them already.
pub fn fill(database: &Database, now: Timestamp, size: Size, heard: Listener<'_>) -> anyhow::Result<Outcome> {
    let org = OrgId::new(ORGANIZATION)?;
    let house = House::over(database.clone(), Arc::new(Moment(now)));
    match house.read_regeneration().read(&org, &JobId::new(JOB)?) {
        Ok(JobRecord { job, .. }) if !job.status.is_live() => return Ok(Outcome::AlreadyThere),
        Ok(_) | Err(EvaluationError::JobNotFound) => {}
        Err(error) => return Err(error.into()),
    }
    let story = Story::of(org, Timeline::until(now), size)?;
    let mut stage = Stage::new(database, story);
    found(&stage)?;
    let mut purge_id = String::new();
    for day in days() {
        if let Some(erased) = events(&mut stage, day)? {
            purge_id = erased;
        }
        stage.play(day)?;
        if is_judged_after(day) {
            stage.judge_due(&stage.house_at(now))?;
        }
        heard(day);
    }
    replay(&mut stage)?;
    let Stage { story, library, judged, scores, .. } = &stage;
    Ok(Outcome::Filled(Filled {
        users: stage.users() - 1,
        sessions: stage.sessions(),
        verdicts: judged.judged,
        partner_scores: *scores,
        learnings: library.counts(),
        ended_experiment: story.ended.id.to_string(),
        active_experiment: story.active.id.to_string(),
        regeneration_job_id: JOB.to_owned(),
        purge_id,
    }))
}

/// Judging a week at once takes less time; each session is judged by the hour when it was due all the same. Whatever
/// changes what a judge sees comes after the judging of the days before.
fn is_judged_after(day: u32) -> bool {
    day % 7 == 6 || [NEW_RUBRIC, ERASURE, DAYS].contains(&(day + 1))
}

/// Makes the organization; one that is there and does not hold the demo is somebody's, or a torso.
fn found(stage: &Stage<'_>) -> anyhow::Result<()> {
    let Story { org, line, .. } = &stage.story;
    let house = stage.house_at(line.moment(0, 0));
    if !house.found_organization().found(org, Profile::Embedded)? {
        bail!(
            "the organization `{org}` is there and does not hold the whole demo; nothing was done. Choose an empty \
             database with --database-url, such as sqlite://data/demo.db"
        );
    }
    configure(&house, org, OLDER_RUBRIC, Arc::new(EarlierPrompts))
}

fn configure(
    house: &House,
    org: &OrgId,
    rubric: &str,
    prompts: Arc<dyn PromptCatalogue>,
) -> anyhow::Result<()> {
    house.write_configuration(prompts).write(org, |_, current| {
        anyhow::Ok(Configuration {
            shadow_comparison_judge_prompt_version: rubric.to_owned(),
            shadow_mode_enabled: true,
            success_definition: Some("The agent settles what the customer asked for.".to_owned()),
            agent_context: Some(
                "The support agent of a shop for home goods. All of this is demo data.".to_owned(),
            ),
            ..current.clone()
        })
    })?;
    Ok(())
}

/// What happens on the morning of a day, beside sessions; answers with the erasure, if one was carried out.
fn events(stage: &mut Stage<'_>, day: u32) -> anyhow::Result<Option<String>> {
    let house = stage.house_at(stage.story.line.moment(day, MORNING));
    let Story { org, ended, active, .. } = &stage.story;
    if day == ENDED_EXPERIMENT.0 {
        house.start_experiment().start(org, &ended.id, ended.holdout)?;
    }
    if day == ENDED_EXPERIMENT.1 {
        house.stop_experiment().stop(org, &ended.id)?;
    }
    if day == NEW_RUBRIC {
        configure(&house, org, judge::CURRENT, Arc::new(Prompts))?;
    }
    if day == ACTIVE_EXPERIMENT {
        house.start_experiment().start(org, &active.id, active.holdout)?;
    }
    if day == ERASURE {
        return erase(stage, &house).map(Some);
    }
    Ok(None)
}

fn erase(stage: &mut Stage<'_>, house: &House) -> anyhow::Result<String> {
    let user = stage.story.forgotten()?;
    let ticket = Ticket { user: user.clone(), request: RequestId::new(TICKET)?, actor: Actor::operator() };
    match house.erase_user().erase(&stage.story.org, &ticket, &Patient)? {
        EraseAnswer::Complete(report) => {
            stage.library.forget(&user);
            Ok(report.view.purge_id.as_str().to_owned())
        }
        EraseAnswer::Running(_) => bail!("the demo's erasure is carried out by somebody else"),
    }
}

/// Watches an erasure and never loses patience.
struct Patient;

impl Onlooker for Patient {
    fn advanced(&self, _: u64) {}

    fn goes_on(&self) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

/// The id of the story's only replay.
struct TheJob(JobId);

impl JobIds for TheJob {
    fn job_id(&self) -> JobId {
        self.0.clone()
    }
}

/// Judges the first days of the worse version again, as somebody would who doubts the judge. Some of it fails.
fn replay(stage: &mut Stage<'_>) -> anyhow::Result<()> {
    let Story { org, line, .. } = &stage.story;
    let org = org.clone();
    let window = ReplayWindow::new(line.moment(REGRESSION.0, 0), line.moment(REGRESSION.0 + 3, DAY - 1))?;
    let asked = stage.house_at(line.now().plus_seconds(-900));
    let start = asked.start_regeneration_as(Arc::new(TheJob(JobId::new(JOB)?)));
    start.start(&org, window, &EvaluationName::agent_success())?;
    stage.judge_due(&stage.house_at(line.now().plus_seconds(-780)))
}
