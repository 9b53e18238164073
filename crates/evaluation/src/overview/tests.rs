//! The overview as a whole: what is read, and how the parts fit together.

pub(crate) mod support;

use kernel::RunsOnce;
use mockall::predicate::{always, eq};
use support::{cited, citing, partner_sum, rule, set_of, source, source_session, tally_row, verdict_count};

use super::*;
use crate::calendar::{DAY, HOUR, WEEK};
use crate::ports::{MockOverviewSnapshot, MockShadowSettings};
use crate::samples::{at, clock_at, numbered_results, org};
use crate::{BetterRequest, LearningKind, PromptVersion, ServicePosition, ShadowMode};

/// 2024-02-26, a Monday.
const MONDAY: i64 = 1_708_905_600;

/// Two weeks from that Monday.
fn query(sets: Vec<SourceSet>) -> OverviewQuery {
    OverviewQuery {
        window: Window::new(at(MONDAY), at(MONDAY + 2 * WEEK - 1)).unwrap(),
        agent_version: None,
        bucket: Bucket::Week,
        shadow: Part::Included,
        sessions: Part::Included,
        source_sets: SourceSets::new(sets).unwrap(),
    }
}

fn sessions(n: u64, successes: u64) -> Tally {
    Tally { n, successes, ..Tally::default() }
}

/// A snapshot that holds nothing at all.
fn empty() -> MockOverviewSnapshot {
    let mut snapshot = MockOverviewSnapshot::new();
    snapshot.expect_tallies().returning(|_, _| Ok(vec![]));
    snapshot.expect_cited_rules().returning(|_, _| Ok(()));
    snapshot.expect_sessions().returning(|_| Ok(vec![]));
    snapshot.expect_verdicts().returning(|_, _, _| Ok(vec![]));
    snapshot.expect_verdict_count().returning(|_, _| Ok(0));
    snapshot.expect_partner_sums().returning(|_| Ok(vec![]));
    snapshot.expect_recent().returning(|_, _| Ok(vec![]));
    snapshot.expect_first_result_at().returning(|| Ok(None));
    snapshot
}

fn read(mut snapshot: MockOverviewSnapshot, query: &OverviewQuery) -> Result<Overview, EvaluationError> {
    let mut settings = MockShadowSettings::new();
    let setup = ShadowSetup { mode: ShadowMode::Off, pinned: PromptVersion::new("v1.1.0").unwrap() };
    settings.expect_shadow().return_const(Ok(setup));
    snapshot.expect_agent_versions().returning(|_| Ok(vec![AgentVersion::new("v1").unwrap()]));
    let store = Arc::new(RunsOnce::on(snapshot));
    ReadOverview::new(store, Arc::new(settings), clock_at(MONDAY + 2 * WEEK)).read(&org(), query)
}

#[test]
fn an_empty_window_is_empty_and_full_of_zeros() {
    let overview = read(empty(), &query(vec![set_of("web", &["web"])])).unwrap();

    assert_eq!(overview.hero.state, HeroState::Empty);
    assert_eq!((overview.hero.regular_success_rate_pp, overview.hero.ci95), (0.0, None));
    assert!(overview.hero.buckets.is_empty() && overview.rule_attribution.is_empty());
    assert_eq!(overview.context_tiles.baseline_sessions, 0);
    assert_eq!(overview.shadow_win_rate_trend.judge_prompt_version.as_str(), "v1.1.0");
    assert_eq!(overview.source_set_comparison.available_sources, []);
    assert_eq!(overview.source_set_comparison.unmatched_session_count, 0);
    assert_eq!(overview.source_set_comparison.sets[0].session_count, 0);
    assert_eq!(overview.source_set_comparison.sets[0].ci95, None);
}

/// A snapshot with 6 sessions from `web`, 3 from `app` and 1 without a source, and with three of them listed.
fn busy() -> MockOverviewSnapshot {
    let mut snapshot = counts();
    snapshot.expect_sessions().returning(|_| {
        Ok([("web", "ada", "s1"), ("web", "bob", "s1"), ("app", "ada", "s2")]
            .map(|(source, user, session)| source_session(source, user, session))
            .to_vec())
    });
    snapshot
}

