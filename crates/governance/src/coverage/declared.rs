//! The declaration itself: one entry per table of the schema, in the order in which an erasure empties them.

use super::{
    Column, Derived,
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
        name: "playbook_source_links",
        key: &["org_id", "agent_playbook_id", "position"],
        owner: USER,
        role: Role::Link { agent_playbook: "agent_playbook_id" },
        columns: all![Treatment::Unlink;
            org_id: Text, agent_playbook_id: Integer, position: Integer, user_playbook_id: Integer, user_id: Text,
            source_interaction_ids: Json],
    },
    // Queues and what only repeats other rows.
    attached(
        "feed_entries",
        &["org_id", "entry_id"],
        Target::Requests,
        all![Treatment::Delete;
        entry_id: Integer, sequence: Integer, org_id: Text, user_id: Text, session_id: Text, request_id: Text],
    ),
    attached(
        "work_items",
        &["org_id", "work_id"],
        Target::Sessions,
        all![Treatment::Delete;
        work_id: Integer, org_id: Text, kind: Text, user_id: Text, session_id: Text, subject: Integer,
        due_at: Integer, state: Text, revision: Integer, attempts: Integer, lease_holder: Text,
        lease_fence: Integer, lease_expires_at: Integer, last_error: Text, created_at: Integer, failed_at: Integer],
    ),
    attached(
        "session_claims",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, holder: Text, fence: Integer, expires_at: Integer],
    ),
    attached(
        "regeneration_failures",
        &["org_id", "failure_number"],
        Target::Sessions,
        all![Treatment::Delete;
        failure_number: Integer, org_id: Text, job_number: Integer, user_id: Text, session_id: Text, reason: Text],
    ),
    attached(
        "session_judgings",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, begun_generation: Integer, kept_generation: Integer,
        kept_fingerprint: Text, epoch_id: Integer, input_tokens: Integer, output_tokens: Integer,
        latency_ms: Integer, concluded_generation: Integer, learning_status: Text, graded_fingerprint: Text,
        graded_at: Integer, asked_version: Text],
    ),
    attached(
        "cited_outcomes",
        &["org_id", "user_id", "session_id", "kind", "rule_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, kind: Text, rule_id: Text, source: Text,
        created_at: Integer, is_success: Boolean, title: Text, titled_at: Integer, titled_by: Integer],
    ),
    // A session's part in an experiment, before the totals of its user that follow it.
    attached(
        "experiment_sessions",
        &["org_id", "user_id", "session_id", "experiment_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, experiment_id: Text, arm: Text, first_tagged_at: Integer,
        first_tagged_id: Text, last_tagged_at: Integer, output_tokens: Integer, uncounted_turns: Integer,
        is_contaminated: Boolean, evaluated_at: Integer, is_success: Boolean, corrections: Integer, turns: Integer,
        is_escalated: Boolean],
    ),
    attached(
        "experiment_users",
        &["org_id", "experiment_id", "arm", "user_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, experiment_id: Text, arm: Text, user_id: Text, exposures: Integer, published: Integer,
        counted: Integer, output_tokens: Integer, evaluated: Integer, successes: Integer, corrections: Integer,
        turns: Integer, resolved: Integer, escalated: Integer],
    ),
    attached(
        "session_citations",
        &["org_id", "user_id", "session_id", "kind", "rule_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, kind: Text, rule_id: Text, title: Text,
        interaction_id: Integer, cited_at: Integer],
    ),
    attached(
        "retrieved_learnings",
        &["org_id", "user_id", "session_id", "interaction_id", "kind", "learning_id"],
        Target::Interactions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, interaction_id: Integer, kind: Text, learning_id: Text],
    ),
    attached(
        "session_outcomes",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, result_id: Integer, created_at: Integer, source: Text,
        is_agent_success: Boolean, judged_at: Integer, is_success: Boolean,
        corrections: Integer, turns: Integer,
        is_escalated: Boolean, is_system_error: Boolean, shard: Integer],
    ),
    // What judges and partners said.
    listed(
        "shadow_verdicts",
        &["org_id", "session_id", "verdict_id"],
        Target::ShadowComparisonVerdicts,
        all![Treatment::Delete;
        verdict_id: Integer, org_id: Text, interaction_id: Integer, judge_prompt_version: Text, user_id: Text,
        session_id: Text, agent_version: Text, source: Text, service_is_request_1: Boolean, better_request: Text,
        is_significantly_better: Boolean, comparison_reason: Text, epoch_id: Integer, created_at: Integer,
        input_tokens: Integer, output_tokens: Integer, latency_ms: Integer],
    ),
    listed(
        "retrieved_learning_results",
        &["org_id", "created_at", "result_id"],
        Target::RetrievedLearningEvaluationResults,
        all![Treatment::Delete;
        result_id: Integer, org_id: Text, user_id: Text, session_id: Text, agent_version: Text,
        interaction_id: Integer, interaction_created_at: Integer, kind: Text, learning_id: Text, is_relevant: Boolean,
        relevance_reason: Text, impact: Text, impact_reason: Text, diagnosis: Json, evaluated_playbook_digest: Text,
        diagnosis_evidence_complete: Boolean, created_at: Integer],
    ),
    listed(
        "evaluation_results",
        &["org_id", "created_at", "result_id"],
        Target::AgentSuccessEvaluationResults,
        all![Treatment::Delete;
        result_id: Integer, org_id: Text, user_id: Text, session_id: Text, agent_version: Text,
        evaluation_name: Text, is_success: Boolean, failure_type: Text, failure_reason: Text,
        regular_vs_shadow: Text, number_of_correction_per_session: Integer, user_turns_to_resolution: Integer,
        is_escalated: Boolean, tags: Json, source: Text, created_at: Integer, judged_at: Integer, epoch_id: Integer],
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
        &["org_id", "created_at", "interaction_id"],
        Target::Interactions,
        all![Treatment::Delete;
        interaction_id: Integer, org_id: Text, user_id: Text, session_id: Text, request_id: Text, position: Integer,
        created_at: Integer, role: Text, is_user: Boolean, is_agent: Boolean, content: Text, shadow_content: Text,
        expert_content: Text, user_action: Text, user_action_description: Text, interacted_image_url: Text,
        tools_used: Json, citations: Json, retrieved_learnings: Json, output_tokens: Integer],
    ),
    listed(
        "requests",
        &["org_id", "created_at", "request_id"],
        Target::Requests,
        all![Treatment::Delete;
        org_id: Text, request_id: Text, user_id: Text, session_id: Text, created_at: Integer, source: Text,
        agent_version: Text, evaluation_only: Boolean, experiment_id: Text, experiment_arm: Text,
        body_digest: Text],
    ),
    listed(
        "sessions",
        &["org_id", "user_id", "session_id"],
        Target::Sessions,
        all![Treatment::Delete;
        org_id: Text, user_id: Text, session_id: Text, first_request_at: Integer, first_request_id: Text,
        source: Text, last_request_at: Integer, last_request_id: Text, agent_version: Text],
    ),
    // What was learned, and the words it is searched by.
    attached(
        "user_playbook_words",
        &["org_id", "user_playbook_id"],
        Target::UserPlaybooks,
        all![Treatment::Delete; user_playbook_id: Integer, org_id: Text, user_id: Text, words: Text],
    ),
    listed(
        "user_playbooks",
        &["org_id", "created_at", "user_playbook_id"],
        Target::UserPlaybooks,
        all![Treatment::Delete;
        user_playbook_id: Integer, org_id: Text, user_id: Text, request_id: Text, playbook_name: Text,
        agent_version: Text, content: Text, trigger: Text, rationale: Text, structured_data: Json, tags: Json,
        source: Text, source_interaction_ids: Json, created_at: Integer, status: Text],
    ),
    attached(
        "profile_words",
        &["org_id", "profile_key"],
        Target::Profiles,
        all![Treatment::Delete; profile_key: Integer, org_id: Text, user_id: Text, words: Text],
    ),
    listed(
        "profiles",
        &["org_id", "last_modified_timestamp", "profile_id"],
        Target::Profiles,
        all![Treatment::Delete;
        profile_key: Integer, org_id: Text, profile_id: Text, user_id: Text, content: Text, source: Text,
        generated_from_request_id: Text, time_to_live: Text, tags: Json, last_modified_timestamp: Integer,
        expiration_timestamp: Integer, status: Text],
    ),
    // The organization's own.
    kept(
        "agent_playbooks",
        &["org_id", "agent_playbook_id"],
        all![BELONGS_TO_ORGANIZATION;
        agent_playbook_id: Integer, org_id: Text, playbook_name: Text, agent_version: Text, content: Text,
        trigger: Text, rationale: Text, structured_data: Json, tags: Json, playbook_status: Text, metadata: Text,
        created_at: Integer, status: Text],
    ),
    kept(
        "agent_playbook_words",
        &["org_id", "agent_playbook_id"],
        all![BELONGS_TO_ORGANIZATION; agent_playbook_id: Integer, org_id: Text, words: Text],
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
        "judge_epochs",
        &["org_id", "epoch_id"],
        all![BELONGS_TO_ORGANIZATION;
        epoch_id: Integer, org_id: Text, prompt_version: Text, prompt_hash: Text, provider: Text,
        requested_model: Text, returned_model: Text, first_used_at: Integer],
    ),
    kept(
        "regeneration_jobs",
        &["org_id", "job_id"],
        all![BELONGS_TO_ORGANIZATION;
        job_number: Integer, org_id: Text, job_id: Text, evaluation_name: Text, from_ts: Integer, to_ts: Integer,
        status: Text, total: Integer, completed: Integer, failed: Integer, total_candidates: Integer,
        concurrency_limit: Integer, started_at: Integer, finished_at: Integer],
    ),
    kept(
        "outcome_rollup",
        &["org_id", "grain", "start", "source", "shard"],
        all![TOTALS_ONLY;
        org_id: Text, grain: Integer, start: Integer, source: Text, shard: Integer, n: Integer, successes: Integer,
        corrections: Integer, corrected_0: Integer, corrected_1: Integer, corrected_2: Integer,
        corrected_3: Integer, corrected_4: Integer, corrected_5: Integer, escalations: Integer, turns_sum: Integer,
        turns_n: Integer, system_error_failures: Integer, corrections_squares: Integer, turns_squares: Integer],
    ),
    // Governance's own.
    kept("reference_keys", &["key_check"], all![MINIMIZED; key_check: Text, first_used_at: Integer]),
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

const fn derived(name: &'static str, from: &'static str) -> Derived {
    Derived { name, from }
}

/// What a database keeps by itself beside declared tables; one has indexes for words, the other columns.
pub static DERIVED: &[Derived] = &[
    derived("profile_index", "profile_words"),
    derived("user_playbook_index", "user_playbook_words"),
    derived("agent_playbook_index", "agent_playbook_words"),
    derived("profile_words.vector", "profile_words"),
    derived("user_playbook_words.vector", "user_playbook_words"),
    derived("agent_playbook_words.vector", "agent_playbook_words"),
];
