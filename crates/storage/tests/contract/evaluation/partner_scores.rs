//! Keeping partners' scores: in place, behind the gate.

use std::sync::Arc;

use evaluation::{
    Intake, PartnerScore, PartnerScoreTx, ScoreBatch, ScoreIdentity, ScoreSubject, ScoreValue,
    TakePartnerScores,
};
use kernel::{Barrier, Label, StoreError, UnitOfWork};
use storage::{Database, on_both};

use super::samples::{bar, judged, keep, session, slice, snapshot, source, user};
use crate::{at, org};

fn store(database: &Database) -> &dyn UnitOfWork<dyn PartnerScoreTx> {
    database
}

fn identity(run: &str, scorer: &str) -> ScoreIdentity {
    ScoreIdentity { source_run_id: Label::new(run).unwrap(), scorer_name: Label::new(scorer).unwrap() }
}

fn score(run: &str, scorer: &str, value: f64, ts: i64, subject: ScoreSubject) -> PartnerScore {
    PartnerScore {
        identity: identity(run, scorer),
        value: ScoreValue::new(value).unwrap(),
        at: at(ts),
        subject,
    }
}

fn take(database: &Database, scores: Vec<PartnerScore>) -> Result<Intake, evaluation::EvaluationError> {
    TakePartnerScores::new(Arc::new(database.clone())).take(&org("acme"), &ScoreBatch::new(scores).unwrap())
}

on_both! {
    fn scores_are_found_as_they_were_kept_whatever_they_are_about(db) {
        let scores = [
            score("run", "facts", 0.1, 5, ScoreSubject::Unstated),
            score("run", "tone", -2.5e99, 6, ScoreSubject::User(user("ada"))),
            score("run 2", "facts", 1.0, 7, ScoreSubject::Session(session("ada", "s1"))),
        ];
        take(&db.database, scores.to_vec()).unwrap();
        let wanted = [identity("run", "facts"), identity("run", "tone"), identity("run 2", "facts"), identity("x", "tone")];

        let mut kept = store(&db.database).transact(&org("acme"), |tx| tx.existing(&wanted)).unwrap();
        let others = store(&db.database).transact(&org("acme"), |tx| tx.existing(&[identity("run 2", "tone")])).unwrap();

        kept.sort_by(|one, other| one.identity.cmp(&other.identity));
        assert_eq!(kept, scores);
        assert_eq!(others, []);
    }

    fn a_repeat_of_the_same_run_and_scorer_is_changed_in_place(db) {
        let one = score("run", "facts", 0.5, 5, ScoreSubject::Session(session("ada", "s1")));
        assert_eq!(take(&db.database, vec![one.clone()]), Ok(Intake { imported: 1, updated: 0 }));
        assert_eq!(take(&db.database, vec![one]), Ok(Intake { imported: 0, updated: 0 }));

        let changed = score("run", "facts", 0.75, 9, ScoreSubject::Unstated);
        assert_eq!(take(&db.database, vec![changed.clone()]), Ok(Intake { imported: 0, updated: 1 }));

        let kept = store(&db.database).transact(&org("acme"), |tx| tx.existing(&[identity("run", "facts")])).unwrap();
        assert_eq!(kept, [changed]);
    }

    fn ten_thousand_scores_are_kept_at_once(db) {
        let many: Vec<_> =
            (0..10_000).map(|n| score(&format!("run {n}"), "facts", 1.0, n, ScoreSubject::Unstated)).collect();

        assert_eq!(take(&db.database, many.clone()), Ok(Intake { imported: 10_000, updated: 0 }));
        assert_eq!(take(&db.database, many), Ok(Intake { imported: 0, updated: 0 }));
    }

    fn no_score_is_kept_for_a_user_whose_erasure_has_begun(db) {
        bar(db, "ada", "erased");
        let about = score("run", "facts", 1.0, 5, ScoreSubject::User(user("ada")));

        let refused = take(&db.database, vec![score("run", "tone", 1.0, 5, ScoreSubject::Unstated), about.clone()]);
        let around = store(&db.database).transact(&org("acme"), |tx| tx.keep(std::slice::from_ref(&about)));

        assert_eq!(refused, Err(StoreError::Barred(Barrier::Erased).into()));
        assert!(matches!(around, Err(StoreError::Failed(_))), "a rule that forgets the gate cannot write: {around:?}");
        assert_eq!(db.number("SELECT count(*) AS n FROM partner_scores"), 0);
    }

    fn a_score_belongs_to_the_source_of_the_evaluated_session_that_it_names(db) {
        let mut web = judged("ada", "s1", 100);
        web.source = source("web");
        keep(&db.database, &[web, judged("bob", "s1", 100)]).unwrap();
        take(&db.database, vec![
            score("a", "facts", 1.0, 10, ScoreSubject::Session(session("ada", "s1"))),
            score("b", "facts", 2.0, 20, ScoreSubject::Session(session("ada", "s1"))),
            score("c", "facts", 4.0, 20, ScoreSubject::Session(session("bob", "s1"))),
            score("d", "facts", 8.0, 20, ScoreSubject::Session(session("ada", "not judged"))),
            score("e", "facts", 16.0, 20, ScoreSubject::User(user("ada"))),
            score("f", "tone", 32.0, 20, ScoreSubject::Unstated),
            score("g", "tone", 64.0, 21, ScoreSubject::Unstated),
        ]).unwrap();

        let mut sums: Vec<_> = snapshot(&db.database, |snapshot| snapshot.partner_sums(&slice(10, 20)))
            .into_iter()
            .map(|row| (row.scorer_name.into_string(), row.source.map(kernel::Source::into_string), row.sum, row.n))
            .collect();

        sums.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        let row = |name: &str, source: Option<&str>, sum, n| (name.to_owned(), source.map(str::to_owned), sum, n);
        assert_eq!(sums, [
            row("facts", None, 24.0, 2),
            row("facts", Some(""), 4.0, 1),
            row("facts", Some("web"), 3.0, 2),
            row("tone", None, 32.0, 1),
        ]);
    }
}
