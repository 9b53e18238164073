//! Which rules were cited in sessions that came out well, and which in those that did not: the ends of a ranking, not
//! proof of cause.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use kernel::{SessionId, Source};

use super::sources::Scope;
use crate::{CitedRuleReceiver, LearningKind};

/// How many rules are listed at either end.
pub const MOST_RULES: usize = 5;

/// A learning that sessions cite.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleKey {
    /// Its kind.
    pub kind: LearningKind,
    /// Its id among those of its kind.
    pub rule_id: String,
}

/// How the sessions of one source came out that cited a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedRule {
    /// The rule.
    pub rule: RuleKey,
    /// The source.
    pub source: Source,
    /// Sessions that cited it and succeeded.
    pub successes: u64,
    /// Sessions that cited it and failed.
    pub failures: u64,
}

/// The name under which a rule was cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTitle {
    /// The rule.
    pub rule: RuleKey,
    /// The newest non-empty title.
    pub title: String,
}

/// A session that cited a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitingSession {
    /// The rule.
    pub rule: RuleKey,
    /// The source of the session.
    pub source: Source,
    /// The session.
    pub session_id: SessionId,
}

/// How the sessions came out that cited a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleAttribution {
    /// The rule.
    pub rule: RuleKey,
    /// The name under which it was last cited; empty when it never had one.
    pub title: String,
    /// Sessions that cited it and succeeded.
    pub successes_with: u64,
    /// Sessions that cited it and failed.
    pub failures_with: u64,
    /// Successes less failures.
    pub net_sessions: i64,
    /// The ids of those sessions, each once; empty when session lists were left out.
    pub cited_session_ids: Vec<SessionId>,
}

/// A rule with the outcomes of one scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleStanding {
    pub(crate) rule: RuleKey,
    pub(crate) successes: u64,
    pub(crate) failures: u64,
}

impl RuleStanding {
    const fn net(&self) -> i64 {
        self.successes.cast_signed().saturating_sub(self.failures.cast_signed())
    }

    /// Sorts the best first: by net, then total, then kind, then id.
    const fn rank(&self) -> (Reverse<i64>, Reverse<u64>, &RuleKey) {
        (Reverse(self.net()), Reverse(self.successes + self.failures), &self.rule)
    }

    /// Sorts the most harmful first: by net, then total, then kind, then id.
    const fn harm(&self) -> (i64, Reverse<u64>, &RuleKey) {
        (self.net(), Reverse(self.successes + self.failures), &self.rule)
    }
}

/// Both ends of the ranking of one scope.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RuleLists {
    /// The rules of highest net, best first.
    pub(crate) best: Vec<RuleStanding>,
    /// The rules of lowest net below 0, most harmful first.
    pub(crate) harmful: Vec<RuleStanding>,
}

impl RuleLists {
    /// Puts a rule into its places, if it has any.
    fn offer(&mut self, candidate: RuleStanding) {
        if candidate.net() < 0 {
            let place = self.harmful.partition_point(|worse| worse.harm() < candidate.harm());
            insert(&mut self.harmful, place, candidate.clone());
        }
        let place = self.best.partition_point(|better| better.rank() < candidate.rank());
        insert(&mut self.best, place, candidate);
    }
}

fn insert(list: &mut Vec<RuleStanding>, place: usize, rule: RuleStanding) {
    if place < MOST_RULES {
        list.insert(place, rule);
        list.truncate(MOST_RULES);
    }
}

/// Keeps both ends of each scope's ranking while the counts pass by, so that memory does not grow with the rules.
pub(crate) struct Ranking<'a> {
    scopes: &'a [Scope<'a>],
    lists: Vec<RuleLists>,
    open: Option<RuleKey>,
    outcomes: Vec<(u64, u64)>,
}

impl<'a> Ranking<'a> {
    pub(crate) fn new(scopes: &'a [Scope<'a>]) -> Self {
        Self {
            scopes,
            lists: vec![RuleLists::default(); scopes.len()],
            open: None,
            outcomes: vec![(0, 0); scopes.len()],
        }
    }

    /// The lists of each scope.
    pub(crate) fn finish(mut self) -> Vec<RuleLists> {
        self.close();
        self.lists
    }

    /// Offers the rule that is complete now to the lists of each scope.
    fn close(&mut self) {
        let Some(rule) = self.open.take() else { return };
        for (lists, outcome) in self.lists.iter_mut().zip(&mut self.outcomes) {
            let (successes, failures) = std::mem::take(outcome);
            if successes + failures > 0 {
                lists.offer(RuleStanding { rule: rule.clone(), successes, failures });
            }
        }
    }
}

