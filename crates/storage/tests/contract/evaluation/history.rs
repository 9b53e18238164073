//! Random histories: whatever happened, the overview is that of a slow computation, and the totals are those of the rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evaluation::overview::RuleKey;
use evaluation::{
    BetterRequest, Bucket, FailureType, ImportBatch, ImportResults, ImportRow, Judgement, LearningKind,
    NewShadowVerdict, OverviewQuery, OverviewSnapshot, Part, PartnerScore, ReadOverview, ResultIdentity,
    ScoreBatch, ScoreIdentity, ScoreSubject, ScoreValue, ServicePosition, SessionKey, ShadowMode,
    ShadowSettings, ShadowSetup, SourceSet, SourceSets, TakePartnerScores, VerdictTx,
};
use kernel::{AgentVersion, EvaluationName, Label, OrgId, Source, StoreError, UnitOfWork, Window};
use storage::on_both;
use storage::testing::TestDatabase;

use super::samples::{
    At, DAY, HOUR, MONDAY, all_results, cite, delete, publish, session, shadow, source, success, version,
    window,
};
use super::slow::{Citation, Everything};
use crate::{at, org};

/// A generator of its own, so that a seed tells the whole story.
struct Chance(u64);

impl Chance {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn small(&mut self, n: u64) -> i64 {
        i64::try_from(self.below(n)).unwrap()
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(u64::try_from(of.len()).unwrap())).unwrap()].clone()
    }

    fn is(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Within 16 days, and often right at the edge of an hour or a day.
    fn time(&mut self) -> i64 {
        let hour = MONDAY - DAY + self.small(16 * 24) * HOUR;
        match self.below(4) {
            0 => hour + self.pick(&[-1, 0, 1, HOUR - 1]),
            1 => hour - hour.rem_euclid(DAY) + self.pick(&[-1, 0, 1]),
            _ => hour + self.small(3_600),
        }
    }

    fn session(&mut self) -> SessionKey {
        session(self.pick(&["ada", "bob", "cyd", "dan"]), self.pick(&["s1", "s2", "s3", "s4", "s5", "s6"]))
    }

    fn rule(&mut self) -> RuleKey {
        let rule_id = self.pick(&["1", "2", "3", "4"]).to_owned();
        RuleKey { kind: self.pick(LearningKind::ALL), rule_id }
    }

    fn judgement(&mut self) -> Judgement {
        let is_success = self.is(60);
        let failure_type = if is_success { None } else { Some(self.pick(FailureType::ALL)) };
        Judgement {
            is_success,
            failure_type,
            corrections: u32::try_from(self.below(8)).unwrap(),
            turns_to_resolution: self.is(50).then_some(3),
            is_escalated: self.is(20),
            ..success()
        }
    }
}

/// What the history has made so far, kept beside the database.
#[derive(Default)]
struct Book {
    requests: BTreeMap<SessionKey, BTreeSet<(i64, String, String)>>,
    results: BTreeMap<ResultIdentity, (i64, i64, Judgement)>,
    citations: Vec<Citation>,
    verdicts: BTreeMap<(i64, String), NewShadowVerdict>,
    scores: BTreeMap<ScoreIdentity, PartnerScore>,
    clock: i64,
}

impl Book {
    /// The time and source of a published session.
    fn start(&self, of: &SessionKey) -> Option<(i64, Source)> {
        let (at, _, from) = self.requests.get(of)?.first()?;
        Some((*at, source(from)))
    }

    fn forget(&mut self, gone: impl Fn(&SessionKey) -> bool) {
        self.requests.retain(|session, _| !gone(session));
        self.results.retain(|identity, _| !gone(&identity.session));
        self.citations.retain(|citation| !gone(&citation.session));
        self.verdicts.retain(|_, verdict| !gone(&verdict.session));
        self.scores
            .retain(|_, score| !matches!(&score.subject, ScoreSubject::Session(session) if gone(session)));
    }

