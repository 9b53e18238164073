//! The declaration itself: one entry per table of the schema, in the order in which an erasure empties them.

use super::{
    Column,
    Form::{self, Boolean, Integer, Json, Real, Text},
    Owner, Role, Table, Target, Treatment,
};

const fn column(name: &'static str, form: Form, treatment: Treatment) -> Column {
    Column { name, form, treatment }
}

/// Columns that share one treatment.
macro_rules! all {
    ($treatment:expr; $($name:ident: $form:expr),* $(,)?) => {
        &[$(column(stringify!($name), $form, $treatment)),*]
    };
}

const USER: Owner = Owner::Column("user_id");
const BELONGS_TO_ORGANIZATION: Treatment = Treatment::Keep("belongs to the organization, not to a user");
const MINIMIZED: Treatment = Treatment::Keep("proof of the erasure: minimized references and counts only");
const TOTALS_ONLY: Treatment =
    Treatment::Keep("totals over many sessions; names no user, and follows deletes");
const WORK_ROW: Treatment =
    Treatment::Keep("lets a crashed erasure go on; its final transaction deletes the row");

/// A table that says nothing about any user.
const fn kept(name: &'static str, key: &'static [&'static str], columns: &'static [Column]) -> Table {
    Table { name, key, owner: Owner::Nobody, role: Role::Kept, columns }
}

/// A table with a `user_id` whose rows are deleted with the target they repeat.
const fn attached(
    name: &'static str,
    key: &'static [&'static str],
    target: Target,
    columns: &'static [Column],
) -> Table {
    Table { name, key, owner: USER, role: Role::Attached(target), columns }
}

/// A table with a `user_id` whose rows are the target's list.
const fn listed(
    name: &'static str,
    key: &'static [&'static str],
    target: Target,
    columns: &'static [Column],
) -> Table {
    Table { name, key, owner: USER, role: Role::Listed(target), columns }
}