/// The same without any list of sessions.
fn counts() -> MockOverviewSnapshot {
    let mut snapshot = MockOverviewSnapshot::new();
    snapshot.expect_tallies().with(always(), eq(Cut::Into(Bucket::Week))).times(1).returning(|_, _| {
        Ok(vec![
            tally_row(MONDAY, "web", sessions(4, 3)),
            tally_row(MONDAY + WEEK, "web", sessions(2, 2)),
            tally_row(MONDAY + WEEK, "app", sessions(3, 0)),
            tally_row(MONDAY + WEEK, "", sessions(1, 1)),
        ])
    });
    let current = Slice::all(Window::new(at(MONDAY + WEEK - 1), at(MONDAY + 2 * WEEK - 1)).unwrap());
    snapshot.expect_tallies().with(eq(current.clone()), eq(Cut::Whole)).times(1).returning(|_, _| {
        Ok(vec![
            tally_row(MONDAY + WEEK - 1, "web", sessions(2, 2)),
            tally_row(MONDAY + WEEK - 1, "app", sessions(3, 0)),
            tally_row(MONDAY + WEEK - 1, "", sessions(1, 1)),
        ])
    });
    let previous = Slice::all(Window::new(at(MONDAY - 1), at(MONDAY + WEEK - 2)).unwrap());
    snapshot
        .expect_tallies()
        .with(eq(previous.clone()), eq(Cut::Whole))
        .times(1)
        .returning(|_, _| Ok(vec![tally_row(MONDAY - 1, "web", sessions(4, 3))]));
    snapshot.expect_partner_sums().with(eq(current)).returning(|_| {
        Ok(vec![partner_sum("facts", Some("web"), 3.0, 4), partner_sum("facts", None, 0.0, 4)])
    });
    snapshot.expect_partner_sums().with(eq(previous)).returning(|_| Ok(vec![]));
    snapshot.expect_recent().with(always(), eq(100)).returning(|_, _| Ok(numbered_results(2)));
    snapshot.expect_first_result_at().returning(|| Ok(Some(at(MONDAY))));
    snapshot
}

fn with_rules(mut snapshot: MockOverviewSnapshot) -> MockOverviewSnapshot {
    snapshot.expect_cited_rules().returning(|_, receiver| {
        receiver.receive(cited(LearningKind::Profile, "p1", "app", 0, 2));
        receiver.receive(cited(LearningKind::Profile, "p1", "web", 3, 0));
        receiver.receive(cited(LearningKind::UserPlaybook, "7", "app", 1, 0));
        Ok(())
    });
    snapshot.expect_rule_titles().times(1).returning(|_, rules| {
        Ok(vec![RuleTitle { rule: rules[0].clone(), title: "Short answers".to_owned() }])
    });
    snapshot
}

fn with_verdicts(mut snapshot: MockOverviewSnapshot) -> MockOverviewSnapshot {
    snapshot.expect_verdicts().with(always(), always(), eq(Bucket::Day)).returning(|_, _, _| {
        let wins = |day, source, n| {
            verdict_count(MONDAY + day * DAY, source, BetterRequest::First, ServicePosition::First, n)
        };
        Ok(vec![wins(0, "web", 2), wins(1, "app", 1)])
    });
    snapshot.expect_verdict_count().with(always(), eq(500)).returning(|_, _| Ok(500));
    snapshot
}

fn two_sets() -> Vec<SourceSet> {
    vec![set_of("phones", &["app"]), set_of("browsers", &["web"])]
}

#[test]
fn the_headline_and_the_tiles_are_over_all_sources() {
    let mut snapshot = with_verdicts(with_rules(busy()));
    snapshot.expect_citing_sessions().returning(|_, _| Ok(vec![]));

    let overview = read(snapshot, &query(two_sets())).unwrap();

    // 3 + 2 + 0 + 1 of 4 + 2 + 3 + 1 sessions; 3 of 6 in the last seven days, 3 of 4 before.
    assert_eq!(overview.hero.regular_success_rate_pp, 60.0);
    assert_eq!(overview.hero.state, HeroState::Full);
    let rates: Vec<_> =
        overview.hero.buckets.iter().map(|bucket| (bucket.regular_rate, bucket.shadow_n)).collect();
    assert_eq!(rates, [(0.75, 3), (0.5, 0)]);
    assert_eq!(
        (overview.context_tiles.success.current, overview.context_tiles.success.delta_pp),
        (50.0, -25.0)
    );
    assert_eq!(overview.context_tiles.baseline_sessions, 4);
    assert_eq!(overview.partner_tiles[0].current, 0.375);
    assert_eq!(overview.shadow_win_rate_trend.window_total.counts.wins, 3);
    assert_eq!(overview.recent_results.len(), 2);
}

