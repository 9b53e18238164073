//! Values and shorthands that the tests of evaluation build on.

use evaluation::{
    AgentSuccessResult, FailureType, InteractionId, JudgedResult, Judgement, LearningKind,
    NewLearningVerdict, NewShadowVerdict, PromptVersion, Reason, ResultFilter, ResultIdentity, ResultReader,
    ResultTx, ServicePosition, SessionKey, Slice, Tally,
};
use evaluation::{BetterRequest, OverviewSnapshot};
use governance::KeyRing;
use kernel::{
    AgentVersion, Clock, EvaluationName, SessionId, Source, StoreError, Timestamp, UnitOfWork, UserId, Window,
};
use storage::Database;
use storage::testing::{SECRET, TestDatabase};

use crate::{at, found, org};

pub(super) const HOUR: i64 = 3_600;
pub(super) const DAY: i64 = 24 * HOUR;
/// 2024-02-26 00:00 UTC, a Monday.
pub(super) const MONDAY: i64 = 1_708_905_600;

pub(super) struct At(pub(super) i64);

impl Clock for At {
    fn now(&self) -> Timestamp {
        at(self.0)
    }
}

pub(super) fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

pub(super) fn session(user_id: &str, session_id: &str) -> SessionKey {
    SessionKey { user_id: user(user_id), session_id: SessionId::new(session_id).unwrap() }
}

pub(super) fn source(text: &str) -> Source {
    Source::new(text).unwrap()
}

pub(super) fn version(text: &str) -> PromptVersion {
    PromptVersion::new(text).unwrap()
}

pub(super) fn window(start: i64, end: i64) -> Window {
    Window::new(at(start), at(end)).unwrap()
}

/// All sessions from the first to the last second.
pub(super) fn slice(start: i64, end: i64) -> Slice {
    Slice::all(window(start, end))
}

pub(super) fn success() -> Judgement {
    Judgement {
        is_success: true,
        failure_type: None,
        failure_reason: Reason::default(),
        regular_vs_shadow: None,
        corrections: 0,
        turns_to_resolution: None,
        is_escalated: false,
        tags: None,
    }
}

pub(super) fn failure(failure_type: FailureType) -> Judgement {
    Judgement { is_success: false, failure_type: Some(failure_type), ..success() }
}

/// A success of `agent_success`, judged an hour after the session began.
pub(super) fn judged(user_id: &str, session_id: &str, created_at: i64) -> JudgedResult {
    JudgedResult {
        identity: ResultIdentity {
            session: session(user_id, session_id),
            agent_version: AgentVersion::unstated(),
            evaluation_name: EvaluationName::agent_success(),
        },
        created_at: at(created_at),
        source: Source::unstated(),
        judged_at: at(created_at + HOUR),
        judgement: success(),
        judge: None,
    }
}

pub(super) fn of_version(mut result: JudgedResult, version: &str) -> JudgedResult {
    result.identity.agent_version = AgentVersion::new(version).unwrap();
    result
}

pub(super) fn named(mut result: JudgedResult, name: &str) -> JudgedResult {
    result.identity.evaluation_name = EvaluationName::new(name).unwrap();
    result
}

pub(super) fn results(database: &Database) -> &dyn UnitOfWork<dyn ResultTx> {
    database
}

pub(super) fn keep(database: &Database, kept: &[JudgedResult]) -> Result<(), StoreError> {
    results(database).transact(&org("acme"), |tx| tx.keep(kept))
}

/// Every result of the organization, newest first.
pub(super) fn all_results(database: &Database, of: &str) -> Vec<AgentSuccessResult> {
    let kept = database.results(&org(of), &ResultFilter::default(), None, 100_000).unwrap();
    kept.into_iter().map(|kept| kept.result).collect()
}

