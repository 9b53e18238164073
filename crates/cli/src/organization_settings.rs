//! An organization's configuration, as other rooms ask for it.

use evaluation::judging::{Instructions, JudgingSettings, JudgingSetup, SamplingRate};
use evaluation::{PromptVersion, ShadowMode, ShadowSettings, ShadowSetup};
use kernel::{OrgId, StoreError};
use learning::PublishSettings;
use organization::{Configuration, OrganizationError, ReadConfiguration};

use crate::one_second::OneSecond;

/// Answers other rooms from the organization's configuration, at most one second old.
pub(crate) struct OrganizationSettings {
    read: ReadConfiguration,
    fresh: OneSecond<OrgId, Configuration>,
}

impl OrganizationSettings {
    pub(crate) fn new(read: ReadConfiguration) -> Self {
        Self { read, fresh: OneSecond::new() }
    }

    fn configuration(&self, org: &OrgId) -> Result<Configuration, StoreError> {
        self.fresh.get(org, || self.read.read(org)).map_err(|error| match error {
            OrganizationError::Store(error) => error,
            other => StoreError::Failed(other.to_string()),
        })
    }
}

impl PublishSettings for OrganizationSettings {
    fn evaluation_delay_seconds(&self, org: &OrgId) -> Result<u32, StoreError> {
        let seconds = self.configuration(org)?.group_evaluation_delay_seconds;
        u32::try_from(seconds).map_err(|_| StoreError::Corrupt("organizations.configuration".to_owned()))
    }
}

impl ShadowSettings for OrganizationSettings {
    fn shadow(&self, org: &OrgId) -> Result<ShadowSetup, StoreError> {
        let configuration = self.configuration(org)?;
        let pinned = PromptVersion::new(&configuration.shadow_comparison_judge_prompt_version)
            .map_err(|_| StoreError::Corrupt("organizations.configuration".to_owned()))?;
        let mode = if configuration.shadow_mode_enabled { ShadowMode::On } else { ShadowMode::Off };
        Ok(ShadowSetup { mode, pinned })
    }
}

impl JudgingSettings for OrganizationSettings {
    fn judging(&self, org: &OrgId) -> Result<JudgingSetup, StoreError> {
        let configuration = self.configuration(org)?;
        let wrong = || StoreError::Corrupt("organizations.configuration".to_owned());
        let rate = |rate: f64| SamplingRate::new(rate).map_err(|_| wrong());
        Ok(JudgingSetup {
            sampling: rate(configuration.sampling_rate)?,
            evaluation_only_sampling: configuration.evaluation_only_sampling_rate.map(rate).transpose()?,
            learning_sampling: configuration.retrieved_learning_sampling_rate.map(rate).transpose()?,
            per_stratum: usize::try_from(configuration.eval_sample_n_per_stratum).map_err(|_| wrong())?,
            concurrency_limit: u32::try_from(configuration.eval_concurrency_limit).map_err(|_| wrong())?,
            shadow: self.shadow(org)?,
            instructions: Instructions {
                success_definition: configuration.success_definition,
                agent_context: configuration.agent_context,
                tools: configuration.tools,
            },
        })
    }
}