impl CitedRuleReceiver for Ranking<'_> {
    /// Adds one source of a rule; the sources of a rule come directly one after another.
    fn receive(&mut self, cited: CitedRule) {
        if self.open.as_ref() != Some(&cited.rule) {
            self.close();
            self.open = Some(cited.rule);
        }
        for (scope, outcome) in self.scopes.iter().zip(&mut self.outcomes) {
            if scope.holds(&cited.source) {
                outcome.0 += cited.successes;
                outcome.1 += cited.failures;
            }
        }
    }
}

/// Every rule that made it into some list, once.
pub(crate) fn keys(lists: &[RuleLists]) -> Vec<RuleKey> {
    let listed = lists.iter().flat_map(|lists| lists.best.iter().chain(&lists.harmful));
    let rules: BTreeSet<_> = listed.map(|standing| &standing.rule).collect();
    rules.into_iter().cloned().collect()
}

/// What else is told about the rules that made it.
#[derive(Debug, Default)]
pub(crate) struct RuleDetails {
    titles: BTreeMap<RuleKey, String>,
    citing: BTreeMap<RuleKey, Vec<(Source, SessionId)>>,
}

impl RuleDetails {
    pub(crate) fn new(titles: Vec<RuleTitle>, citing: Vec<CitingSession>) -> Self {
        let titles = titles.into_iter().map(|title| (title.rule, title.title)).collect();
        let mut by_rule: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for row in citing {
            by_rule.entry(row.rule).or_default().push((row.source, row.session_id));
        }
        Self { titles, citing: by_rule }
    }

    fn session_ids(&self, scope: Scope<'_>, rule: &RuleKey) -> Vec<SessionId> {
        let citing = self.citing.get(rule).into_iter().flatten();
        let ids: BTreeSet<_> = citing.filter(|(source, _)| scope.holds(source)).map(|(_, id)| id).collect();
        ids.into_iter().cloned().collect()
    }
}

