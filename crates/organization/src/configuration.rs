//! An organization's configuration: its defaults and its limits.

use crate::PromptCatalogue;

/// How an organization came to be, which decides its defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Made by a server on a loopback address, or by the demo: every session is graded.
    Embedded,
    /// Made for production: a sample of the sessions is graded.
    Standard,
}

/// Who grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeProvider {
    /// A chat-completions endpoint.
    OpenAi,
    /// The built-in offline judge.
    Heuristic,
}

/// Which judge an organization uses; what is absent comes from the environment. The key is never here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgeSettings {
    /// Who grades.
    pub provider: Option<JudgeProvider>,
    /// Where the endpoint is, including `/v1`.
    pub base_url: Option<String>,
    /// The model to ask for.
    pub model: Option<String>,
}

/// The configuration of an organization.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// The rubric epoch whose shadow verdicts count.
    pub shadow_comparison_judge_prompt_version: String,
    /// How long after a session's last request it is graded.
    pub group_evaluation_delay_seconds: i64,
    /// The share of sessions that is graded.
    pub sampling_rate: f64,
    /// The share of sessions whose retrieved learnings are graded; `None` inherits `sampling_rate`.
    pub retrieved_learning_sampling_rate: Option<f64>,
    /// The share of evaluation-only sessions that is graded; `None` inherits `sampling_rate`.
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
    /// The agent's tools, as a JSON text for the judge.
    pub tools: Option<String>,
    /// Which judge is used.
    pub judge: JudgeSettings,
}

/// A setting outside its limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} {problem}")]
pub struct InvalidSetting {
    /// The setting's name, as callers write it.
    pub setting: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

/// Longest free text of a setting, in characters.
const LONGEST_TEXT: usize = 100_000;
/// The longest delay before grading: thirty days.
const LONGEST_DELAY_SECONDS: i64 = 30 * 24 * 60 * 60;

impl Configuration {
    /// The configuration of an organization that has written none.
    #[must_use]
    pub fn default_for(profile: Profile) -> Self {
        Self {
            shadow_comparison_judge_prompt_version: "v1.1.0".to_owned(),
            group_evaluation_delay_seconds: 600,
            sampling_rate: match profile {
                Profile::Embedded => 1.0,
                Profile::Standard => 0.05,
            },
            retrieved_learning_sampling_rate: None,
            evaluation_only_sampling_rate: None,
            eval_sample_n_per_stratum: 200,
            eval_concurrency_limit: 10,
            shadow_mode_enabled: false,
            success_definition: None,
            agent_context: None,
            tools: None,
            judge: JudgeSettings::default(),
        }
    }

    /// Checks every setting against its limits.
    pub fn check(&self, prompts: &dyn PromptCatalogue) -> Result<(), InvalidSetting> {
        if !prompts.carries(&self.shadow_comparison_judge_prompt_version) {
            return Err(invalid(
                "shadow_comparison_judge_prompt_version",
                "names a version that is not known here",
            ));
        }
        between(
            "group_evaluation_delay_seconds",
            self.group_evaluation_delay_seconds,
            0,
            LONGEST_DELAY_SECONDS,
        )?;
        between("eval_sample_n_per_stratum", self.eval_sample_n_per_stratum, 1, 1_000_000)?;
        between("eval_concurrency_limit", self.eval_concurrency_limit, 1, 1_000)?;
        share("sampling_rate", Some(self.sampling_rate))?;
        share("retrieved_learning_sampling_rate", self.retrieved_learning_sampling_rate)?;
        share("evaluation_only_sampling_rate", self.evaluation_only_sampling_rate)?;
        text("success_definition", self.success_definition.as_deref())?;
        text("agent_context", self.agent_context.as_deref())?;
        text("tools", self.tools.as_deref())?;
        self.judge.check()
    }
}

impl JudgeSettings {
    fn check(&self) -> Result<(), InvalidSetting> {
        text("judge.model", self.model.as_deref())?;
        let Some(base_url) = self.base_url.as_deref() else { return Ok(()) };
        let is_http = base_url.starts_with("http://") || base_url.starts_with("https://");
        if is_http && base_url.len() <= 2_000 && !base_url.contains(char::is_whitespace) {
            Ok(())
        } else {
            Err(invalid("judge.base_url", "must be an http or https address"))
        }
    }
}

fn invalid(setting: &'static str, problem: &str) -> InvalidSetting {
    InvalidSetting { setting, problem: problem.to_owned() }
}

fn between(setting: &'static str, value: i64, least: i64, most: i64) -> Result<(), InvalidSetting> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(invalid(setting, &format!("must be between {least} and {most}")))
    }
}

