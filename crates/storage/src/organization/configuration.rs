//! The configuration column: a JSON text of its own shape.

use kernel::StoreError;
use organization::{Configuration, JudgeProvider, JudgeSettings, Profile};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct ConfigurationColumn {
    shadow_comparison_judge_prompt_version: String,
    group_evaluation_delay_seconds: i64,
    sampling_rate: f64,
    retrieved_learning_sampling_rate: Option<f64>,
    evaluation_only_sampling_rate: Option<f64>,
    eval_sample_n_per_stratum: i64,
    eval_concurrency_limit: i64,
    shadow_mode_enabled: bool,
    success_definition: Option<String>,
    agent_context: Option<String>,
    tools: Option<String>,
    judge_provider: Option<String>,
    judge_base_url: Option<String>,
    judge_model: Option<String>,
}

pub(super) fn to_column(configuration: &Configuration) -> Result<String, StoreError> {
    let from = configuration.clone();
    let column = ConfigurationColumn {
        shadow_comparison_judge_prompt_version: from.shadow_comparison_judge_prompt_version,
        group_evaluation_delay_seconds: from.group_evaluation_delay_seconds,
        sampling_rate: from.sampling_rate,
        retrieved_learning_sampling_rate: from.retrieved_learning_sampling_rate,
        evaluation_only_sampling_rate: from.evaluation_only_sampling_rate,
        eval_sample_n_per_stratum: from.eval_sample_n_per_stratum,
        eval_concurrency_limit: from.eval_concurrency_limit,
        shadow_mode_enabled: from.shadow_mode_enabled,
        success_definition: from.success_definition,
        agent_context: from.agent_context,
        tools: from.tools,
        judge_provider: from.judge.provider.map(|provider| provider_text(provider).to_owned()),
        judge_base_url: from.judge.base_url,
        judge_model: from.judge.model,
    };
    serde_json::to_string(&column).map_err(|_| corrupt())
}

pub(super) fn from_column(text: &str) -> Result<Configuration, StoreError> {
    let column: ConfigurationColumn = serde_json::from_str(text).map_err(|_| corrupt())?;
    Ok(Configuration {
        shadow_comparison_judge_prompt_version: column.shadow_comparison_judge_prompt_version,
        group_evaluation_delay_seconds: column.group_evaluation_delay_seconds,
        sampling_rate: column.sampling_rate,
        retrieved_learning_sampling_rate: column.retrieved_learning_sampling_rate,
        evaluation_only_sampling_rate: column.evaluation_only_sampling_rate,
        eval_sample_n_per_stratum: column.eval_sample_n_per_stratum,
        eval_concurrency_limit: column.eval_concurrency_limit,
        shadow_mode_enabled: column.shadow_mode_enabled,
        success_definition: column.success_definition,
        agent_context: column.agent_context,
        tools: column.tools,
        judge: JudgeSettings {
            provider: column.judge_provider.as_deref().map(provider_of).transpose()?,
            base_url: column.judge_base_url,
            model: column.judge_model,
        },
    })
}

pub(super) const fn profile_text(profile: Profile) -> &'static str {
    match profile {
        Profile::Embedded => "embedded",
        Profile::Standard => "standard",
    }
}

pub(super) fn profile_of(text: &str) -> Result<Profile, StoreError> {
    match text {
        "embedded" => Ok(Profile::Embedded),
        "standard" => Ok(Profile::Standard),
        _ => Err(StoreError::Corrupt("organizations.profile".to_owned())),
    }
}

const fn provider_text(provider: JudgeProvider) -> &'static str {
    match provider {
        JudgeProvider::OpenAi => "openai",
        JudgeProvider::Heuristic => "heuristic",
    }
}

fn provider_of(text: &str) -> Result<JudgeProvider, StoreError> {
    match text {
        "openai" => Ok(JudgeProvider::OpenAi),
        "heuristic" => Ok(JudgeProvider::Heuristic),
        _ => Err(corrupt()),
    }
}

fn corrupt() -> StoreError {
    StoreError::Corrupt("organizations.configuration".to_owned())
}
