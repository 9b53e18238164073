//! An organization's configuration on the wire.

use organization::{Configuration, JudgeProvider, JudgeSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{Invalid, without_values};

/// The configuration of an organization: the body of the answer, and of `set_config` and `update_config`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationDocument {
    /// The rubric epoch whose shadow verdicts count.
    pub shadow_comparison_judge_prompt_version: String,
    /// How long after a session's last request it is graded.
    pub group_evaluation_delay_seconds: i64,
    /// The share of sessions that is graded.
    pub sampling_rate: f64,
    /// The share of sessions whose retrieved learnings are graded; null inherits `sampling_rate`.
    pub retrieved_learning_sampling_rate: Option<f64>,
    /// The share of evaluation-only sessions that is graded; null inherits `sampling_rate`.
    pub evaluation_only_sampling_rate: Option<f64>,
    /// How many sessions per day and source a replay judges.
    pub eval_sample_n_per_stratum: i64,
    /// How many judge calls may be in flight.
    pub eval_concurrency_limit: i64,
    /// Whether shadow answers are judged even by the offline judge.
    pub shadow_mode_enabled: bool,
    /// What success means here, in words for the judge.
    pub success_definition: Option<String>,
    /// What the agent is for, in words for the judge.
    pub agent_context: Option<String>,
    /// The agent's tools, for the judge.
    pub tools: Option<Value>,
    /// Which judge is used; what is absent comes from the server's environment.
    pub judge: JudgeDocument,
}

/// Which judge an organization uses. The key is never stored and never returned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeDocument {
    /// `openai` (any chat-completions endpoint) or `heuristic`.
    pub provider: Option<ProviderName>,
    /// Where the endpoint is, including `/v1`.
    pub base_url: Option<String>,
    /// The model to ask for.
    pub model: Option<String>,
}

/// Who grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderName {
    /// Any chat-completions endpoint.
    OpenAi,
    /// The built-in offline judge.
    Heuristic,
}

/// A configuration as a caller writes it: any of the keys, each at most once; null means absent.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(value_type = ConfigurationDocument)]
pub struct ConfigurationChange(Map<String, Value>);

impl ConfigurationChange {
    /// The configuration that this change makes of `base`: the keys it names are replaced, all others stay.
    pub fn applied_to(&self, base: &Configuration) -> Result<Configuration, Invalid> {
        let invalid = |msg: String| Invalid::field(&["body"], msg);
        let document =
            serde_json::to_value(ConfigurationDocument::from(base)).map_err(|e| invalid(e.to_string()))?;
        let Value::Object(mut document) = document else {
            return Err(invalid("must be an object".to_owned()));
        };
        for (key, value) in &self.0 {
            let Some(slot) = document.get_mut(key) else {
                return Err(Invalid::field(&["body", key], "is not a setting"));
            };
            let candidate = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
            if !value.is_null() {
                *slot = value.clone();
                check_alone(base, key, candidate)?;
            }
        }
        let document: ConfigurationDocument = serde_json::from_value(Value::Object(document))
            .map_err(|error| invalid(without_values(&error.to_string())))?;
        Ok(document.into())
    }
}

/// Tries one key on an otherwise valid document, so that the error names the key it belongs to.
fn check_alone(base: &Configuration, key: &str, candidate: Value) -> Result<(), Invalid> {
    let wrong = |msg: String| Invalid::field(&["body", key], msg);
    let whole = serde_json::to_value(ConfigurationDocument::from(base)).map_err(|e| wrong(e.to_string()))?;
    let (Value::Object(mut whole), Value::Object(one)) = (whole, candidate) else { return Ok(()) };
    whole.extend(one);
    serde_json::from_value::<ConfigurationDocument>(Value::Object(whole))
        .map_err(|error| wrong(without_values(&error.to_string())))?;
    Ok(())
}

impl From<&Configuration> for ConfigurationDocument {
    fn from(from: &Configuration) -> Self {
        let from = from.clone();
        Self {
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
            tools: from.tools.and_then(|text| serde_json::from_str(&text).ok()),
            judge: JudgeDocument {
                provider: from.judge.provider.map(|provider| match provider {
                    JudgeProvider::OpenAi => ProviderName::OpenAi,
                    JudgeProvider::Heuristic => ProviderName::Heuristic,
                }),
                base_url: from.judge.base_url,
                model: from.judge.model,
            },
        }
    }
}

impl From<ConfigurationDocument> for Configuration {
    fn from(from: ConfigurationDocument) -> Self {
        Self {
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
            tools: from.tools.map(|tools| tools.to_string()),
            judge: JudgeSettings {
                provider: from.judge.provider.map(|provider| match provider {
                    ProviderName::OpenAi => JudgeProvider::OpenAi,
                    ProviderName::Heuristic => JudgeProvider::Heuristic,
                }),
                base_url: from.judge.base_url,
                model: from.judge.model,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use organization::Profile;

    use super::*;

    fn change(json: &str) -> ConfigurationChange {
        serde_json::from_str(json).unwrap()
    }

    fn base() -> Configuration {
        Configuration::default_for(Profile::Standard)
    }

    #[test]
    fn a_change_replaces_what_it_names_and_keeps_the_rest() {
        let json = r#"{"sampling_rate": 0.5, "judge": {"provider": "openai"}, "tools": [1]}"#;

        let changed = change(json).applied_to(&base()).unwrap();

        assert!((changed.sampling_rate - 0.5).abs() < f64::EPSILON);
        assert_eq!(changed.judge.provider, Some(JudgeProvider::OpenAi));
        assert_eq!(changed.tools.as_deref(), Some("[1]"));
        assert_eq!(changed.eval_concurrency_limit, base().eval_concurrency_limit);
    }

    #[test]
    fn null_means_absent() {
        assert_eq!(change(r#"{"sampling_rate": null}"#).applied_to(&base()), Ok(base()));
    }

    #[test]
    fn an_unknown_key_is_refused_by_name() {
        let Invalid(errors) = change(r#"{"sampling": 1}"#).applied_to(&base()).unwrap_err();

        assert_eq!(errors.first().unwrap().loc, ["body", "sampling"]);
    }

    #[test]
    fn a_value_of_the_wrong_type_is_refused_by_name() {
        for json in
            [r#"{"sampling_rate": "1"}"#, r#"{"shadow_mode_enabled": 1}"#, r#"{"judge": {"key": "x"}}"#]
        {
            let Invalid(errors) = change(json).applied_to(&base()).unwrap_err();

            assert_eq!(errors.first().unwrap().loc.len(), 2, "{json}");
        }
    }
}
