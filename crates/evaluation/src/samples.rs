//! Values that the tests of this room build on.

use std::sync::Arc;

use kernel::{AgentVersion, EvaluationName, MockClock, OrgId, SessionId, Source, Timestamp, UserId};

use crate::{
    AgentSuccessResult, FailureType, InteractionId, Judgement, KeptResult, LearningKind, LearningVerdict,
    NewLearningVerdict, Reason, ResultIdentity, SessionKey,
};

pub(crate) fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

pub(crate) fn clock_at(seconds: i64) -> Arc<MockClock> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(at(seconds));
    Arc::new(clock)
}

pub(crate) fn session(user: &str, session: &str) -> SessionKey {
    SessionKey { user_id: UserId::new(user).unwrap(), session_id: SessionId::new(session).unwrap() }
}

pub(crate) fn identity(user: &str, session_id: &str) -> ResultIdentity {
    ResultIdentity {
        session: session(user, session_id),
        agent_version: AgentVersion::unstated(),
        evaluation_name: EvaluationName::agent_success(),
    }
}

pub(crate) fn success() -> Judgement {
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

pub(crate) fn failure(failure_type: FailureType) -> Judgement {
    Judgement { is_success: false, failure_type: Some(failure_type), ..success() }
}

pub(crate) fn result(user: &str, session: &str) -> AgentSuccessResult {
    AgentSuccessResult {
        result_id: 1,
        identity: identity(user, session),
        created_at: at(0),
        judged_at: at(0),
        judgement: success(),
    }
}

/// Results whose number and time run down from `count` to 1.
pub(crate) fn numbered_results(count: i64) -> Vec<KeptResult> {
    let numbered = |number: i64| AgentSuccessResult {
        result_id: number,
        created_at: at(number),
        ..result("ada", &format!("s{number}"))
    };
    (1..=count)
        .rev()
        .map(|number| KeptResult { result: numbered(number), source: Source::unstated(), judge: None })
        .collect()
}

pub(crate) fn learning_verdict(result_id: i64, created_at: i64, turn_at: i64) -> LearningVerdict {
    LearningVerdict {
        result_id,
        session: session("ada", "s1"),
        verdict: NewLearningVerdict {
            agent_version: AgentVersion::unstated(),
            interaction_id: Some(InteractionId(1)),
            interaction_created_at: Some(at(turn_at)),
            kind: LearningKind::Profile,
            learning_id: "p1".to_owned(),
            is_relevant: Some(true),
            relevance_reason: Reason::default(),
            impact: None,
            impact_reason: Reason::default(),
            diagnosis: None,
            evaluated_playbook_digest: None,
            diagnosis_evidence_complete: true,
            created_at: at(created_at),
        },
    }
}