#[test]
fn sets_come_in_request_order_each_with_its_own_numbers() {
    let mut snapshot = with_verdicts(with_rules(busy()));
    snapshot.expect_citing_sessions().returning(|_, _| Ok(vec![]));

    let comparison = read(snapshot, &query(two_sets())).unwrap().source_set_comparison;

    let [phones, browsers] = &comparison.sets[..] else { panic!("two sets") };
    assert_eq!((phones.label.as_str(), phones.session_count, phones.success_rate_pp), ("phones", 3, 0.0));
    assert_eq!((browsers.label.as_str(), browsers.session_count), ("browsers", 6));
    assert!((browsers.success_rate_pp - 500.0 / 6.0).abs() < 1e-9);
    assert_eq!(browsers.ci95, crate::Interval::of_percentage(5, 6));
    assert_eq!(browsers.context_tiles.success.delta_pp, 25.0);
    assert_eq!(browsers.partner_tiles[0].current, 0.75);
    assert_eq!(phones.partner_tiles, []);
    assert_eq!(browsers.buckets[0].shadow_n, 2);
    assert_eq!(comparison.unmatched_session_count, 1);
}

#[test]
fn available_sources_and_their_sessions_are_told_whatever_the_sets() {
    let mut snapshot = with_verdicts(busy());
    snapshot.expect_cited_rules().returning(|_, _| Ok(()));

    let comparison = read(snapshot, &query(vec![])).unwrap().source_set_comparison;

    assert_eq!(comparison.available_sources, [source(""), source("app"), source("web")]);
    let web = &comparison.source_sessions[1];
    assert_eq!(web.source, source("web"));
    assert_eq!(web.session_ids.len(), 1, "two users share the id");
    assert_eq!(web.sessions.len(), 2);
    assert_eq!((comparison.sets.len(), comparison.unmatched_session_count), (0, 0));
}

#[test]
fn rules_are_ranked_within_each_set_and_tell_their_sessions() {
    let mut snapshot = with_verdicts(with_rules(busy()));
    snapshot.expect_citing_sessions().times(1).returning(|_, _| {
        let profile = rule(LearningKind::Profile, "p1");
        Ok(vec![citing(&profile, "app", "s2"), citing(&profile, "web", "s1")])
    });

    let overview = read(snapshot, &query(two_sets())).unwrap();

    let nets = |rows: &[RuleAttribution]| -> Vec<(String, i64)> {
        rows.iter().map(|row| (row.rule.rule_id.clone(), row.net_sessions)).collect()
    };
    let phones = &overview.source_set_comparison.sets[0];
    assert_eq!(nets(&overview.rule_attribution), [("p1".to_owned(), 1), ("7".to_owned(), 1)]);
    assert_eq!(overview.rule_attribution[0].title, "Short answers");
    assert_eq!(overview.rule_attribution[0].cited_session_ids.len(), 2);
    assert_eq!(nets(&phones.rule_attribution), [("7".to_owned(), 1), ("p1".to_owned(), -2)]);
    assert_eq!(nets(&phones.harmful_rules), [("p1".to_owned(), -2)]);
    assert_eq!(nets(&overview.harmful_rules), []);
    assert_eq!(phones.rule_attribution[1].cited_session_ids.len(), 1);
}

#[test]
fn without_session_lists_none_is_read_and_the_counts_stay() {
    // A mock without these two calls fails the test when they come.
    let snapshot = with_verdicts(with_rules(counts()));
    let query = OverviewQuery { sessions: Part::LeftOut, ..query(two_sets()) };

    let overview = read(snapshot, &query).unwrap();

    let comparison = overview.source_set_comparison;
    assert_eq!(comparison.source_sessions, []);
    assert_eq!(comparison.sets[1].session_ids, []);
    assert_eq!(comparison.sets[1].session_count, 6);
    assert_eq!(overview.rule_attribution[0].cited_session_ids, []);
    assert_eq!(overview.rule_attribution[0].successes_with, 3);
    assert_eq!(overview.recent_results.len(), 2);
}

