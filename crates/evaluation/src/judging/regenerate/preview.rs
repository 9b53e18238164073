//! What a replay of a window would be, before it is started.

use std::sync::Arc;

use kernel::OrgId;

use crate::EvaluationError;
use crate::counting::number;
use crate::judging::job::{Job, JobId, JobRecord, JobStatus, ReplayWindow};
use crate::judging::ports::{CandidateReader, JobIds, JobReader, JudgingSettings};
use crate::judging::sampling::{StratifiedSample, StratifiedSampler};

/// So many of the latest jobs are asked how long they took.
const ASKED_ABOUT: u32 = 20;

/// What a replay would be.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPreview {
    /// Sessions with a request in the window.
    pub total_candidates: u64,
    /// How many of them would be judged.
    pub sampled: u64,
    /// How many judge calls may be in flight.
    pub concurrency_limit: u32,
    /// How long it would take at the pace of the latest replay that ran to its end; `None` when none did.
    pub estimated_seconds: Option<f64>,
}

/// Says what a replay would be, and starts nothing.
#[derive(Clone)]
pub struct PreviewRegeneration {
    candidates: Arc<dyn CandidateReader>,
    jobs: Arc<dyn JobReader>,
    settings: Arc<dyn JudgingSettings>,
    ids: Arc<dyn JobIds>,
}

impl PreviewRegeneration {
    /// Counts these candidates and takes the pace from these jobs.
    #[must_use]
    pub fn new(
        candidates: Arc<dyn CandidateReader>,
        jobs: Arc<dyn JobReader>,
        settings: Arc<dyn JudgingSettings>,
        ids: Arc<dyn JobIds>,
    ) -> Self {
        Self { candidates, jobs, settings, ids }
    }

    /// What a replay of the window would be. Which sessions are drawn depends on the job, how many does not.
    ///
    /// # Errors
    /// When the store failed.
    pub fn preview(&self, org: &OrgId, window: ReplayWindow) -> Result<ReplayPreview, EvaluationError> {
        let setup = self.settings.judging(org)?;
        let id: JobId = self.ids.job_id();
        let mut sampler = StratifiedSampler::new(id, setup.per_stratum);
        self.candidates.candidates(org, window.window(), &mut sampler)?;
        let StratifiedSample { sessions, candidates } = sampler.finish();
        let chosen = u64::try_from(sessions.len()).unwrap_or(u64::MAX);
        let pace = seconds_per_session(&self.jobs.list(org, None, ASKED_ABOUT)?);
        Ok(ReplayPreview {
            total_candidates: candidates,
            sampled: chosen,
            concurrency_limit: setup.concurrency_limit,
            estimated_seconds: pace.map(|pace| pace * number(chosen)),
        })
    }
}

/// How long a session took in the latest job that ran to its end.
fn seconds_per_session(jobs: &[JobRecord]) -> Option<f64> {
    jobs.iter().map(|record| &record.job).find_map(pace_of)
}

fn pace_of(job: &Job) -> Option<f64> {
    let finished_at = job.finished_at.filter(|_| job.status == JobStatus::Completed && job.total > 0)?;
    let took = u64::try_from(finished_at.seconds().saturating_sub(job.started_at.seconds())).ok()?;
    Some(number(took) / number(job.total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judging::ports::{MockCandidateReader, MockJobIds, MockJobReader, MockJudgingSettings};
    use crate::judging::sampling::Candidate;
    use crate::judging::testing::{job, setup};
    use crate::samples::{at, org, session};

    /// Previews a window with this many candidates of one day and source.
    fn preview(candidates: i64, per_stratum: usize, jobs: Vec<Job>) -> ReplayPreview {
        let mut reader = MockCandidateReader::new();
        reader.expect_candidates().returning(move |_, _, receiver| {
            (0..candidates).for_each(|number| {
                receiver.receive(Candidate {
                    session: session("ada", &format!("s{number}")),
                    began_at: at(number),
                    source: kernel::Source::unstated(),
                });
            });
            Ok(())
        });
        let mut settings = MockJudgingSettings::new();
        settings.expect_judging().return_const(Ok(crate::judging::JudgingSetup { per_stratum, ..setup() }));
        let mut ids = MockJobIds::new();
        ids.expect_job_id().returning(|| JobId::new("never-kept").unwrap());
        let records: Vec<_> =
            jobs.into_iter().map(|job| JobRecord { number: 1, job, failures: Vec::new() }).collect();
        let mut past = MockJobReader::new();
        past.expect_list().return_const(Ok(records));
        PreviewRegeneration::new(Arc::new(reader), Arc::new(past), Arc::new(settings), Arc::new(ids))
            .preview(&org(), ReplayWindow::new(at(0), at(100)).unwrap())
            .unwrap()
    }

    /// A job over this many sessions that took this long.
    fn done(total: u64, seconds: i64) -> Job {
        Job {
            status: JobStatus::Completed,
            total,
            started_at: at(1_000),
            finished_at: Some(at(1_000 + seconds)),
            ..job(total)
        }
    }

    #[test]
    fn a_preview_counts_what_the_job_would_count() {
        let preview = preview(30, 4, vec![]);

        assert_eq!((preview.total_candidates, preview.sampled), (30, 4));
        assert_eq!(preview.concurrency_limit, setup().concurrency_limit);
    }

    #[test]
    fn the_latest_replay_that_ran_to_its_end_gives_the_pace() {
        let running = Job { finished_at: None, status: JobStatus::Running, ..done(5, 0) };

        // 60 seconds for 20 sessions: 3 each.
        let estimate = preview(10, 200, vec![running, done(20, 60), done(1, 1_000)]).estimated_seconds;

        assert_eq!(estimate, Some(30.0));
    }

    #[test]
    fn without_a_replay_that_ran_to_its_end_nobody_knows_how_long_it_takes() {
        let cancelled = Job { status: JobStatus::Cancelled, ..done(20, 60) };

        assert_eq!(preview(10, 200, vec![cancelled, done(0, 5)]).estimated_seconds, None);
    }
}
