//! Which judge an organization has: its own settings first, then the server's environment, else rules of thumb.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use evaluation::judging::{Judge, Judges};
use kernel::{OrgId, StoreError};
use organization::{Configuration, JudgeProvider, JudgeSettings, OrganizationReader, Profile};

use crate::heuristic::Heuristic;
use crate::limiter::Limiter;
use crate::openai::{Endpoint, OpenAi, Pace};

mod unconfigured;

use unconfigured::Unconfigured;

/// The key to an endpoint: never printed, never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ApiKey(…)")
    }
}

/// The judge that the server's environment names, for organizations that name none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgeEnvironment {
    /// `TOUCHSTONE_JUDGE_BASE_URL`, including `/v1`.
    pub base_url: Option<String>,
    /// `TOUCHSTONE_JUDGE_MODEL`.
    pub model: Option<String>,
    /// `TOUCHSTONE_JUDGE_API_KEY`.
    pub api_key: Option<ApiKey>,
}

/// What the settings and the environment come to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    Heuristic,
    OpenAi(Endpoint),
    Unconfigured,
}

impl JudgeEnvironment {
    fn choose(&self, settings: &JudgeSettings) -> Choice {
        let base_url = settings.base_url.as_ref().or(self.base_url.as_ref());
        let model = settings.model.as_ref().or(self.model.as_ref());
        let named = settings.provider.is_some() || base_url.is_some();
        if settings.provider == Some(JudgeProvider::Heuristic) || !named {
            return Choice::Heuristic;
        }
        // Half an endpoint is a mistake that must not turn into grades by rules of thumb.
        let (Some(base_url), Some(model)) = (base_url, model) else { return Choice::Unconfigured };
        let api_key = self.key_for(base_url);
        Choice::OpenAi(Endpoint { base_url: base_url.clone(), model: model.clone(), api_key })
    }

    /// The server's key, but only for the server's own endpoint: an organization that names another address must not be
    /// handed the key with it. Where the server names no address, the key is for whatever is named.
    fn key_for(&self, base_url: &str) -> Option<ApiKey> {
        let own = self.base_url.as_deref().is_none_or(|own| same_origin(own, base_url));
        self.api_key.clone().filter(|_| own)
    }
}

fn same_origin(one: &str, other: &str) -> bool {
    match (reqwest::Url::parse(one), reqwest::Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}

/// Finds the judge of each organization.
pub struct SelectJudge {
    environment: JudgeEnvironment,
    organizations: Arc<dyn OrganizationReader>,
    pace: Pace,
    kept: Mutex<HashMap<OrgId, Kept>>,
}

/// A judge that was made for an organization, with the gate that its calls go through.
struct Kept {
    choice: Choice,
    judge: Arc<dyn Judge>,
    limiter: Arc<Limiter>,
}

impl SelectJudge {
    /// Judges by this environment and the configurations that these organizations keep.
    #[must_use]
    pub fn new(
        environment: JudgeEnvironment,
        organizations: Arc<dyn OrganizationReader>,
        pace: Pace,
    ) -> Self {
        Self { environment, organizations, pace, kept: Mutex::default() }
    }

    fn configuration(&self, org: &OrgId) -> Result<Configuration, StoreError> {
        let (profile, written) = self.organizations.configuration(org)?.unwrap_or((Profile::Standard, None));
        Ok(written.unwrap_or_else(|| Configuration::default_for(profile)))
    }

    fn make(&self, choice: &Choice, limiter: &Arc<Limiter>) -> Arc<dyn Judge> {
        match choice {
            Choice::Heuristic => Arc::new(Heuristic),
            Choice::Unconfigured => Arc::new(Unconfigured),
            Choice::OpenAi(endpoint) => match OpenAi::new(endpoint, self.pace, Arc::clone(limiter)) {
                Ok(judge) => Arc::new(judge),
                Err(_) => Arc::new(Unconfigured),
            },
        }
    }
}

impl Judges for SelectJudge {
    fn judge_of(&self, org: &OrgId) -> Result<Arc<dyn Judge>, StoreError> {
        let configuration = self.configuration(org)?;
        let choice = self.environment.choose(&configuration.judge);
        let limit = usize::try_from(configuration.eval_concurrency_limit).unwrap_or(1);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(org)
            && known.choice == choice
        {
            known.limiter.set_limit(limit);
            return Ok(Arc::clone(&known.judge));
        }
        // The gate outlives a change of judge: what is in flight there still counts.
        let limiter =
            kept.get(org).map_or_else(|| Arc::new(Limiter::new(limit)), |known| Arc::clone(&known.limiter));
        limiter.set_limit(limit);
        let judge = self.make(&choice, &limiter);
        kept.insert(org.clone(), Kept { choice, judge: Arc::clone(&judge), limiter });
        Ok(judge)
    }
}

#[cfg(test)]
mod tests;
