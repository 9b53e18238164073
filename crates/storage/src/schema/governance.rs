//! The tables of governance.

diesel::table! {
    purge_operations (org_id, purge_id) {
        org_id -> Text,
        purge_id -> Text,
        subject_ref -> Text,
        request_ref -> Text,
        actor_kind -> Text,
        actor_ref -> Text,
        status -> Text,
        error_code -> Nullable<Text>,
        error_detail -> Nullable<Text>,
        fence -> BigInt,
        lease_holder -> Nullable<Text>,
        due_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
        completed_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    reference_keys (key_check) {
        key_check -> Text,
        first_used_at -> BigInt,
    }
}

diesel::table! {
    purge_work (org_id, purge_id) {
        org_id -> Text,
        purge_id -> Text,
        user_id -> Text,
    }
}

diesel::table! {
    purge_ledger (org_id, purge_id, target) {
        org_id -> Text,
        purge_id -> Text,
        target -> Text,
        deleted -> BigInt,
    }
}

diesel::table! {
    purge_unlinked (org_id, purge_id, agent_playbook_id) {
        org_id -> Text,
        purge_id -> Text,
        agent_playbook_id -> BigInt,
    }
}

diesel::table! {
    audit_events (org_id, sequence) {
        org_id -> Text,
        sequence -> BigInt,
        actor_kind -> Text,
        actor_ref -> Text,
        operation -> Text,
        outcome -> Text,
        subject_ref -> Text,
        request_ref -> Text,
        counts -> Text,
        created_at -> BigInt,
    }
}