    /// All of it as the rules of evaluation see it, with the numbers that the database gave.
    fn everything(&self, db: &TestDatabase) -> Everything {
        let kept = all_results(&db.database, "acme");
        assert_eq!(kept.len(), self.results.len(), "as many results as the history made");
        let results = kept.into_iter().map(|mut result| {
            let (own_at, judged_at, judgement) = self.results[&result.identity].clone();
            let (began, from) = self.start(&result.identity.session).unwrap_or((own_at, source("")));
            (result.created_at, result.judged_at, result.judgement) = (at(began), at(judged_at), judgement);
            (result, from)
        });
        let placed = |verdict: &NewShadowVerdict| {
            let from = self.start(&verdict.session).map_or(source(""), |(_, from)| from);
            (verdict.clone(), from)
        };
        Everything {
            results: results.collect(),
            citations: self.citations.clone(),
            verdicts: self.verdicts.values().map(placed).collect(),
            scores: self.scores.values().cloned().collect(),
        }
    }
}

fn import(db: &TestDatabase, book: &mut Book, chance: &mut Chance) {
    book.clock += chance.small(3);
    let mut rows = BTreeMap::new();
    for _ in 0..=chance.below(6) {
        let identity = ResultIdentity {
            session: chance.session(),
            agent_version: AgentVersion::new(chance.pick(&["", "v2"])).unwrap(),
            evaluation_name: EvaluationName::new(chance.pick(&["agent_success", "agent_success", "tone"]))
                .unwrap(),
        };
        let row = ImportRow {
            identity: identity.clone(),
            created_at: Some(at(chance.time())),
            judgement: chance.judgement(),
        };
        rows.insert(identity, row);
    }
    let batch = ImportBatch::new(rows.values().cloned().collect()).unwrap();
    let import = ImportResults::new(Arc::new(db.database.clone()), Arc::new(At(book.clock)));
    import.import(&org("acme"), &batch).unwrap();
    for (identity, row) in rows {
        let own_at = book.start(&identity.session).map_or(row.created_at.unwrap().seconds(), |(at, _)| at);
        let unchanged = book.results.get(&identity).is_some_and(|(kept_at, _, judgement)| {
            let kept_at = book.start(&identity.session).map_or(*kept_at, |(at, _)| at);
            kept_at == own_at && *judgement == row.judgement
        });
        if !unchanged {
            book.results.insert(identity, (own_at, book.clock, row.judgement));
        }
    }
}

fn request(db: &TestDatabase, book: &mut Book, chance: &mut Chance) {
    let (of, time, from) = (chance.session(), chance.time(), chance.pick(&["", "web", "app"]));
    let id = format!("r{}", chance.next());
    publish(db, &of, &id, time, from);
    book.requests.entry(of.clone()).or_default().insert((time, id, from.to_owned()));
    // Once it is published, a session's own start stands in what was imported before.
    let (began, _) = book.start(&of).unwrap();
    for (_, result) in book.results.iter_mut().filter(|(identity, _)| identity.session == of) {
        result.0 = began;
    }
}

fn citation(db: &TestDatabase, book: &mut Book, chance: &mut Chance) {
    let title = if chance.is(30) { String::new() } else { format!("title {}", chance.below(100)) };
    let turn = i64::try_from(book.citations.len()).unwrap() + book.clock * 1_000;
    let made =
        Citation { session: chance.session(), rule: chance.rule(), title, cited: (chance.time(), turn) };
    cite(db, &made.session, (made.rule.kind, &made.rule.rule_id), &made.title, made.cited);
    book.citations.push(made);
    book.clock += 1;
}