fn share(setting: &'static str, value: Option<f64>) -> Result<(), InvalidSetting> {
    match value {
        Some(rate) if !(0.0..=1.0).contains(&rate) => Err(invalid(setting, "must be between 0 and 1")),
        _ => Ok(()),
    }
}

fn text(setting: &'static str, value: Option<&str>) -> Result<(), InvalidSetting> {
    let Some(text) = value else { return Ok(()) };
    if text.contains('\0') {
        return Err(invalid(setting, "must not contain NUL"));
    }
    if text.chars().count() > LONGEST_TEXT {
        return Err(invalid(setting, "must be at most 100000 characters long"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MockPromptCatalogue;

    fn check(configuration: &Configuration) -> Result<(), &'static str> {
        let mut prompts = MockPromptCatalogue::new();
        prompts.expect_carries().returning(|version| version == "v1.1.0");
        configuration.check(&prompts).map_err(|wrong| wrong.setting)
    }

    fn standard() -> Configuration {
        Configuration::default_for(Profile::Standard)
    }

    #[test]
    fn the_defaults_are_within_their_own_limits() {
        assert_eq!(check(&standard()), Ok(()));
        assert_eq!(check(&Configuration::default_for(Profile::Embedded)), Ok(()));
    }

    #[test]
    fn an_embedded_organization_grades_everything_and_another_a_sample() {
        assert!((Configuration::default_for(Profile::Embedded).sampling_rate - 1.0).abs() < f64::EPSILON);
        assert!((standard().sampling_rate - 0.05).abs() < f64::EPSILON);
    }

    #[test]
    fn each_number_has_limits() {
        let wrong = |configuration| check(&configuration).unwrap_err();

        assert_eq!(wrong(Configuration { sampling_rate: 1.01, ..standard() }), "sampling_rate");
        assert_eq!(wrong(Configuration { sampling_rate: f64::NAN, ..standard() }), "sampling_rate");
        assert_eq!(
            wrong(Configuration { retrieved_learning_sampling_rate: Some(-0.1), ..standard() }),
            "retrieved_learning_sampling_rate"
        );
        assert_eq!(
            wrong(Configuration { evaluation_only_sampling_rate: Some(2.0), ..standard() }),
            "evaluation_only_sampling_rate"
        );
        assert_eq!(
            wrong(Configuration { group_evaluation_delay_seconds: -1, ..standard() }),
            "group_evaluation_delay_seconds"
        );
        assert_eq!(
            wrong(Configuration { eval_concurrency_limit: 0, ..standard() }),
            "eval_concurrency_limit"
        );
        assert_eq!(
            wrong(Configuration { eval_sample_n_per_stratum: 0, ..standard() }),
            "eval_sample_n_per_stratum"
        );
    }

    #[test]
    fn a_judge_address_must_be_http() {
        let judge = |base_url: &str| JudgeSettings {
            base_url: Some(base_url.to_owned()),
            ..JudgeSettings::default()
        };

        assert_eq!(check(&Configuration { judge: judge("http://127.0.0.1:9/v1"), ..standard() }), Ok(()));
        assert_eq!(check(&Configuration { judge: judge("file:///x"), ..standard() }), Err("judge.base_url"));
    }

    #[test]
    fn a_text_is_bounded_and_free_of_nul() {
        let long = Configuration { agent_context: Some("x".repeat(100_001)), ..standard() };
        let nul = Configuration { success_definition: Some("a\0".to_owned()), ..standard() };

        assert_eq!(check(&long), Err("agent_context"));
        assert_eq!(check(&nul), Err("success_definition"));
    }
}
