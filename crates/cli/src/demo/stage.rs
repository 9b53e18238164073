//! Plays the story through the house's own use cases: published, learned from, judged and scored, day by day.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use anyhow::anyhow;
use evaluation::ScoreBatch;
use evaluation::judging::{Claimed, JudgeFailure, RetryPolicy, Trouble, WorkKind, WorkSubject};
use kernel::{Clock, CredentialKind, SessionId, StoreError, Timestamp};
use learning::{
    InteractionId, LearningError, LearningsQuery, PublishInteractions, SearchLearnings, SearchText, Searcher,
    TopK,
};
use storage::Database;

use super::conversation::{opening, publication};
use super::dice::Dice;
use super::library::Library;
use super::scene::Scene;
use super::scores::scores_of;
use super::story::Story;
use super::timeline::DAY;
use super::verdicts::StoryJudge;
use crate::due_work::{Account, Done, DueWork, Scope, Trades};
use crate::wiring::House;

/// So many sessions are played at once.
const THREADS: usize = 8;
/// How often a write that only lost to others is tried again.
const MOST_CONTENDED: u32 = 50;
/// A session is judged so many seconds after it began.
const JUDGED_AFTER: i64 = 1_700;
/// Nothing is tried twice: what the story lets fail stays failed.
const NO_RETRIES: RetryPolicy = RetryPolicy { retries: 0, first_delay_seconds: 1 };
/// The share of sessions whose replay fails, and how.
const TROUBLES: [JudgeFailure; 3] =
    [JudgeFailure::TimedOut, JudgeFailure::Unavailable(Trouble::Status(503)), JudgeFailure::Refused];

/// A clock that stands still.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(pub(super) Timestamp);

impl Clock for Moment {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Where the story is played.
pub(super) struct Stage<'a> {
    pub(super) database: &'a Database,
    pub(super) story: Story,
    pub(super) library: Library,
    scenes: BTreeMap<SessionId, Arc<Scene>>,
    pub(super) judged: Account,
    pub(super) scores: u64,
}

impl<'a> Stage<'a> {
    /// An empty stage over this database.
    pub(super) fn new(database: &'a Database, story: Story) -> Self {
        let (library, scenes, judged) = (Library::default(), BTreeMap::new(), Account::default());
        Self { database, story, library, scenes, judged, scores: 0 }
    }

    /// The house at a moment; a new one has forgotten what it knew of settings and experiments.
    pub(super) fn house_at(&self, at: Timestamp) -> House {
        House::over(self.database.clone(), Arc::new(Moment(at)))
    }

    /// How many sessions were played.
    pub(super) fn sessions(&self) -> usize {
        self.scenes.len()
    }

    /// How many people were in them.
    pub(super) fn users(&self) -> usize {
        let users: std::collections::BTreeSet<_> = self.scenes.values().map(|scene| &scene.user).collect();
        users.len()
    }

    /// Plays the sessions of a day.
    pub(super) fn play(&mut self, day: u32) -> anyhow::Result<()> {
        let Story { org, line, .. } = &self.story;
        let org = org.clone();
        let scenes: Vec<_> = self.story.day(day)?.into_iter().map(Arc::new).collect();
        // Today has no evening yet, and what is published now is judged ten minutes later.
        let evening = line.moment(day, DAY - 1).min(line.now().plus_seconds(-1_200));
        let house = self.house_at(evening);
        let (publish, search) = (house.publish(), house.search_learnings());
        let published = on_threads(&scenes, |scene| self.publish(&publish, &search, scene))?;
        let published: Vec<_> = scenes.iter().map(AsRef::as_ref).zip(published).collect();
        self.library.learn(&house, &org, &published, day)?;
        let mut scores = Vec::new();
        for scene in &scenes {
            scores.extend(scores_of(scene)?);
            self.scenes.insert(scene.session.clone(), Arc::clone(scene));
        }
        self.scores += u64::try_from(scores.len())?;
        house.take_partner_scores().take(&org, &ScoreBatch::new(scores)?)?;
        Ok(())
    }