/// The listed rules of a scope with all that is told about them.
pub(crate) fn rows(scope: Scope<'_>, rules: &[RuleStanding], details: &RuleDetails) -> Vec<RuleAttribution> {
    rules
        .iter()
        .map(|standing| RuleAttribution {
            rule: standing.rule.clone(),
            title: details.titles.get(&standing.rule).cloned().unwrap_or_default(),
            successes_with: standing.successes,
            failures_with: standing.failures,
            net_sessions: standing.net(),
            cited_session_ids: details.session_ids(scope, &standing.rule),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceSet;
    use crate::overview::tests::support::{cited, citing, rule, set_of};

    fn lists(rows: Vec<CitedRule>) -> RuleLists {
        let scopes = [Scope::Everything];
        let mut ranking = Ranking::new(&scopes);
        for row in rows {
            ranking.receive(row);
        }
        ranking.finish().remove(0)
    }

    fn ranked(rows: Vec<CitedRule>) -> Vec<(LearningKind, String, i64)> {
        let best = lists(rows).best;
        best.iter().map(|row| (row.rule.kind, row.rule.rule_id.clone(), row.net())).collect()
    }

    fn ids(rows: Vec<CitedRule>) -> Vec<String> {
        ranked(rows).into_iter().map(|(_, id, _)| id).collect()
    }

    #[test]
    fn the_five_rules_of_highest_net_are_listed_best_first() {
        let rows = [("a", 1, 0), ("b", 9, 2), ("c", 0, 3), ("d", 5, 0), ("e", 2, 0), ("f", 3, 0)]
            .map(|(id, wins, losses)| cited(LearningKind::Profile, id, "", wins, losses));

        // Nets: a 1, b 7, c −3, d 5, e 2, f 3.
        assert_eq!(ids(rows.to_vec()), ["b", "d", "f", "e", "a"]);
    }

    #[test]
    fn of_equal_net_the_more_cited_comes_first_then_kind_then_id() {
        let rows = vec![
            cited(LearningKind::UserPlaybook, "1", "", 2, 0),
            cited(LearningKind::AgentPlaybook, "9", "", 2, 0),
            cited(LearningKind::AgentPlaybook, "10", "", 2, 0),
            cited(LearningKind::Profile, "z", "", 5, 3),
        ];

        assert_eq!(
            ranked(rows),
            [
                (LearningKind::Profile, "z".to_owned(), 2),
                (LearningKind::AgentPlaybook, "10".to_owned(), 2),
                (LearningKind::AgentPlaybook, "9".to_owned(), 2),
                (LearningKind::UserPlaybook, "1".to_owned(), 2),
            ]
        );
    }

    #[test]
    fn a_rule_that_does_harm_has_a_negative_net() {
        let rows = ranked(vec![cited(LearningKind::Profile, "bad", "", 1, 4)]);

        assert_eq!(rows, [(LearningKind::Profile, "bad".to_owned(), -3)]);
    }

    #[test]
    fn the_five_rules_of_lowest_net_below_0_do_harm() {
        let rows = [
            ("a", 1, 2),
            ("b", 0, 9),
            ("c", 5, 5),
            ("d", 2, 5),
            ("e", 0, 3),
            ("f", 0, 1),
            ("g", 0, 2),
            ("h", 3, 0),
        ]
        .map(|(id, wins, losses)| cited(LearningKind::Profile, id, "", wins, losses));

        let harmful = lists(rows.to_vec()).harmful;

        // Nets: a −1 of 3, b −9, c 0, d −3 of 7, e −3 of 3, f −1 of 1, g −2, h 3.
        let ids: Vec<_> = harmful.iter().map(|row| row.rule.rule_id.as_str()).collect();
        assert_eq!(ids, ["b", "d", "e", "g", "a"]);
    }

    #[test]
    fn a_set_counts_only_its_own_sources() {
        let web = set_of("w", &["web"]);
        let scopes = [Scope::Everything, Scope::Set(&web)];
        let mut ranking = Ranking::new(&scopes);
        ranking.receive(cited(LearningKind::Profile, "a", "app", 4, 0));
        ranking.receive(cited(LearningKind::Profile, "a", "web", 1, 2));
        ranking.receive(cited(LearningKind::Profile, "b", "app", 1, 0));

        let lists = ranking.finish();

        let standing = |id: &str, successes, failures| RuleStanding {
            rule: rule(LearningKind::Profile, id),
            successes,
            failures,
        };
        assert_eq!(lists[0].best, [standing("a", 5, 2), standing("b", 1, 0)]);
        assert_eq!(lists[1].best, [standing("a", 1, 2)]);
        assert_eq!((lists[0].harmful.len(), &lists[1].harmful), (0, &vec![standing("a", 1, 2)]));
        assert_eq!(keys(&lists), [rule(LearningKind::Profile, "a"), rule(LearningKind::Profile, "b")]);
    }

    #[test]
    fn a_row_tells_its_title_and_the_sessions_of_its_scope_each_once() {
        let key = rule(LearningKind::Profile, "a");
        let details = RuleDetails::new(
            vec![RuleTitle { rule: key.clone(), title: "Short answers".to_owned() }],
            vec![
                citing(&key, "web", "s2"),
                citing(&key, "web", "s1"),
                citing(&key, "app", "s9"),
                citing(&key, "web", "s2"),
            ],
        );
        let web: SourceSet = set_of("w", &["web"]);
        let standing = [RuleStanding { rule: key.clone(), successes: 2, failures: 1 }];

        let row = rows(Scope::Set(&web), &standing, &details).remove(0);

        assert_eq!(row.title, "Short answers");
        assert_eq!((row.successes_with, row.failures_with, row.net_sessions), (2, 1, 1));
        assert_eq!(row.cited_session_ids.iter().map(SessionId::as_str).collect::<Vec<_>>(), ["s1", "s2"]);
    }

    #[test]
    fn a_rule_that_never_had_a_title_has_an_empty_one() {
        let standing = [RuleStanding { rule: rule(LearningKind::Profile, "a"), successes: 1, failures: 0 }];

        let row = rows(Scope::Everything, &standing, &RuleDetails::default()).remove(0);

        assert_eq!((row.title.as_str(), row.cited_session_ids), ("", vec![]));
    }
}
