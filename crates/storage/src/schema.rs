//! The tables as diesel sees them. A contract test loads every column of every table on both databases.

mod arms;
mod evaluation;
mod governance;

pub(crate) use arms::*;
pub(crate) use evaluation::*;
pub(crate) use governance::*;

diesel::table! {
    organizations (org_id) {
        org_id -> Text,
        profile -> Text,
        configuration -> Nullable<Text>,
        created_at -> BigInt,
    }
}

diesel::table! {
    credentials (org_id, credential_id) {
        org_id -> Text,
        credential_id -> Text,
        token_digest -> Text,
        kind -> Text,
        may_govern -> Bool,
        parent_id -> Nullable<Text>,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
        last_used_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    experiments (sequence) {
        sequence -> BigInt,
        org_id -> Text,
        experiment_id -> Text,
        holdout_percentage -> Double,
        started_at -> BigInt,
        ended_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    subject_barriers (org_id, subject_ref) {
        org_id -> Text,
        subject_ref -> Text,
        purge_id -> Text,
        state -> Text,
        raised_at -> BigInt,
        erased_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    requests (org_id, request_id) {
        org_id -> Text,
        request_id -> Text,
        user_id -> Text,
        session_id -> Text,
        created_at -> BigInt,
        source -> Text,
        agent_version -> Text,
        evaluation_only -> Bool,
        experiment_id -> Nullable<Text>,
        experiment_arm -> Nullable<Text>,
        body_digest -> Text,
    }
}

diesel::table! {
    sessions (org_id, user_id, session_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        first_request_at -> BigInt,
        first_request_id -> Text,
        source -> Text,
        last_request_at -> BigInt,
        last_request_id -> Text,
        agent_version -> Text,
    }
}

diesel::table! {
    interactions (interaction_id) {
        interaction_id -> BigInt,
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        request_id -> Text,
        position -> Integer,
        created_at -> BigInt,
        role -> Text,
        is_user -> Bool,
        is_agent -> Bool,
        content -> Text,
        shadow_content -> Text,
        expert_content -> Text,
        user_action -> Text,
        user_action_description -> Text,
        interacted_image_url -> Text,
        tools_used -> Text,
        citations -> Text,
        retrieved_learnings -> Text,
        output_tokens -> Nullable<BigInt>,
    }
}

diesel::table! {
    session_citations (org_id, user_id, session_id, kind, rule_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        kind -> Text,
        rule_id -> Text,
        title -> Text,
        interaction_id -> BigInt,
        cited_at -> BigInt,
    }
}

diesel::table! {
    retrieved_learnings (org_id, user_id, session_id, interaction_id, kind, learning_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        interaction_id -> BigInt,
        kind -> Text,
        learning_id -> Text,
    }
}

diesel::table! {
    feed_entries (entry_id) {
        entry_id -> BigInt,
        sequence -> Nullable<BigInt>,
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        request_id -> Text,
    }
}

diesel::table! {
    work_items (work_id) {
        work_id -> BigInt,
        org_id -> Text,
        kind -> Text,
        user_id -> Text,
        session_id -> Text,
        subject -> BigInt,
        due_at -> BigInt,
        state -> Text,
        revision -> BigInt,
        attempts -> Integer,
        lease_holder -> Nullable<Text>,
        lease_fence -> BigInt,
        lease_expires_at -> Nullable<BigInt>,
        last_error -> Nullable<Text>,
        created_at -> BigInt,
        failed_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    profiles (profile_key) {
        profile_key -> BigInt,
        org_id -> Text,
        profile_id -> Text,
        user_id -> Text,
        content -> Text,
        source -> Text,
        generated_from_request_id -> Text,
        time_to_live -> Text,
        tags -> Text,
        last_modified_timestamp -> BigInt,
        expiration_timestamp -> Nullable<BigInt>,
        status -> Text,
    }
}

diesel::table! {
    user_playbooks (user_playbook_id) {
        user_playbook_id -> BigInt,
        org_id -> Text,
        user_id -> Text,
        request_id -> Text,
        playbook_name -> Text,
        agent_version -> Text,
        content -> Text,
        trigger -> Text,
        rationale -> Text,
        structured_data -> Nullable<Text>,
        tags -> Text,
        source -> Text,
        source_interaction_ids -> Text,
        created_at -> BigInt,
        status -> Text,
    }
}

diesel::table! {
    agent_playbooks (agent_playbook_id) {
        agent_playbook_id -> BigInt,
        org_id -> Text,
        playbook_name -> Text,
        agent_version -> Text,
        content -> Text,
        trigger -> Text,
        rationale -> Text,
        structured_data -> Nullable<Text>,
        tags -> Text,
        playbook_status -> Text,
        metadata -> Text,
        created_at -> BigInt,
        status -> Text,
    }
}

diesel::table! {
    playbook_source_links (org_id, agent_playbook_id, position) {
        org_id -> Text,
        agent_playbook_id -> BigInt,
        position -> Integer,
        user_playbook_id -> BigInt,
        user_id -> Text,
        source_interaction_ids -> Text,
    }
}

diesel::table! {
    profile_words (profile_key) {
        profile_key -> BigInt,
        org_id -> Text,
        user_id -> Text,
        words -> Text,
    }
}

diesel::table! {
    user_playbook_words (user_playbook_id) {
        user_playbook_id -> BigInt,
        org_id -> Text,
        user_id -> Text,
        words -> Text,
    }
}

diesel::table! {
    agent_playbook_words (agent_playbook_id) {
        agent_playbook_id -> BigInt,
        org_id -> Text,
        words -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(cited_outcomes, evaluation_results, session_outcomes);
diesel::allow_tables_to_appear_in_same_query!(requests, sessions);
diesel::allow_tables_to_appear_in_same_query!(regeneration_jobs, work_items);

#[cfg(all(test, feature = "testing"))]
mod tests;
