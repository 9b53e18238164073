//! The counts of the overview: closed windows, pieces by name, one moment for all.

use evaluation::overview::{CitedRule, Cut, RuleKey, TallyRow};
use evaluation::{Bucket, CitedRuleReceiver, LearningKind, OverviewSnapshot, Slice, Tally, VerdictTx};
use kernel::{AgentVersion, SessionId, StoreError, UnitOfWork};
use storage::on_both;
use storage::testing::TestDatabase;

use super::samples::{
    DAY, HOUR, MONDAY, all_results, cite, judged, keep, named, of_version, session, shadow, slice, snapshot,
    source, success, tally, version, window,
};
use crate::{at, org};

fn tallies(db: &TestDatabase, start: i64, end: i64, cut: Cut) -> Vec<TallyRow> {
    let mut rows = snapshot(&db.database, |snapshot| snapshot.tallies(&slice(start, end), cut));
    rows.sort_by(|one, other| (one.start, &one.source).cmp(&(other.start, &other.source)));
    rows
}

fn n(rows: &[TallyRow]) -> u64 {
    rows.iter().map(|row| row.tally.n).sum()
}

/// The ids of the rules that passed by.
#[derive(Default)]
struct Rules(Vec<String>);

impl CitedRuleReceiver for Rules {
    fn receive(&mut self, cited: CitedRule) {
        self.0.push(cited.rule.rule_id);
    }
}

/// Keeps one session at each of these times.
fn sessions_at(db: &TestDatabase, times: &[i64]) {
    let results: Vec<_> =
        times.iter().enumerate().map(|(n, time)| judged("ada", &format!("s{n}"), *time)).collect();
    keep(&db.database, &results).unwrap();
}

