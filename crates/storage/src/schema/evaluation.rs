//! The tables of evaluation.

diesel::table! {
    evaluation_results (result_id) {
        result_id -> BigInt,
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        agent_version -> Text,
        evaluation_name -> Text,
        is_success -> Bool,
        failure_type -> Nullable<Text>,
        failure_reason -> Text,
        regular_vs_shadow -> Nullable<Text>,
        number_of_correction_per_session -> BigInt,
        user_turns_to_resolution -> Nullable<BigInt>,
        is_escalated -> Bool,
        tags -> Nullable<Text>,
        source -> Text,
        created_at -> BigInt,
        judged_at -> BigInt,
        epoch_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    retrieved_learning_results (result_id) {
        result_id -> BigInt,
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        agent_version -> Text,
        interaction_id -> Nullable<BigInt>,
        interaction_created_at -> Nullable<BigInt>,
        kind -> Text,
        learning_id -> Text,
        is_relevant -> Nullable<Bool>,
        relevance_reason -> Text,
        impact -> Nullable<Text>,
        impact_reason -> Text,
        diagnosis -> Nullable<Text>,
        evaluated_playbook_digest -> Nullable<Text>,
        diagnosis_evidence_complete -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    judge_epochs (epoch_id) {
        epoch_id -> BigInt,
        org_id -> Text,
        prompt_version -> Text,
        prompt_hash -> Text,
        provider -> Text,
        requested_model -> Text,
        returned_model -> Text,
        first_used_at -> BigInt,
    }
}

diesel::table! {
    session_judgings (org_id, user_id, session_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        begun_generation -> BigInt,
        kept_generation -> BigInt,
        kept_fingerprint -> Nullable<Text>,
        epoch_id -> Nullable<BigInt>,
        input_tokens -> Nullable<BigInt>,
        output_tokens -> Nullable<BigInt>,
        latency_ms -> Nullable<BigInt>,
        concluded_generation -> BigInt,
        learning_status -> Nullable<Text>,
        graded_fingerprint -> Nullable<Text>,
        graded_at -> Nullable<BigInt>,
        asked_version -> Nullable<Text>,
    }
}

diesel::table! {
    shadow_verdicts (verdict_id) {
        verdict_id -> BigInt,
        org_id -> Text,
        interaction_id -> BigInt,
        judge_prompt_version -> Text,
        user_id -> Text,
        session_id -> Text,
        agent_version -> Text,
        source -> Text,
        service_is_request_1 -> Bool,
        better_request -> Text,
        is_significantly_better -> Bool,
        comparison_reason -> Text,
        epoch_id -> Nullable<BigInt>,
        created_at -> BigInt,
        input_tokens -> Nullable<BigInt>,
        output_tokens -> Nullable<BigInt>,
        latency_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    partner_scores (org_id, source_run_id, scorer_name) {
        org_id -> Text,
        source_run_id -> Text,
        scorer_name -> Text,
        value -> Double,
        ts -> BigInt,
        user_id -> Nullable<Text>,
        session_id -> Nullable<Text>,
    }
}

diesel::table! {
    session_outcomes (org_id, user_id, session_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        result_id -> BigInt,
        is_agent_success -> Bool,
        judged_at -> BigInt,
        created_at -> BigInt,
        source -> Text,
        is_success -> Bool,
        corrections -> BigInt,
        turns -> Nullable<BigInt>,
        is_escalated -> Bool,
        is_system_error -> Bool,
        shard -> BigInt,
    }
}

diesel::table! {
    outcome_rollup (org_id, grain, start, source, shard) {
        org_id -> Text,
        grain -> BigInt,
        start -> BigInt,
        source -> Text,
        shard -> BigInt,
        n -> BigInt,
        successes -> BigInt,
        corrections -> BigInt,
        corrected_0 -> BigInt,
        corrected_1 -> BigInt,
        corrected_2 -> BigInt,
        corrected_3 -> BigInt,
        corrected_4 -> BigInt,
        corrected_5 -> BigInt,
        escalations -> BigInt,
        turns_sum -> BigInt,
        turns_n -> BigInt,
        system_error_failures -> BigInt,
        corrections_squares -> BigInt,
        turns_squares -> BigInt,
    }
}

diesel::table! {
    cited_outcomes (org_id, user_id, session_id, kind, rule_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        kind -> Text,
        rule_id -> Text,
        source -> Text,
        created_at -> BigInt,
        is_success -> Bool,
        title -> Text,
        titled_at -> BigInt,
        titled_by -> BigInt,
    }
}

diesel::table! {
    regeneration_jobs (job_number) {
        job_number -> BigInt,
        org_id -> Text,
        job_id -> Text,
        evaluation_name -> Text,
        from_ts -> BigInt,
        to_ts -> BigInt,
        status -> Text,
        total -> BigInt,
        completed -> BigInt,
        failed -> BigInt,
        total_candidates -> BigInt,
        concurrency_limit -> BigInt,
        started_at -> BigInt,
        finished_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    regeneration_failures (failure_number) {
        failure_number -> BigInt,
        org_id -> Text,
        job_number -> BigInt,
        user_id -> Text,
        session_id -> Text,
        reason -> Text,
    }
}

diesel::table! {
    session_claims (org_id, user_id, session_id) {
        org_id -> Text,
        user_id -> Text,
        session_id -> Text,
        holder -> Text,
        fence -> BigInt,
        expires_at -> BigInt,
    }
}