#[test]
fn without_shadow_no_verdict_is_read_and_the_trend_is_zero() {
    let mut snapshot = busy();
    snapshot.expect_cited_rules().returning(|_, _| Ok(()));
    snapshot.expect_verdicts().never();
    snapshot.expect_verdict_count().never();

    let overview = read(snapshot, &OverviewQuery { shadow: Part::LeftOut, ..query(vec![]) }).unwrap();

    assert_eq!(overview.shadow_win_rate_trend.daily, []);
    assert_eq!(overview.shadow_win_rate_trend.window_total.counts, ShadowCounts::default());
    assert_eq!(overview.hero.state, HeroState::ShadowOff);
}

#[test]
fn a_store_that_keeps_no_verdicts_still_gives_the_rest() {
    let mut snapshot = busy();
    snapshot.expect_cited_rules().returning(|_, _| Ok(()));
    snapshot.expect_verdicts().returning(|_, _, _| Err(StoreError::Unsupported("verdicts")));
    snapshot.expect_verdict_count().returning(|_, _| Err(StoreError::Unsupported("verdicts")));

    let overview = read(snapshot, &query(vec![])).unwrap();

    assert_eq!(overview.hero.regular_success_rate_pp, 60.0);
    assert_eq!(overview.shadow_win_rate_trend.window_total.counts.n(), 0);
}

#[test]
fn a_store_that_is_away_is_an_error() {
    let mut snapshot = MockOverviewSnapshot::new();
    snapshot.expect_tallies().returning(|_, _| Err(StoreError::Unavailable("down".to_owned())));

    let refused = read(snapshot, &query(vec![]));

    assert_eq!(refused, Err(StoreError::Unavailable("down".to_owned()).into()));
}

#[test]
fn hours_are_read_by_the_hour_and_a_full_hour_is_one_bucket() {
    let mut snapshot = MockOverviewSnapshot::new();
    snapshot
        .expect_tallies()
        .with(always(), eq(Cut::Into(Bucket::Hour)))
        .returning(|_, _| Ok(vec![tally_row(MONDAY + HOUR, "", sessions(5_000, 4_000))]));
    snapshot.expect_tallies().with(always(), eq(Cut::Whole)).returning(|_, _| Ok(vec![]));
    snapshot
        .expect_verdicts()
        .with(always(), always(), eq(Bucket::Hour))
        .times(1)
        .returning(|_, _, _| Ok(vec![]));
    snapshot.expect_verdict_count().returning(|_, _| Ok(0));
    snapshot.expect_cited_rules().returning(|_, _| Ok(()));
    snapshot.expect_sessions().returning(|_| Ok(vec![]));
    snapshot.expect_partner_sums().returning(|_| Ok(vec![]));
    snapshot.expect_recent().returning(|_, _| Ok(vec![]));
    snapshot.expect_first_result_at().returning(|| Ok(Some(at(MONDAY))));

    let hero = read(snapshot, &OverviewQuery { bucket: Bucket::Hour, ..query(vec![]) }).unwrap().hero;

    assert_eq!(hero.buckets.len(), 1);
    assert_eq!((hero.buckets[0].ts, hero.buckets[0].regular_n), (at(MONDAY + HOUR), 5_000));
    assert_eq!(hero.regular_success_rate_pp, 80.0);
}

#[test]
fn a_version_is_asked_for_in_every_count_but_those_of_the_shadow() {
    let version = AgentVersion::new("v7").unwrap();
    let of_version = |slice: &Slice| slice.agent_version.as_ref().is_some_and(|named| named.as_str() == "v7");
    let mut snapshot = MockOverviewSnapshot::new();
    snapshot.expect_tallies().withf(move |slice, _| of_version(slice)).times(3).returning(|_, _| Ok(vec![]));
    snapshot.expect_cited_rules().withf(move |slice, _| of_version(slice)).times(1).returning(|_, _| Ok(()));
    snapshot.expect_sessions().withf(of_version).times(1).returning(|_| Ok(vec![]));
    snapshot.expect_partner_sums().withf(of_version).times(2).returning(|_| Ok(vec![]));
    snapshot.expect_recent().withf(move |slice, _| of_version(slice)).times(1).returning(|_, _| Ok(vec![]));
    snapshot.expect_first_result_at().returning(|| Ok(None));

    let overview =
        read(with_verdicts(snapshot), &OverviewQuery { agent_version: Some(version), ..query(vec![]) })
            .unwrap();

    assert_eq!(overview.shadow_win_rate_trend.window_total.counts.wins, 3);
    assert_eq!(overview.available_agent_versions, [AgentVersion::new("v1").unwrap()]);
}
