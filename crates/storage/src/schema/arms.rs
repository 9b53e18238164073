//! What sessions and users are to the arms of experiments.

diesel::table! {
    experiment_sessions (org_id, user_id, session_id, experiment_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        experiment_id -> Text,
        arm -> Text,
        first_tagged_at -> BigInt,
        first_tagged_id -> Text,
        last_tagged_at -> BigInt,
        output_tokens -> BigInt,
        uncounted_turns -> BigInt,
        is_contaminated -> Bool,
        evaluated_at -> Nullable<BigInt>,
        is_success -> Nullable<Bool>,
        corrections -> Nullable<BigInt>,
        turns -> Nullable<BigInt>,
        is_escalated -> Nullable<Bool>,
    }
}

diesel::table! {
    experiment_users (org_id, experiment_id, arm, user_id) {
        org_id -> Text,
        experiment_id -> Text,
        arm -> Text,
        user_id -> Text,
        exposures -> BigInt,
        published -> BigInt,
        counted -> BigInt,
        output_tokens -> BigInt,
        evaluated -> BigInt,
        successes -> BigInt,
        corrections -> BigInt,
        turns -> BigInt,
        resolved -> BigInt,
        escalated -> BigInt,
    }
}