fn verdict(db: &TestDatabase, book: &mut Book, chance: &mut Chance) {
    let (turn, rubric, time) = (chance.small(40), chance.pick(&["v1", "v1", "v0"]), chance.time());
    let mut made = shadow(&chance.session(), turn, rubric, time);
    made.better_request = chance.pick(BetterRequest::ALL);
    made.service = ServicePosition::from(chance.is(50));
    let store: &dyn UnitOfWork<dyn VerdictTx> = &db.database;
    store.transact(&org("acme"), |tx| tx.keep_shadow_verdict(&made)).unwrap();
    book.verdicts.insert((turn, rubric.to_owned()), made);
}

fn score(db: &TestDatabase, book: &mut Book, chance: &mut Chance) {
    let identity = ScoreIdentity {
        source_run_id: Label::new(&format!("run {}", chance.below(20))).unwrap(),
        scorer_name: Label::new(chance.pick(&["facts", "tone"])).unwrap(),
    };
    let subject =
        if chance.is(70) { ScoreSubject::Session(chance.session()) } else { ScoreSubject::Unstated };
    // Quarters add up exactly, in any order.
    let value = ScoreValue::new(f64::from(u32::try_from(chance.below(9)).unwrap()) / 4.0).unwrap();
    let made = PartnerScore { identity: identity.clone(), value, at: at(chance.time()), subject };
    let batch = ScoreBatch::new(vec![made.clone()]).unwrap();
    TakePartnerScores::new(Arc::new(db.database.clone())).take(&org("acme"), &batch).unwrap();
    book.scores.insert(identity, made);
}

/// Deletes a session or a whole user, table by table in any order.
fn removal(db: &TestDatabase, book: &mut Book, chance: &mut Chance) {
    let mut tables = [
        "session_outcomes",
        "evaluation_results",
        "session_citations",
        "shadow_verdicts",
        "partner_scores",
        "sessions",
    ];
    for place in 0..tables.len() {
        tables.swap(place, usize::try_from(chance.below(6)).unwrap());
    }
    let of = chance.session();
    if chance.is(75) {
        delete(db, &tables, of.user_id.as_str(), Some(of.session_id.as_str()));
        book.forget(|session| *session == of);
    } else {
        delete(db, &tables, of.user_id.as_str(), None);
        book.forget(|session| session.user_id == of.user_id);
    }
}

fn happen(db: &TestDatabase, book: &mut Book, chance: &mut Chance, events: u32) {
    for _ in 0..events {
        match chance.below(20) {
            0..7 => import(db, book, chance),
            7..11 => request(db, book, chance),
            11..14 => citation(db, book, chance),
            14..16 => verdict(db, book, chance),
            16..18 => score(db, book, chance),
            _ => removal(db, book, chance),
        }
    }
}

struct Pinned;

impl ShadowSettings for Pinned {
    fn shadow(&self, _org: &OrgId) -> Result<ShadowSetup, StoreError> {
        Ok(ShadowSetup { mode: ShadowMode::On, pinned: version("v1") })
    }
}

fn overview(store: Arc<dyn UnitOfWork<dyn OverviewSnapshot>>, query: &OverviewQuery) -> evaluation::Overview {
    ReadOverview::new(store, Arc::new(Pinned), Arc::new(At(MONDAY + 20 * DAY)))
        .read(&org("acme"), query)
        .unwrap()
}

fn question(chance: &mut Chance) -> OverviewQuery {
    let (one, other) = (chance.time(), chance.time());
    let window: Window =
        if chance.is(10) { window(0, i64::MAX) } else { window(one.min(other), one.max(other)) };
    let set = |label: &str, sources: &[&str]| SourceSet {
        label: Label::new(label).unwrap(),
        sources: sources.iter().map(|text| source(text)).collect(),
    };
    let sets = if chance.is(50) { vec![set("a", &["web"]), set("b", &["", "nowhere"])] } else { vec![] };
    OverviewQuery {
        window,
        agent_version: chance
            .pick(&[None, None, Some(""), Some("v2")])
            .map(|text| AgentVersion::new(text).unwrap()),
        bucket: chance.pick(Bucket::ALL),
        shadow: chance.pick(&[Part::Included, Part::LeftOut]),
        sessions: chance.pick(&[Part::Included, Part::LeftOut]),
        source_sets: SourceSets::new(sets).unwrap(),
    }
}

