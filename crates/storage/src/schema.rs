//! The tables as diesel sees them. A contract test loads every column of every table on both databases.

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
