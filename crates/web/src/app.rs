//! What the handlers call: every use case, wired by the composition root.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use experiments::{ListExperiments, PlanExperiment, ReadResults, StartExperiment, StopExperiment};
use kernel::StoreError;
use organization::{Authenticate, ReadConfiguration, SignIn, SignOut, WriteConfiguration};

use crate::auth::Callers;
use crate::rate::RateLimit;

/// Says whether the service can do its work.
pub trait Readiness: Send + Sync {
    /// MUST fail when the store does not answer or its schema is not this binary's.
    fn check(&self) -> Result<(), StoreError>;
}

/// The use cases about organizations.
pub struct OrganizationRoom {
    /// Turns bearers into callers.
    pub authenticate: Authenticate,
    /// Trades a bearer for a session.
    pub sign_in: SignIn,
    /// Ends a session.
    pub sign_out: SignOut,
    /// Reads configurations.
    pub read_configuration: ReadConfiguration,
    /// Writes configurations.
    pub write_configuration: WriteConfiguration,
}

/// The use cases about experiments.
pub struct ExperimentsRoom {
    /// Lists experiments.
    pub list: ListExperiments,
    /// Starts one.
    pub start: StartExperiment,
    /// Stops one.
    pub stop: StopExperiment,
    /// Says what one could find.
    pub plan: PlanExperiment,
    /// Reads what one has measured.
    pub results: ReadResults,
}

/// How the adapter itself behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Requests per second and credential; `None` for no limit.
    pub rate_limit_per_second: Option<NonZeroU32>,
    /// Whether the session cookie is sent over TLS only.
    pub secure_cookie: bool,
    /// Where health and metrics answer; `None` for the main listener.
    pub operations_listen: Option<SocketAddr>,
}

/// Everything the handlers call.
pub struct App {
    /// Organizations, credentials, configuration.
    pub organization: OrganizationRoom,
    /// Retrieval experiments.
    pub experiments: ExperimentsRoom,
    /// Whether the service can do its work.
    pub readiness: Arc<dyn Readiness>,
    /// How the adapter behaves.
    pub settings: Settings,
    pub(crate) callers: Callers,
    pub(crate) rate: RateLimit,
}

impl App {
    /// The adapter over these use cases.
    #[must_use]
    pub fn new(
        organization: OrganizationRoom,
        experiments: ExperimentsRoom,
        readiness: Arc<dyn Readiness>,
        settings: Settings,
    ) -> Self {
        let rate = RateLimit::new(settings.rate_limit_per_second);
        Self { organization, experiments, readiness, settings, callers: Callers::default(), rate }
    }
}
