//! Keeping results: in place, behind the gate, one organization at a time.

use evaluation::{
    FailureType, ImportBatch, ImportResults, ImportRow, Intake, Judgement, Reason, RegularVsShadow,
    SessionStart,
};
use kernel::{Barrier, Label, StoreError};
use storage::on_both;

use super::samples::{
    At, HOUR, all_results, bar, failure, judged, keep, named, of_version, publish, results, session, source,
    success, user,
};
use crate::{at, found, org};

fn everything_said() -> Judgement {
    Judgement {
        is_success: false,
        failure_type: Some(FailureType::InsufficientInfoFromTool),
        failure_reason: Reason::new("the tool's answer was cut off\n…").unwrap(),
        regular_vs_shadow: Some(RegularVsShadow::ShadowIsSlightlyBetter),
        corrections: u32::MAX,
        turns_to_resolution: Some(7),
        is_escalated: true,
        tags: Some(vec![Label::new("größer \"x\"").unwrap(), Label::new("b").unwrap()]),
    }
}

on_both! {
    fn a_result_is_read_back_as_it_was_kept(db) {
        let mut result = of_version(judged("ada", "s1", 500), "v2");
        result.judgement = everything_said();

        keep(&db.database, std::slice::from_ref(&result)).unwrap();

        let read = all_results(&db.database, "acme");
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].identity, result.identity);
        assert_eq!(read[0].judgement, result.judgement);
        assert_eq!((read[0].created_at, read[0].judged_at), (at(500), at(500 + HOUR)));
    }

    fn judging_again_changes_the_result_in_place_and_keeps_its_number(db) {
        let mut result = judged("ada", "s1", 500);
        result.judgement = everything_said();
        keep(&db.database, std::slice::from_ref(&result)).unwrap();
        let before = all_results(&db.database, "acme");

        result.judgement = success();
        result.judged_at = at(9_000);
        keep(&db.database, std::slice::from_ref(&result)).unwrap();

        let after = all_results(&db.database, "acme");
        assert_eq!(after.len(), 1);
        assert_eq!(after[0].result_id, before[0].result_id);
        assert_eq!((&after[0].judgement, after[0].judged_at), (&success(), at(9_000)));
    }

    fn another_user_version_or_name_is_another_result(db) {
        let one = judged("ada", "s1", 500);
        let others =
            [judged("bob", "s1", 500), of_version(one.clone(), "v2"), named(one.clone(), "tone"), judged("ada", "s2", 500)];

        keep(&db.database, std::slice::from_ref(&one)).unwrap();
        keep(&db.database, &others).unwrap();

        assert_eq!(all_results(&db.database, "acme").len(), 5);
    }

    fn of_two_results_of_one_identity_in_a_batch_the_later_stands(db) {
        let mut later = judged("ada", "s1", 500);
        later.judgement = failure(FailureType::WrongTool);

        keep(&db.database, &[judged("ada", "s1", 500), later.clone()]).unwrap();

        assert_eq!(all_results(&db.database, "acme")[0].judgement, later.judgement);
    }

    fn a_thousand_results_are_kept_at_once(db) {
        let many: Vec<_> = (0..1_000).map(|n| judged(&format!("u{n}"), &format!("s{n}"), n * 60)).collect();

        keep(&db.database, &many).unwrap();

        assert_eq!(all_results(&db.database, "acme").len(), 1_000);
        assert_eq!(db.number("SELECT count(*) AS n FROM session_outcomes"), 1_000);
    }

    fn existing_finds_exactly_the_identities_asked_for(db) {
        let one = judged("ada", "s1", 500);
        let crossed = [judged("ada", "s2", 500), judged("bob", "s1", 500), of_version(one.clone(), "v2")];
        keep(&db.database, std::slice::from_ref(&one)).unwrap();
        keep(&db.database, &crossed).unwrap();
        let wanted = [one.identity.clone(), judged("bob", "s2", 0).identity, crossed[2].identity.clone()];

        let found = results(&db.database).transact(&org("acme"), |tx| tx.existing(&wanted)).unwrap();

        let mut identities: Vec<_> = found.into_iter().map(|result| result.identity).collect();
        identities.sort();
        assert_eq!(identities, [one.identity, crossed[2].identity.clone()]);
    }

    fn the_start_of_a_published_session_is_that_of_its_earliest_request(db) {
        let (ours, theirs) = (session("ada", "s1"), session("bob", "s1"));
        publish(db, &ours, "r2", 900, "app");
        publish(db, &ours, "r1", 700, "web");
        publish(db, &ours, "r3", 800, "mail");
        publish(db, &theirs, "r4", 100, "");
        let wanted = [ours.clone(), session("ada", "s2"), session("cyd", "s1")];

        let starts = results(&db.database).transact(&org("acme"), |tx| tx.session_starts(&wanted)).unwrap();

        assert_eq!(starts, [(ours, SessionStart { at: at(700), source: source("web") })]);
    }

    fn no_result_is_kept_for_a_user_whose_erasure_has_begun(db) {
        for (name, state, barrier) in
            [("ada", "erasing", Barrier::Erasing), ("bob", "erased", Barrier::Erased)]
        {
            bar(db, name, state);
            let batch = [judged("cyd", "s1", 500), judged(name, "s1", 500)];

            assert_eq!(keep(&db.database, &batch), Err(StoreError::Barred(barrier)));
            let admitted = results(&db.database).transact(&org("acme"), |tx| tx.admit(&[user(name)]));
            assert_eq!(admitted, Err(StoreError::Barred(barrier)));
        }
        for table in ["evaluation_results", "session_outcomes", "outcome_rollup"] {
            assert_eq!(db.number(&format!("SELECT count(*) AS n FROM {table}")), 0, "{table}");
        }
    }

    fn an_organization_never_sees_anothers_results(db) {
        keep(&db.database, &[judged("ada", "s1", 500)]).unwrap();

        let identity = judged("ada", "s1", 500).identity;
        let seen = results(&db.database).transact(&org("umbrella"), |tx| tx.existing(std::slice::from_ref(&identity))).unwrap();

        assert_eq!(seen, []);
        assert_eq!(all_results(&db.database, "umbrella"), []);
    }

    fn an_import_counts_what_is_new_and_what_changed_and_nothing_else(db) {
        found(db, &["acme"]);
        publish(db, &session("ada", "known"), "r1", 700, "web");
        let import = ImportResults::new(std::sync::Arc::new(db.database.clone()), std::sync::Arc::new(At(9_000)));
        let row = |name: &str, judgement: Judgement| ImportRow {
            identity: judged("ada", name, 0).identity,
            created_at: Some(at(300)),
            judgement,
        };
        let batch = ImportBatch::new(vec![row("known", success()), row("unknown", success())]).unwrap();
        let changed =
            ImportBatch::new(vec![row("known", success()), row("unknown", failure(FailureType::WrongAnswer))]).unwrap();

        assert_eq!(import.import(&org("acme"), &batch), Ok(Intake { imported: 2, updated: 0 }));
        assert_eq!(import.import(&org("acme"), &batch), Ok(Intake { imported: 0, updated: 0 }));
        assert_eq!(import.import(&org("acme"), &changed), Ok(Intake { imported: 0, updated: 1 }));

        // Newest first: the published session's own time stands, the unknown one's is the row's.
        let times: Vec<_> = all_results(&db.database, "acme").iter().map(|result| result.created_at).collect();
        assert_eq!(times, [at(700), at(300)]);
    }
}
