//! Reading results and verdicts page by page.

use evaluation::{
    AgentSuccessResult, Cursor, Escalation, FailureType, JudgedResult, LearningKind, LearningVerdict,
    LearningVerdictFilter, NewLearningVerdict, Outcome, ResultFilter, ResultReader as _, SessionKey,
    ShadowFilter, ShadowVerdictReader as _, VerdictTx,
};
use kernel::{AgentVersion, Period, SessionId, UnitOfWork};
use storage::on_both;
use storage::testing::TestDatabase;

use super::samples::{
    failure, judged, keep, learning, named, of_version, session, shadow, source, user, version,
};
use crate::{at, org};

fn period(start: Option<i64>, end: Option<i64>) -> Period {
    Period::new(start.map(at), end.map(at)).unwrap()
}

fn read(db: &TestDatabase, filter: &ResultFilter) -> Vec<AgentSuccessResult> {
    let kept = db.database.results(&org("acme"), filter, None, 100).unwrap();
    kept.into_iter().map(|kept| kept.result).collect()
}

fn times(results: &[AgentSuccessResult]) -> Vec<i64> {
    results.iter().map(|result| result.created_at.seconds()).collect()
}

fn judge_learnings(db: &TestDatabase, of: &SessionKey, verdicts: &[NewLearningVerdict]) {
    let store: &dyn UnitOfWork<dyn VerdictTx> = &db.database;
    store
        .transact(&org("acme"), |tx| {
            let fence = tx.begin_run(of)?;
            tx.replace_learning_verdicts(of, &fence, verdicts)
        })
        .unwrap();
}

fn made(made_at: i64, turn: Option<i64>, id: &str) -> NewLearningVerdict {
    NewLearningVerdict { created_at: at(made_at), ..learning(turn, LearningKind::Profile, id) }
}

fn learnings(
    db: &TestDatabase,
    filter: &LearningVerdictFilter,
    after: Option<Cursor>,
) -> Vec<LearningVerdict> {
    db.database.learning_verdicts(&org("acme"), filter, after, 100).unwrap()
}

fn ids(verdicts: &[LearningVerdict]) -> Vec<&str> {
    verdicts.iter().map(|row| row.verdict.learning_id.as_str()).collect()
}