on_both! {
    fn a_window_is_closed_on_both_ends_to_the_second(db) {
        sessions_at(db, &[MONDAY + 10, MONDAY + 11, MONDAY + DAY + 5, MONDAY + DAY + 6]);

        for bucket in Bucket::ALL {
            let cut = Cut::Into(*bucket);
            assert_eq!(n(&tallies(db, MONDAY + 10, MONDAY + DAY + 6, cut)), 4, "{bucket:?}");
            assert_eq!(n(&tallies(db, MONDAY + 11, MONDAY + DAY + 5, cut)), 2, "{bucket:?}");
            assert_eq!(n(&tallies(db, MONDAY + 10, MONDAY + 10, cut)), 1, "{bucket:?}");
            assert_eq!(n(&tallies(db, MONDAY + 12, MONDAY + DAY + 4, cut)), 0, "{bucket:?}");
        }
        assert_eq!(n(&tallies(db, i64::MIN, i64::MAX, Cut::Whole)), 4);
    }

    fn a_piece_is_named_by_its_start_and_the_whole_window_by_its_own(db) {
        sessions_at(db, &[MONDAY - 1, MONDAY, MONDAY + DAY, MONDAY + 7 * DAY]);
        let starts = |cut| -> Vec<_> {
            tallies(db, MONDAY - 1, MONDAY + 8 * DAY, cut).iter().map(|row| (row.start.seconds(), row.tally.n)).collect()
        };

        assert_eq!(starts(Cut::Whole), [(MONDAY - 1, 4)]);
        assert_eq!(starts(Cut::Into(Bucket::Week)), [(MONDAY - 7 * DAY, 1), (MONDAY, 2), (MONDAY + 7 * DAY, 1)]);
        assert_eq!(
            starts(Cut::Into(Bucket::Day)),
            [(MONDAY - DAY, 1), (MONDAY, 1), (MONDAY + DAY, 1), (MONDAY + 7 * DAY, 1)]
        );
        assert_eq!(starts(Cut::Into(Bucket::Hour))[0], (MONDAY - HOUR, 1));
    }

    fn time_before_the_epoch_and_far_ahead_belongs_to_the_right_pieces(db) {
        let far = 253_402_300_799;
        sessions_at(db, &[-1, far]);
        for bucket in Bucket::ALL {
            let rows = tallies(db, -9 * DAY, far + 9 * DAY, Cut::Into(*bucket));
            let starts: Vec<_> = rows.iter().map(|row| row.start).collect();
            assert_eq!(starts, [bucket.start_of(at(-1)), bucket.start_of(at(far))]);
        }
    }

    fn each_source_has_tallies_of_its_own_also_the_empty_one(db) {
        let mut web = judged("ada", "s1", MONDAY);
        web.source = source("web");
        web.judgement = evaluation::Judgement { corrections: 9, turns_to_resolution: Some(4), is_escalated: true, ..success() };
        keep(&db.database, &[web.clone(), judged("bob", "s1", MONDAY)]).unwrap();

        let rows = tallies(db, MONDAY, MONDAY + DAY, Cut::Whole);

        let expected: Vec<(_, Tally)> =
            vec![(source(""), tally(&[&success()])), (source("web"), tally(&[&web.judgement]))];
        assert_eq!(rows.into_iter().map(|row| (row.source, row.tally)).collect::<Vec<_>>(), expected);
    }

    fn five_thousand_sessions_of_one_hour_are_all_counted(db) {
        for batch in 0..5_i64 {
            let results: Vec<_> =
                (0..1_000).map(|n| judged(&format!("u{n}"), &format!("s{batch}"), MONDAY + (n + batch) % HOUR)).collect();
            keep(&db.database, &results).unwrap();
        }

        assert_eq!(n(&tallies(db, MONDAY, MONDAY + HOUR - 1, Cut::Whole)), 5_000);
        assert_eq!(n(&tallies(db, MONDAY + 1, MONDAY + HOUR - 1, Cut::Into(Bucket::Hour))), 4_999);
    }

    fn sessions_lists_each_evaluated_session_of_the_window_with_its_source(db) {
        let mut web = judged("ada", "s1", MONDAY);
        web.source = source("web");
        keep(&db.database, &[web.clone(), named(web, "tone"), judged("bob", "s1", MONDAY), judged("ada", "s2", MONDAY - 1)])
            .unwrap();

        let mut listed = snapshot(&db.database, |snapshot| snapshot.sessions(&slice(MONDAY, MONDAY)));

        listed.sort();
        let rows: Vec<_> = listed.into_iter().map(|row| (row.source, row.session)).collect();
        assert_eq!(rows, [(source(""), session("bob", "s1")), (source("web"), session("ada", "s1"))]);
    }

    fn verdicts_are_counted_by_kind_bucket_and_rubric(db) {
        let store: &dyn UnitOfWork<dyn VerdictTx> = &db.database;
        for (turn, rubric, made_at) in
            [(1, "v1", MONDAY), (2, "v1", MONDAY + HOUR), (3, "v1", MONDAY + DAY), (4, "v2", MONDAY), (5, "v1", MONDAY - 1)]
        {
            let verdict = shadow(&session("ada", "s1"), turn, rubric, made_at);
            store.transact(&org("acme"), |tx| tx.keep_shadow_verdict(&verdict)).unwrap();
        }
        let count = |bucket| {
            let mut rows: Vec<_> = snapshot(&db.database, |snapshot| {
                snapshot.verdicts(window(MONDAY, MONDAY + DAY), &version("v1"), bucket)
            })
            .into_iter()
            .map(|row| (row.start.seconds(), row.n))
            .collect();
            rows.sort_unstable();
            rows
        };

        assert_eq!(count(Bucket::Hour), [(MONDAY, 1), (MONDAY + HOUR, 1), (MONDAY + DAY, 1)]);
        assert_eq!(count(Bucket::Day), [(MONDAY, 2), (MONDAY + DAY, 1)]);
        let counted = |enough| snapshot(&db.database, |snapshot| snapshot.verdict_count(&version("v1"), enough));
        assert_eq!((counted(500), counted(3)), (4, 3));
    }

    fn recent_lists_every_result_and_the_first_is_the_earliest_of_all(db) {
        keep(&db.database, &[judged("ada", "s1", 30), named(judged("ada", "s1", 30), "tone"), judged("ada", "s2", 10),
            judged("ada", "s3", 90)]).unwrap();

        let (recent, first) =
            snapshot(&db.database, |snapshot| Ok((snapshot.recent(&slice(10, 30), 2)?, snapshot.first_result_at()?)));

        let all = all_results(&db.database, "acme");
        assert_eq!(recent.into_iter().map(|kept| kept.result).collect::<Vec<_>>(), all[1..3]);
        assert_eq!(first, Some(at(10)));
    }

    fn an_empty_organization_has_nothing_to_show(db) {
        let seen = snapshot(&db.database, |snapshot| {
            let all = &slice(i64::MIN, i64::MAX);
            Ok((snapshot.tallies(all, Cut::Into(Bucket::Week))?, snapshot.sessions(all)?, snapshot.recent(all, 9)?,
                snapshot.first_result_at()?, snapshot.partner_sums(all)?, snapshot.rule_titles(all.window, &[])?,
                snapshot.citing_sessions(all, &[])?))
        });

        assert_eq!(seen, (vec![], vec![], vec![], None, vec![], vec![], vec![]));
    }

    fn every_read_of_one_look_sees_the_same_moment(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY)]).unwrap();
        let all = &slice(0, i64::MAX);
        let store: &dyn UnitOfWork<dyn OverviewSnapshot> = &db.database;

        let (before, after) = store
            .transact(&org("acme"), |snapshot| {
                let before = snapshot.tallies(all, Cut::Whole)?;
                keep(&db.database, &[judged("bob", "s1", MONDAY)])?;
                Ok::<_, StoreError>((before, (snapshot.tallies(all, Cut::Whole)?, snapshot.recent(all, 9)?.len())))
            })
            .unwrap();

        assert_eq!((n(&before), n(&after.0), after.1), (1, 1, 1));
        assert_eq!(n(&tallies(db, 0, i64::MAX, Cut::Whole)), 2);
    }

    fn a_look_does_not_see_another_organization(db) {
        keep(&db.database, &[judged("ada", "s1", MONDAY)]).unwrap();
        let store: &dyn UnitOfWork<dyn OverviewSnapshot> = &db.database;
        let all = &slice(0, i64::MAX);

        let seen = store
            .transact(&org("umbrella"), |snapshot| {
                Ok::<_, StoreError>((
                    snapshot.tallies(all, Cut::Whole)?,
                    snapshot.recent(all, 9)?,
                    snapshot.agent_versions(all.window)?,
                ))
            })
            .unwrap();

        assert_eq!(seen, (vec![], vec![], vec![]));
    }

    fn the_versions_of_a_window_are_those_with_a_result_in_it(db) {
        keep(&db.database, &[
            of_version(judged("ada", "s1", 10), "v2"),
            of_version(judged("ada", "s2", 20), "v10"),
            of_version(judged("bob", "s1", 20), "v10"),
            judged("ada", "s3", 30),
        ]).unwrap();
        let versions = |start, end| {
            let found = snapshot(&db.database, |snapshot| snapshot.agent_versions(window(start, end)));
            found.iter().map(|version| version.as_str().to_owned()).collect::<Vec<_>>()
        };

        assert_eq!(versions(0, 100), ["", "v10", "v2"]);
        assert_eq!(versions(10, 20), ["v10", "v2"]);
        assert_eq!(versions(31, 40), Vec::<String>::new());
    }

    fn of_one_version_only_the_sessions_are_counted_for_which_it_speaks(db) {
        // s1 was judged at v1 and later at v2: v2 speaks for it. s2 was judged at v1 alone.
        let mut later = of_version(judged("ada", "s1", MONDAY), "v2");
        later.judged_at = at(MONDAY + DAY);
        later.judgement = evaluation::Judgement { corrections: 3, turns_to_resolution: Some(5), ..success() };
        for (session_id, turn) in [("s1", 1), ("s2", 2)] {
            cite(db, &session("ada", session_id), (LearningKind::Profile, session_id), "T", (turn, turn));
        }
        keep(&db.database, &[of_version(judged("ada", "s1", MONDAY), "v1"), later.clone(),
            of_version(judged("ada", "s2", MONDAY + DAY), "v1")]).unwrap();
        let of = |named: &str| Slice { agent_version: Some(AgentVersion::new(named).unwrap()), ..slice(MONDAY, MONDAY + DAY) };

        let seen = |named: &str| snapshot(&db.database, |snapshot| {
            let mut rules = Rules::default();
            snapshot.cited_rules(&of(named), &mut rules)?;
            let keys: Vec<_> = ["s1", "s2"].map(|id| RuleKey { kind: LearningKind::Profile, rule_id: id.to_owned() }).into();
            let ids = |rows: Vec<SessionId>| rows.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
            Ok((
                snapshot.tallies(&of(named), Cut::Into(Bucket::Day))?,
                rules.0,
                ids(snapshot.citing_sessions(&of(named), &keys)?.into_iter().map(|row| row.session_id).collect()),
                ids(snapshot.sessions(&of(named))?.into_iter().map(|row| row.session.session_id).collect()),
                snapshot.recent(&of(named), 9)?.len(),
            ))
        });

        let row = |start, judgement| TallyRow { start: at(start), source: source(""), tally: tally(&[judgement]) };
        let s1 = || vec!["s1".to_owned()];
        assert_eq!(seen("v2"), (vec![row(MONDAY, &later.judgement)], s1(), s1(), s1(), 1));
        let s2 = || vec!["s2".to_owned()];
        assert_eq!(seen("v1"), (vec![row(MONDAY + DAY, &success())], s2(), s2(), s2(), 2));
        assert_eq!(seen("v3"), (vec![], vec![], vec![], vec![], 0));
    }
}
