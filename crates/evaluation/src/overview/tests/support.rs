//! Counts that the tests of the overview build on.

use kernel::{Label, SessionId, Source};

use crate::overview::{
    CitedRule, CitingSession, PartnerSum, RuleKey, SourceSession, SourceSet, TallyRow, VerdictCount,
};
use crate::samples::{at, session};
use crate::{BetterRequest, LearningKind, ServicePosition, Tally};

pub(crate) fn source(name: &str) -> Source {
    Source::new(name).unwrap()
}

pub(crate) fn set_of(label: &str, sources: &[&str]) -> SourceSet {
    SourceSet {
        label: Label::new(label).unwrap(),
        sources: sources.iter().map(|name| source(name)).collect(),
    }
}

pub(crate) fn tally_row(start: i64, name: &str, tally: Tally) -> TallyRow {
    TallyRow { start: at(start), source: source(name), tally }
}

pub(crate) fn verdict_count(
    start: i64,
    name: &str,
    better_request: BetterRequest,
    service: ServicePosition,
    n: u64,
) -> VerdictCount {
    VerdictCount { start: at(start), source: source(name), better_request, service, n }
}

pub(crate) fn rule(kind: LearningKind, id: &str) -> RuleKey {
    RuleKey { kind, rule_id: id.to_owned() }
}

pub(crate) fn cited(kind: LearningKind, id: &str, name: &str, successes: u64, failures: u64) -> CitedRule {
    CitedRule { rule: rule(kind, id), source: source(name), successes, failures }
}

pub(crate) fn citing(rule: &RuleKey, name: &str, session_id: &str) -> CitingSession {
    CitingSession {
        rule: rule.clone(),
        source: source(name),
        session_id: SessionId::new(session_id).unwrap(),
    }
}

pub(crate) fn partner_sum(scorer: &str, name: Option<&str>, sum: f64, n: u64) -> PartnerSum {
    PartnerSum { scorer_name: Label::new(scorer).unwrap(), source: name.map(source), sum, n }
}

pub(crate) fn source_session(name: &str, user: &str, session_id: &str) -> SourceSession {
    SourceSession { source: source(name), session: session(user, session_id) }
}