/// Every table of the schema.
pub static TABLES: &[Table] = &[
    // Links carry the user of the playbook they point to, so that they are found whatever went before.
    Table {
        name: "agent_playbook_sources",
        key: &["org_id", "agent_playbook_id", "user_playbook_id"],
        owner: USER,
        role: Role::Link { agent_playbook: "agent_playbook_id" },
        columns: all![Treatment::Unlink;
            org_id: Text, agent_playbook_id: Integer, user_playbook_id: Integer, user_id: Text,
            source_interaction_ids: Json],
    },
    // Queues and what only repeats other rows.
    attached(
        "learning_feed",
        &["org_id", "sequence"],
        Target::Requests,
        all![Treatment::Delete;
        org_id: Text, sequence: Integer, user_id: Text, session_id: Text, request_id: Text],
    ),
    attached(
        "session_evaluations",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, due_at: Integer, attempts: Integer, generation: Integer,
        fingerprint: Text, lease_holder: Text, lease_expires_at: Integer],
    ),
    attached(
        "shadow_judgements",
        &["org_id", "interaction_id"],
        Target::Interactions,
        all![Treatment::Delete;
        org_id: Text, interaction_id: Integer, user_id: Text, session_id: Text, due_at: Integer, attempts: Integer,
        lease_holder: Text, lease_expires_at: Integer],
    ),
    attached(
        "session_outcomes",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, result_id: Integer, created_at: Integer, source: Text,
        experiment_id: Text, arm: Text],
    ),
    attached(
        "rule_citations",
        &["org_id", "user_id", "session_id", "kind", "rule_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, kind: Text, rule_id: Text, title: Text],
    ),
    attached(
        "regeneration_items",
        &["org_id", "job_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, job_id: Text, user_id: Text, session_id: Text, status: Text],
    ),
    Table {
        name: "regeneration_failures",
        key: &["org_id", "job_id", "position"],
        owner: USER,
        role: Role::Blanked,
        columns: &[
            column("org_id", Text, BELONGS_TO_ORGANIZATION),
            column("job_id", Text, BELONGS_TO_ORGANIZATION),
            column("position", Integer, BELONGS_TO_ORGANIZATION),
            column("user_id", Text, Treatment::Blank),
            column("session_id", Text, Treatment::Blank),
            column("reason", Text, Treatment::Keep("one of our own sentences; holds no text of a user")),
        ],
    },
    // What judges and partners said.
    listed(
        "shadow_comparison_verdicts",
        &["org_id", "verdict_id"],
        Target::ShadowComparisonVerdicts,
        all![Treatment::Delete;
        org_id: Text, verdict_id: Integer, interaction_id: Integer, user_id: Text, session_id: Text,
        agent_version: Text, service_is_request_1: Boolean, better_request: Text, is_significantly_better: Boolean,
        comparison_reason: Text, judge_prompt_version: Text, created_at: Integer],
    ),
    listed(
        "retrieved_learning_evaluation_results",
        &["org_id", "result_id"],
        Target::RetrievedLearningEvaluationResults,
        all![Treatment::Delete;
        org_id: Text, result_id: Integer, user_id: Text, session_id: Text, agent_version: Text,
        interaction_id: Integer, interaction_created_at: Integer, kind: Text, learning_id: Text, is_relevant: Boolean,
        relevance_reason: Text, impact: Text, impact_reason: Text, diagnosis: Json, evaluated_playbook_digest: Text,
        diagnosis_evidence_complete: Boolean, created_at: Integer],
    ),
    listed(
        "agent_success_evaluation_results",
        &["org_id", "result_id"],
        Target::AgentSuccessEvaluationResults,
        all![Treatment::Delete;
        org_id: Text, result_id: Integer, user_id: Text, session_id: Text, agent_version: Text,
        evaluation_name: Text, is_success: Boolean, failure_type: Text, failure_reason: Text, created_at: Integer,
        judged_at: Integer, regular_vs_shadow: Text, number_of_correction_per_session: Integer,
        user_turns_to_resolution: Integer, is_escalated: Boolean, tags: Json, source: Text],
    ),
    listed(
        "partner_scores",
        &["org_id", "source_run_id", "scorer_name"],
        Target::PartnerScores,
        all![Treatment::Delete;
        org_id: Text, source_run_id: Text, scorer_name: Text, value: Real, ts: Integer, user_id: Text,
        session_id: Text],
    ),
    listed(
        "search_exposures",
        &["org_id", "experiment_id", "user_id", "session_id"],
        Target::SearchExposures,
        all![Treatment::Delete;
        org_id: Text, experiment_id: Text, user_id: Text, session_id: Text, arm: Text, exposed_at: Integer],
    ),
    // What was published, children before parents.
    listed(
        "interactions",
        &["org_id", "interaction_id"],
        Target::Interactions,
        all![Treatment::Delete;
        org_id: Text, interaction_id: Integer, user_id: Text, session_id: Text, request_id: Text, position: Integer,
        role: Text, content: Text, shadow_content: Text, expert_content: Text, created_at: Integer, tools_used: Json,
        citations: Json, retrieved_learnings: Json, user_action: Text, user_action_description: Text,
        interacted_image_url: Text, output_tokens: Integer],
    ),
    listed(
        "requests",
        &["org_id", "request_id"],
        Target::Requests,
        all![Treatment::Delete;
        org_id: Text, request_id: Text, user_id: Text, session_id: Text, source: Text, agent_version: Text,
        evaluation_only: Boolean, retrieval_experiment_id: Text, retrieval_experiment_arm: Text, body_digest: Text,
        answer: Json, created_at: Integer],
    ),
    listed(
        "sessions",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, first_request_id: Text, first_request_at: Integer,
        last_request_at: Integer, source: Text],
    ),
    // What was learned.
    listed(
        "user_playbooks",
        &["org_id", "user_playbook_id"],
        Target::UserPlaybooks,
        all![Treatment::Delete;
        org_id: Text, user_playbook_id: Integer, user_id: Text, agent_version: Text, request_id: Text,
        playbook_name: Text, content: Text, trigger: Text, rationale: Text, structured_data: Json,
        source_interaction_ids: Json, source: Text, tags: Json, status: Text, created_at: Integer],
    ),
    listed(
        "profiles",
        &["org_id", "profile_id"],
        Target::Profiles,
        all![Treatment::Delete;
        org_id: Text, profile_id: Text, user_id: Text, content: Text, source: Text, tags: Json, status: Text,
        last_modified_timestamp: Integer, expiration_timestamp: Integer],
    ),
    // The organization's own.
    kept(
        "agent_playbooks",
        &["org_id", "agent_playbook_id"],
        all![BELONGS_TO_ORGANIZATION;
        org_id: Text, agent_playbook_id: Integer, playbook_name: Text, agent_version: Text, content: Text,
        trigger: Text, rationale: Text, structured_data: Json, playbook_status: Text, tags: Json, status: Text,
        created_at: Integer],
    ),
    kept(
        "organizations",
        &["org_id"],
        all![BELONGS_TO_ORGANIZATION;
        org_id: Text, profile: Text, configuration: Json, created_at: Integer],
    ),
    kept(
        "credentials",
        &["org_id", "credential_id"],
        all![BELONGS_TO_ORGANIZATION;
        org_id: Text, credential_id: Text, token_digest: Text, kind: Text, may_govern: Boolean, parent_id: Text,
        created_at: Integer, expires_at: Integer, last_used_at: Integer, revoked_at: Integer],
    ),
    kept(
        "experiments",
        &["org_id", "experiment_id"],
        all![BELONGS_TO_ORGANIZATION;
        sequence: Integer, org_id: Text, experiment_id: Text, holdout_percentage: Real, started_at: Integer,
        ended_at: Integer],
    ),
    kept(
        "regeneration_jobs",
        &["org_id", "job_id"],
        all![BELONGS_TO_ORGANIZATION;
        org_id: Text, job_id: Text, evaluation_name: Text, from_ts: Integer, to_ts: Integer, status: Text,
        total: Integer, completed: Integer, failed: Integer, total_candidates: Integer, concurrency_limit: Integer,
        started_at: Real, finished_at: Real],
    ),
    kept(
        "outcome_rollup",
        &["org_id", "hour", "source"],
        all![TOTALS_ONLY;
        org_id: Text, hour: Integer, source: Text, sessions: Integer, successes: Integer, corrections: Integer,
        turns: Integer, turns_sessions: Integer, escalations: Integer],
    ),
    // Governance's own.
    kept(
        "subject_barriers",
        &["org_id", "subject_ref"],
        all![MINIMIZED;
        org_id: Text, subject_ref: Text, purge_id: Text, state: Text, raised_at: Integer, erased_at: Integer],
    ),
    kept(
        "purge_operations",
        &["org_id", "purge_id"],
        all![MINIMIZED;
        org_id: Text, purge_id: Text, subject_ref: Text, request_ref: Text, actor_kind: Text, actor_ref: Text,
        status: Text, error_code: Text, error_detail: Text, fence: Integer, lease_holder: Text,
        due_at: Integer, created_at: Integer, updated_at: Integer, completed_at: Integer],
    ),
    kept(
        "purge_ledger",
        &["org_id", "purge_id", "target"],
        all![MINIMIZED;
        org_id: Text, purge_id: Text, target: Text, deleted: Integer],
    ),
    kept(
        "purge_unlinked",
        &["org_id", "purge_id", "agent_playbook_id"],
        all![MINIMIZED;
        org_id: Text, purge_id: Text, agent_playbook_id: Integer],
    ),
    kept("purge_work", &["org_id", "purge_id"], all![WORK_ROW; org_id: Text, purge_id: Text, user_id: Text]),
    kept(
        "audit_events",
        &["org_id", "sequence"],
        all![MINIMIZED;
        org_id: Text, sequence: Integer, actor_kind: Text, actor_ref: Text, operation: Text, outcome: Text,
        subject_ref: Text, request_ref: Text, counts: Json, created_at: Integer],
    ),
];