    fn publish(
        &self,
        publish: &PublishInteractions,
        search: &SearchLearnings,
        scene: &Scene,
    ) -> anyhow::Result<Vec<InteractionId>> {
        let org = &self.story.org;
        if scene.attribution.is_some() {
            // An agent searches before it answers; the experiment decides what it finds, and notes whom it met.
            let searcher = Searcher {
                org: org.clone(),
                kind: CredentialKind::Production,
                user: Some(scene.user.clone()),
                session: Some(scene.session.clone()),
            };
            search.search(&searcher, &query(scene)?)?;
        }
        let publication = publication(scene, self.library.given(scene)?)?;
        let published = steadily(|| publish.publish(org, publication.clone()))?;
        Ok(published.interactions)
    }

    /// Judges whatever waits for a judge.
    pub(super) fn judge_due(&mut self, house: &House) -> anyhow::Result<()> {
        let work = house.due_work(Scope { kinds: WorkKind::ALL, only: Some(self.story.org.clone()) });
        loop {
            let judged = self.judge_once(house, &work)?;
            if judged.is_empty() {
                return Ok(());
            }
            for done in judged {
                self.judged.enter(done);
            }
        }
    }

    /// One round of judging, on a few threads; what they passed over because others held it is left for the next.
    fn judge_once(&self, house: &House, work: &DueWork) -> anyhow::Result<Vec<Done>> {
        let judged = on_threads(&[(); THREADS], |()| {
            let mut judged = Vec::new();
            while let Some(claimed) = work.next()? {
                judged.push(work.carry_out_by(&self.trades(house, &claimed)?, &claimed)?);
            }
            Ok(judged)
        })?;
        Ok(judged.into_iter().flatten().collect())
    }

    /// Whoever works on this item: the judge of its scene, at the hour when it was due.
    fn trades(&self, house: &House, claimed: &Claimed) -> anyhow::Result<Trades> {
        let session = &claimed.item.session.session_id;
        let scene =
            self.scenes.get(session).ok_or_else(|| anyhow!("session {session} is not of the demo"))?;
        let (at, trouble) = match claimed.item.subject {
            WorkSubject::Replay(_) => (house.now(), trouble(scene)),
            WorkSubject::Session | WorkSubject::Turn(_) => (scene.at.plus_seconds(JUDGED_AFTER), None),
        };
        let judge = StoryJudge { scene: Arc::clone(scene), trouble };
        Ok(house.trades(Arc::new(judge), Arc::new(Moment(at)), NO_RETRIES))
    }
}

/// How the replay of a scene fails, if it does.
fn trouble(scene: &Scene) -> Option<JudgeFailure> {
    let mut dice = Dice::of(&[scene.seed, 6]);
    if dice.happens(0.04) { dice.one_of(&TROUBLES) } else { None }
}

fn query(scene: &Scene) -> anyhow::Result<LearningsQuery> {
    Ok(LearningsQuery {
        text: SearchText::new(&opening(scene))?,
        top_k: TopK::IN_ALL,
        agent_version: None,
        playbook_name: None,
        source: None,
        tags: vec![],
    })
}

/// Tries a write again that only lost to others; nothing of it was kept.
fn steadily<T>(mut write: impl FnMut() -> Result<T, LearningError>) -> Result<T, LearningError> {
    let mut lost = 0;
    loop {
        match write() {
            Err(LearningError::Store(StoreError::Contended)) if lost < MOST_CONTENDED => lost += 1,
            outcome => return outcome,
        }
    }
}

/// Does something with each item on a few threads, and answers in the order of the items.
fn on_threads<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let work = &work;
    let share = items.len().div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<ScopedJoinHandle<'_, anyhow::Result<Vec<T>>>> =
            items.chunks(share).map(|part| scope.spawn(move || part.iter().map(work).collect())).collect();
        let mut done = Vec::with_capacity(items.len());
        for thread in threads {
            done.extend(thread.join().map_err(|_| anyhow!("a thread of the demo has panicked"))??);
        }
        Ok(done)
    })
}