const COUNTS: &str = "n, successes, corrections, corrected_0, corrected_1, corrected_2, corrected_3, corrected_4, \
                      corrected_5, escalations, turns_sum, turns_n, system_error_failures, corrections_squares, \
                      turns_squares";

/// Rows that are on one side only must not exist, whichever side.
fn differences(db: &TestDatabase, one: &str, other: &str) -> i64 {
    db.number(&format!("SELECT count(*) AS n FROM ({one} EXCEPT {other}) AS missing"))
        + db.number(&format!("SELECT count(*) AS n FROM ({other} EXCEPT {one}) AS missing"))
}

fn assert_totals_are_those_of_the_rows(db: &TestDatabase, seed: u64) {
    let sums = COUNTS.split(", ").map(|column| format!("sum({column})")).collect::<Vec<_>>().join(", ");
    let kept = format!(
        "SELECT org_id, grain, start, source, shard, {sums} FROM outcome_rollup GROUP BY 1, 2, 3, 4, 5"
    );
    let rows = format!(
        "SELECT org_id, grain, created_at - ((created_at % grain) + grain) % grain, source, shard, {sums} \
         FROM outcome_counts CROSS JOIN (SELECT 3600 AS grain UNION ALL SELECT 86400) AS grains GROUP BY 1, 2, 3, 4, 5"
    );
    assert_eq!(differences(db, &kept, &rows), 0, "totals after the history of seed {seed}");
    assert_eq!(db.number("SELECT count(*) AS n FROM outcome_rollup WHERE n = 0"), 0);
    let columns = "user_id, session_id, kind, rule_id, source, created_at, is_success, title";
    let kept = format!("SELECT {columns} FROM cited_outcomes");
    let rows = "SELECT c.user_id, c.session_id, kind, rule_id, source, created_at, is_success, title \
                FROM session_citations AS c JOIN session_outcomes AS o \
                ON o.org_id = c.org_id AND o.user_id = c.user_id AND o.session_id = c.session_id";
    assert_eq!(differences(db, &kept, rows), 0, "cited rules after the history of seed {seed}");
}

on_both! {
    fn the_overview_equals_a_slow_computation_over_all_rows(db) {
        for seed in 1..=3_u64 {
            db.execute("DELETE FROM session_outcomes; DELETE FROM evaluation_results; DELETE FROM session_citations; \
                        DELETE FROM shadow_verdicts; DELETE FROM partner_scores; DELETE FROM sessions");
            let (mut book, mut chance) = (Book::default(), Chance::of(seed));
            for round in 0..3 {
                happen(db, &mut book, &mut chance, 50);
                let everything = book.everything(db);
                for _ in 0..8 {
                    let query = question(&mut chance);

                    let fast = overview(Arc::new(db.database.clone()), &query);

                    let slow = overview(Arc::new(everything.clone()), &query);
                    assert_eq!(fast, slow, "seed {seed}, round {round}, {query:?}");
                }
            }
        }
    }

    fn after_any_history_the_totals_are_those_of_the_rows(db) {
        for seed in 11..=12_u64 {
            let (mut book, mut chance) = (Book::default(), Chance::of(seed));
            for _ in 0..4 {
                happen(db, &mut book, &mut chance, 40);

                assert_totals_are_those_of_the_rows(db, seed);
            }
        }
        for user in ["ada", "bob", "cyd", "dan"] {
            delete(db, &["session_outcomes"], user, None);
        }
        assert_eq!(db.number("SELECT count(*) AS n FROM outcome_rollup"), 0);
        assert_eq!(db.number("SELECT count(*) AS n FROM cited_outcomes"), 0);
    }
}