pub(super) fn snapshot<T>(
    database: &Database,
    reads: impl FnMut(&mut (dyn OverviewSnapshot + 'static)) -> Result<T, StoreError>,
) -> T {
    let store: &dyn UnitOfWork<dyn OverviewSnapshot> = database;
    store.transact(&org("acme"), reads).unwrap()
}

/// Notes a request as publishing does: the earliest by (time, id) is the session's first.
pub(super) fn publish(db: &TestDatabase, of: &SessionKey, request: &str, created_at: i64, source: &str) {
    let (user, session) = (of.user_id.as_str(), of.session_id.as_str());
    db.execute(&format!(
        "INSERT INTO sessions (org_id, user_id, session_id, first_request_at, first_request_id, source, \
         last_request_at, last_request_id, agent_version) \
         VALUES ('acme', '{user}', '{session}', {created_at}, '{request}', '{source}', {created_at}, '{request}', '') \
         ON CONFLICT (org_id, user_id, session_id) DO UPDATE SET first_request_at = excluded.first_request_at, \
         first_request_id = excluded.first_request_id, source = excluded.source \
         WHERE (excluded.first_request_at, excluded.first_request_id) \
         < (sessions.first_request_at, sessions.first_request_id)"
    ));
}

/// Adds a turn to a session.
pub(super) fn turn(db: &TestDatabase, of: &SessionKey) {
    let (user, session) = (of.user_id.as_str(), of.session_id.as_str());
    db.execute(&format!(
        "INSERT INTO interactions (org_id, user_id, session_id, request_id, position, created_at, role, is_user, \
         is_agent, content, shadow_content, expert_content, user_action, user_action_description, \
         interacted_image_url, tools_used, citations, retrieved_learnings) \
         VALUES ('acme', '{user}', '{session}', 'r', 0, 0, 'User', true, false, '', '', '', '', '', '', '[]', '[]', '[]')"
    ));
}

/// Notes a citation as publishing does: each rule once for a session, under its newest title that is not empty.
pub(super) fn cite(
    db: &TestDatabase,
    of: &SessionKey,
    rule: (LearningKind, &str),
    title: &str,
    cited: (i64, i64),
) {
    let (user, session) = (of.user_id.as_str(), of.session_id.as_str());
    let ((kind, rule_id), (cited_at, turn)) = ((rule.0.as_str(), rule.1), cited);
    db.execute(&format!(
        "INSERT INTO session_citations (org_id, user_id, session_id, kind, rule_id, title, interaction_id, cited_at) \
         VALUES ('acme', '{user}', '{session}', '{kind}', '{rule_id}', '{title}', {turn}, {cited_at}) \
         ON CONFLICT (org_id, user_id, session_id, kind, rule_id) DO UPDATE SET title = excluded.title, \
         interaction_id = excluded.interaction_id, cited_at = excluded.cited_at \
         WHERE excluded.title <> '' AND (session_citations.title = '' \
         OR (excluded.cited_at, excluded.interaction_id) > (session_citations.cited_at, session_citations.interaction_id))"
    ));
}

/// Deletes the rows of a user, or of one session of the user, from these tables in this order.
pub(super) fn delete(db: &TestDatabase, tables: &[&str], user: &str, session: Option<&str>) {
    let session = session.map(|id| format!(" AND session_id = '{id}'")).unwrap_or_default();
    for table in tables {
        db.execute(&format!("DELETE FROM {table} WHERE org_id = 'acme' AND user_id = '{user}'{session}"));
    }
}

/// Raises the barrier as an erasure does.
pub(super) fn bar(db: &TestDatabase, user_id: &str, state: &str) {
    found(db, &["acme"]);
    let ring = KeyRing::new(&[SECRET]).unwrap();
    for subject in ring.all_subject_refs(&org("acme"), &user(user_id)) {
        db.execute(&format!(
            "INSERT INTO subject_barriers (org_id, subject_ref, purge_id, state, raised_at) \
             VALUES ('acme', '{}', 'purge', '{state}', 0)",
            subject.as_str()
        ));
    }
}

pub(super) fn tally(sessions: &[&Judgement]) -> Tally {
    sessions.iter().map(|judgement| Tally::of(judgement)).sum()
}

pub(super) fn learning(turn: Option<i64>, kind: LearningKind, id: &str) -> NewLearningVerdict {
    NewLearningVerdict {
        agent_version: AgentVersion::new("v7").unwrap(),
        interaction_id: turn.map(InteractionId),
        interaction_created_at: turn.map(at),
        kind,
        learning_id: id.to_owned(),
        is_relevant: None,
        relevance_reason: Reason::default(),
        impact: None,
        impact_reason: Reason::default(),
        diagnosis: None,
        evaluated_playbook_digest: None,
        diagnosis_evidence_complete: false,
        created_at: at(100),
    }
}

pub(super) fn shadow(of: &SessionKey, turn: i64, rubric: &str, created_at: i64) -> NewShadowVerdict {
    NewShadowVerdict {
        interaction_id: InteractionId(turn),
        session: of.clone(),
        agent_version: AgentVersion::unstated(),
        service: ServicePosition::First,
        better_request: BetterRequest::First,
        is_significantly_better: false,
        comparison_reason: Reason::default(),
        judge_prompt_version: version(rubric),
        created_at: at(created_at),
    }
}