on_both! {
    fn pages_hold_every_result_once_newest_first_also_where_times_are_equal(db) {
        let many: Vec<_> = (0..25).map(|n| judged("ada", &format!("s{n:02}"), n / 7)).collect();
        keep(&db.database, &many).unwrap();

        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let page = db.database.results(&org("acme"), &ResultFilter::default(), after, 4).unwrap();
            let Some(last) = page.last() else { break };
            after = Some(Cursor { at: last.result.created_at, id: last.result.result_id });
            assert!(page.len() <= 4);
            seen.extend(page);
        }

        let keys: Vec<_> = seen.iter().map(|kept| (kept.result.created_at, kept.result.result_id)).collect();
        assert_eq!(keys.len(), 25);
        assert!(keys.windows(2).all(|two| two[0] > two[1]), "{keys:?}");
    }

    fn results_are_filtered_by_version_user_session_and_period(db) {
        keep(&db.database, &[
            judged("ada", "s1", 10),
            of_version(judged("ada", "s1", 10), "v2"),
            judged("ada", "s2", 20),
            named(judged("bob", "s1", 30), "tone"),
        ]).unwrap();

        let by_version = ResultFilter { agent_version: Some(AgentVersion::new("v2").unwrap()), ..ResultFilter::default() };
        let unstated = ResultFilter { agent_version: Some(AgentVersion::unstated()), ..ResultFilter::default() };
        let by_user = ResultFilter { user_id: Some(user("ada")), ..ResultFilter::default() };
        let by_session = ResultFilter { session_id: Some(SessionId::new("s1").unwrap()), ..ResultFilter::default() };
        let of_both = ResultFilter { user_id: Some(user("bob")), ..by_session.clone() };
        let closed = ResultFilter { period: period(Some(10), Some(20)), ..ResultFilter::default() };
        let from = ResultFilter { period: period(Some(20), None), ..ResultFilter::default() };

        assert_eq!(times(&read(db, &by_version)), [10]);
        assert_eq!(times(&read(db, &unstated)), [30, 20, 10]);
        assert_eq!(times(&read(db, &by_user)), [20, 10, 10]);
        assert_eq!(times(&read(db, &by_session)), [30, 10, 10]);
        assert_eq!(times(&read(db, &of_both)), [30]);
        assert_eq!(times(&read(db, &closed)), [20, 10, 10]);
        assert_eq!(times(&read(db, &from)), [30, 20]);
    }

    fn results_are_filtered_by_source_outcome_and_escalation(db) {
        let mut web = judged("ada", "s1", 10);
        web.source = source("web");
        let failed = |id: &str, at: i64, cause| JudgedResult { judgement: failure(cause), ..judged("ada", id, at) };
        let mut escalated = failed("s3", 30, FailureType::WrongAnswer);
        escalated.judgement.is_escalated = true;
        keep(&db.database, &[web, failed("s2", 20, FailureType::SystemError), escalated]).unwrap();
        let every = ResultFilter::default;
        let outcome = |outcome| ResultFilter { outcome: Some(outcome), ..every() };
        let escalation = |escalation| ResultFilter { escalation: Some(escalation), ..every() };

        assert_eq!(times(&read(db, &ResultFilter { source: Some(source("web")), ..every() })), [10]);
        assert_eq!(times(&read(db, &ResultFilter { source: Some(source("")), ..every() })), [30, 20]);
        assert_eq!(times(&read(db, &outcome(Outcome::Success))), [10]);
        assert_eq!(times(&read(db, &outcome(Outcome::Failure))), [30, 20]);
        assert_eq!(times(&read(db, &outcome(Outcome::FailureBy(FailureType::SystemError)))), [20]);
        assert_eq!(times(&read(db, &escalation(Escalation::Escalated))), [30]);
        assert_eq!(times(&read(db, &escalation(Escalation::NotEscalated))), [20, 10]);
    }

    fn without_a_period_the_latest_made_verdicts_come_first_with_or_without_a_turn(db) {
        judge_learnings(db, &session("ada", "s1"), &[made(5, Some(90), "a"), made(9, None, "b"), made(5, Some(10), "c")]);

        let all = learnings(db, &LearningVerdictFilter::default(), None);

        let keys: Vec<_> = all.iter().map(|row| (row.verdict.created_at, row.result_id)).collect();
        assert!(keys.windows(2).all(|two| two[0] > two[1]), "{keys:?}");
        assert_eq!(ids(&all)[0], "b");
        let rest = learnings(db, &LearningVerdictFilter::default(), Some(Cursor { at: all[1].verdict.created_at, id: all[1].result_id }));
        assert_eq!(rest, all[2..]);
    }

    fn with_a_period_the_latest_turns_come_first_and_a_verdict_without_one_is_left_out(db) {
        judge_learnings(db, &session("ada", "s1"), &[made(5, Some(90), "a"), made(9, None, "b"), made(7, Some(10), "c"), made(1, Some(50), "d")]);
        let all_turns = LearningVerdictFilter { period: period(Some(0), None), ..LearningVerdictFilter::default() };
        let some = LearningVerdictFilter { period: period(Some(10), Some(50)), ..LearningVerdictFilter::default() };

        let all = learnings(db, &all_turns, None);

        assert_eq!(ids(&all), ["a", "d", "c"]);
        assert_eq!(ids(&learnings(db, &some, None)), ["d", "c"]);
        let after = Some(Cursor { at: at(90), id: all[0].result_id });
        assert_eq!(ids(&learnings(db, &all_turns, after)), ["d", "c"]);
    }

    fn turns_of_one_second_are_paged_by_number(db) {
        judge_learnings(db, &session("ada", "s1"), &[made(1, Some(5), "a"), made(1, Some(5), "b"), made(1, Some(5), "c")]);
        let filter = LearningVerdictFilter { period: period(None, Some(5)), ..LearningVerdictFilter::default() };
        let all = learnings(db, &filter, None);

        let after = Some(Cursor { at: at(5), id: all[0].result_id });

        assert_eq!(learnings(db, &filter, after), all[1..]);
        assert_eq!(all.len(), 3);
    }

    fn verdicts_on_learnings_are_filtered_by_user_and_session(db) {
        judge_learnings(db, &session("ada", "s1"), &[made(1, Some(1), "a")]);
        judge_learnings(db, &session("ada", "s2"), &[made(2, Some(2), "b")]);
        judge_learnings(db, &session("bob", "s1"), &[made(3, Some(3), "c")]);
        let by_user = LearningVerdictFilter { user_id: Some(user("ada")), ..LearningVerdictFilter::default() };
        let by_session =
            LearningVerdictFilter { session_id: Some(SessionId::new("s1").unwrap()), ..LearningVerdictFilter::default() };
        let in_period = LearningVerdictFilter { period: period(Some(0), None), ..by_session.clone() };

        assert_eq!(ids(&learnings(db, &by_user, None)), ["b", "a"]);
        assert_eq!(ids(&learnings(db, &by_session, None)), ["c", "a"]);
        assert_eq!(ids(&learnings(db, &in_period, None)), ["c", "a"]);
        assert_eq!(db.database.learning_verdicts(&org("umbrella"), &by_user, None, 10), Ok(vec![]));
    }

    fn recent_shadow_verdicts_are_those_of_the_rubric_since_the_time_newest_first(db) {
        let store: &dyn UnitOfWork<dyn VerdictTx> = &db.database;
        let of = session("ada", "s1");
        for (turn, rubric, made_at) in [(1, "v1", 99), (2, "v1", 100), (3, "v2", 300), (4, "v1", 200), (5, "v1", 200)] {
            store.transact(&org("acme"), |tx| tx.keep_shadow_verdict(&shadow(&of, turn, rubric, made_at))).unwrap();
        }

        let recent = db.database.recent(&org("acme"), &version("v1"), at(100), &ShadowFilter::default(), 10).unwrap();
        let two = db.database.recent(&org("acme"), &version("v1"), at(100), &ShadowFilter::default(), 2).unwrap();

        let turns: Vec<_> = recent.iter().map(|row| row.verdict.interaction_id.0).collect();
        assert_eq!(turns, [5, 4, 2]);
        assert_eq!(two, recent[..2]);
        assert_eq!(db.database.recent(&org("umbrella"), &version("v1"), at(0), &ShadowFilter::default(), 10), Ok(vec![]));
    }

    fn recent_shadow_verdicts_are_filtered_by_user_and_session(db) {
        let store: &dyn UnitOfWork<dyn VerdictTx> = &db.database;
        for (turn, of) in [(1, session("ada", "s1")), (2, session("ada", "s2")), (3, session("bob", "s1"))] {
            store.transact(&org("acme"), |tx| tx.keep_shadow_verdict(&shadow(&of, turn, "v1", 100 + turn))).unwrap();
        }
        let turns = |user_id: Option<&str>, session_id: Option<&str>| {
            let filter = ShadowFilter {
                user_id: user_id.map(user),
                session_id: session_id.map(|id| SessionId::new(id).unwrap()),
            };
            let rows = db.database.recent(&org("acme"), &version("v1"), at(0), &filter, 10).unwrap();
            rows.iter().map(|row| row.verdict.interaction_id.0).collect::<Vec<_>>()
        };

        assert_eq!(turns(Some("ada"), None), [2, 1]);
        assert_eq!(turns(None, Some("s1")), [3, 1]);
        assert_eq!(turns(Some("ada"), Some("s1")), [1]);
    }
}
