//! Keeping verdicts: on learnings behind the fence, on shadows in place.

use evaluation::{
    BetterRequest, Diagnosis, DiagnosisCategory, Fenced, Impact, InteractionId, LearningKind,
    LearningVerdict, LearningVerdictFilter, NewLearningVerdict, NewShadowVerdict, Reason, ResultReader as _,
    ServicePosition, SessionKey, ShadowFilter, ShadowVerdictReader as _, VerdictFence, VerdictTx,
};
use kernel::{Barrier, StoreError, UnitOfWork};
use storage::{Database, on_both};

use super::samples::{bar, learning, session, shadow, turn, version};
use crate::{at, org};

fn store(database: &Database) -> &dyn UnitOfWork<dyn VerdictTx> {
    database
}

fn begin(database: &Database, of: &SessionKey) -> VerdictFence {
    store(database).transact(&org("acme"), |tx| tx.begin_run(of)).unwrap()
}

fn replace(
    database: &Database,
    of: &SessionKey,
    fence: &VerdictFence,
    verdicts: &[NewLearningVerdict],
) -> Result<Fenced, StoreError> {
    store(database).transact(&org("acme"), |tx| tx.replace_learning_verdicts(of, fence, verdicts))
}

/// The kept verdicts by number, ascending.
fn kept(database: &Database) -> Vec<LearningVerdict> {
    let mut rows =
        database.learning_verdicts(&org("acme"), &LearningVerdictFilter::default(), None, 1_000).unwrap();
    rows.sort_by_key(|row| row.result_id);
    rows
}

fn everything_said() -> NewLearningVerdict {
    let evidence = vec![InteractionId(3), InteractionId(i64::MAX)];
    NewLearningVerdict {
        is_relevant: Some(true),
        relevance_reason: Reason::new("it fits").unwrap(),
        impact: Some(Impact::Negative),
        impact_reason: Reason::new("but \"misleads\"").unwrap(),
        diagnosis: Some(Diagnosis::new(DiagnosisCategory::ContentDefect, "é says 5 %", evidence).unwrap()),
        evaluated_playbook_digest: Some("ab".repeat(32)),
        diagnosis_evidence_complete: true,
        ..learning(Some(5), LearningKind::UserPlaybook, "17")
    }
}

on_both! {
    fn a_verdict_on_a_learning_is_read_back_as_it_was_kept(db) {
        let of = session("ada", "s1");
        let said = [learning(None, LearningKind::Profile, "p1"), everything_said()];

        let answer = replace(&db.database, &of, &begin(&db.database, &of), &said);

        assert_eq!(answer, Ok(Fenced::Kept));
        let kept: Vec<_> = kept(&db.database).into_iter().map(|row| (row.session, row.verdict)).collect();
        assert_eq!(kept, said.map(|verdict| (of.clone(), verdict)));
    }

    fn a_set_replaces_the_one_before_and_a_verdict_on_the_same_keeps_its_number(db) {
        let of = session("ada", "s1");
        let stays = learning(Some(1), LearningKind::Profile, "p1");
        let (turnless, goes) = (learning(None, LearningKind::Profile, "p1"), learning(Some(2), LearningKind::Profile, "p1"));
        replace(&db.database, &of, &begin(&db.database, &of), &[stays.clone(), turnless.clone(), goes]).unwrap();
        let before = kept(&db.database);
        let other = session("bob", "s1");
        replace(&db.database, &other, &begin(&db.database, &other), std::slice::from_ref(&stays)).unwrap();

        let changed = NewLearningVerdict { impact: Some(Impact::Positive), ..stays };
        let new = learning(Some(1), LearningKind::AgentPlaybook, "p1");
        replace(&db.database, &of, &begin(&db.database, &of), &[new, turnless, changed.clone()]).unwrap();

        let after: Vec<_> = kept(&db.database).into_iter().filter(|row| row.session == of).collect();
        let number = |rows: &[LearningVerdict], turn: Option<i64>, kind| {
            rows.iter()
                .find(|row| row.verdict.interaction_id == turn.map(InteractionId) && row.verdict.kind == kind)
                .map(|row| row.result_id)
        };
        assert_eq!(after.len(), 3);
        assert_eq!(number(&after, Some(1), LearningKind::Profile), number(&before, Some(1), LearningKind::Profile));
        assert_eq!(number(&after, None, LearningKind::Profile), number(&before, None, LearningKind::Profile));
        assert!(number(&after, Some(1), LearningKind::AgentPlaybook) > before.last().map(|row| row.result_id));
        assert!(after.iter().any(|row| row.verdict == changed));
        assert_eq!(kept(&db.database).len(), 4, "the other user's verdict stays");
    }

    fn an_older_run_never_overwrites_a_newer_one(db) {
        let of = session("ada", "s1");
        let (older, newer) = (begin(&db.database, &of), begin(&db.database, &of));
        assert!(newer.generation > older.generation);
        let said = [learning(Some(1), LearningKind::Profile, "p1")];
        replace(&db.database, &of, &newer, &said).unwrap();

        let late = replace(&db.database, &of, &older, &[]);

        assert_eq!(late, Ok(Fenced::Stale));
        assert_eq!(kept(&db.database).len(), 1);
        assert_eq!(replace(&db.database, &of, &newer, &[]), Ok(Fenced::Kept), "the same run may say it again");
        assert_eq!(kept(&db.database), []);
        assert_eq!(replace(&db.database, &of, &older, &said), Ok(Fenced::Stale), "also when the newer said nothing");
    }

    fn a_run_that_judged_fewer_turns_than_there_are_keeps_nothing(db) {
        let of = session("ada", "s1");
        turn(db, &of);
        let fence = begin(&db.database, &of);
        turn(db, &session("bob", "s1"));
        turn(db, &session("ada", "s2"));
        let said = [learning(Some(1), LearningKind::Profile, "p1")];
        assert_eq!(replace(&db.database, &of, &fence, &said), Ok(Fenced::Kept));

        turn(db, &of);

        assert_eq!(replace(&db.database, &of, &fence, &[]), Ok(Fenced::Stale));
        assert_eq!(kept(&db.database).len(), 1);
        assert_ne!(begin(&db.database, &of).fingerprint, fence.fingerprint);
    }

    fn generations_rise_session_by_session(db) {
        let of = session("ada", "s1");

        let generations: Vec<_> = (0..3).map(|_| begin(&db.database, &of).generation).collect();

        assert!(generations.windows(2).all(|two| two[0] < two[1]), "{generations:?}");
        assert_eq!(begin(&db.database, &session("bob", "s1")).generation, generations[0]);
    }

    fn no_verdict_is_kept_for_a_user_whose_erasure_has_begun(db) {
        let of = session("ada", "s1");
        let fence = begin(&db.database, &of);
        bar(db, "ada", "erasing");
        let barred = StoreError::Barred(Barrier::Erasing);
        let late = shadow(&of, 1, "v1", 0);

        assert_eq!(replace(&db.database, &of, &fence, &[everything_said()]), Err(barred.clone()));
        let kept_late = store(&db.database).transact(&org("acme"), |tx| tx.keep_shadow_verdict(&late));
        assert_eq!(kept_late, Err(barred.clone()));
        let begun: Result<_, StoreError> = store(&db.database).transact(&org("acme"), |tx| tx.begin_run(&of));
        assert_eq!(begun, Err(barred));
        assert_eq!(kept(&db.database), []);
        assert_eq!(db.number("SELECT count(*) AS n FROM shadow_verdicts"), 0);
    }

    fn a_shadow_verdict_of_one_turn_and_rubric_is_changed_in_place(db) {
        let mut verdict = shadow(&session("ada", "s1"), 7, "v1", 100);
        let keep = |verdict: &NewShadowVerdict| store(&db.database).transact(&org("acme"), |tx| tx.keep_shadow_verdict(verdict)).unwrap();
        let first = keep(&verdict);

        verdict.service = ServicePosition::Second;
        verdict.better_request = BetterRequest::Tie;
        verdict.is_significantly_better = true;
        verdict.comparison_reason = Reason::new("both say 'no'").unwrap();
        verdict.created_at = at(200);
        let again = keep(&verdict);
        let other_rubric = keep(&shadow(&session("ada", "s1"), 7, "v2", 100));
        let other_turn = keep(&shadow(&session("ada", "s1"), 8, "v1", 50));

        assert_eq!(again, first);
        assert!(other_rubric != first && other_turn != first);
        let recent = db.database.recent(&org("acme"), &version("v1"), at(0), &ShadowFilter::default(), 10).unwrap();
        assert_eq!((recent.len(), recent[0].verdict_id), (2, first));
        assert_eq!(recent[0].verdict, verdict);
    }
}
