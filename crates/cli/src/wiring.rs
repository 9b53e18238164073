//! The composition root: which adapter answers which port.

mod evaluation;
mod governance;
mod judging;
mod learning;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use ::governance::KeyRing;
use ::judge::{JudgeEnvironment, Pace, Prompts, SelectJudge};
use experiments::{
    AttributionCheck, ListExperiments, PlanExperiment, ReadResults, SearchGate, StartExperiment,
    StopExperiment,
};
use kernel::{Clock, StoreError, Timestamp};
use organization::{
    Authenticate, FoundOrganization, ListCredentials, MintCredential, PromptCatalogue, ReadConfiguration,
    RevokeCredential, SignIn, SignOut, WriteConfiguration,
};
use storage::{Database, Options, Schema};
use web::{App, ExperimentsRoom, OrganizationRoom, Readiness, Rooms};

use crate::active_experiment::RecentlyActive;
use crate::clock::SystemClock;
use crate::home;
use crate::organization_settings::OrganizationSettings;
use crate::randomness::OperatingSystem;
use crate::retrieval_gate::ExperimentGate;
use crate::settings::Settings;

/// Everything that is wired, before anything is served.
pub struct House {
    /// The store.
    pub database: Database,
    clock: Arc<dyn Clock>,
    settings: Arc<OrganizationSettings>,
    gate: Arc<ExperimentGate>,
    judges: Arc<SelectJudge>,
    process_name: String,
}

impl House {
    /// Wires the house for a command at the keyboard.
    pub fn open(settings: &Settings) -> anyhow::Result<Self> {
        Self::open_for(settings, IpAddr::V4(Ipv4Addr::LOCALHOST))
    }

    /// Wires the house for a server on this address.
    pub fn open_for(settings: &Settings, listens_on: IpAddr) -> anyhow::Result<Self> {
        home::prepare(settings)?;
        let ring = home::key_ring(settings, listens_on)?;
        let usual = Options::usual(settings.database.clone(), ring);
        let options = Options { pool_size: settings.pool_size, ..usual };
        Ok(Self::over(Database::open(&options), Arc::new(SystemClock)).judged_by(settings.judge.clone()))
    }

    /// Wires the house over a given store and clock.
    #[must_use]
    pub fn over(database: Database, clock: Arc<dyn Clock>) -> Self {
        let store = Arc::new(database.clone());
        let settings = Arc::new(OrganizationSettings::new(ReadConfiguration::new(store.clone())));
        let search = SearchGate::new(Arc::new(RecentlyActive::over(store.clone())), store.clone());
        let gate =
            Arc::new(ExperimentGate::new(search, AttributionCheck::new(store.clone()), Arc::clone(&clock)));
        let judges = Arc::new(SelectJudge::new(JudgeEnvironment::default(), store, Pace::default()));
        let process_name = format!("{}-{}", std::process::id(), uuid::Uuid::new_v4().simple());
        Self { database, clock, settings, gate, judges, process_name }
    }

    /// The same house, where the environment names this judge.
    #[must_use]
    pub fn judged_by(self, environment: JudgeEnvironment) -> Self {
        let judges = Arc::new(SelectJudge::new(environment, self.store(), Pace::default()));
        Self { judges, ..self }
    }

    fn store(&self) -> Arc<Database> {
        Arc::new(self.database.clone())
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// The time by this house's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn ring(&self) -> Arc<KeyRing> {
        self.database.ring()
    }

    fn settings(&self) -> Arc<OrganizationSettings> {
        Arc::clone(&self.settings)
    }

    /// Makes organizations.
    #[must_use]
    pub fn found_organization(&self) -> FoundOrganization {
        FoundOrganization::new(self.store(), self.clock())
    }

    /// Writes what these prompts allow into an organization's configuration.
    #[must_use]
    pub fn write_configuration(&self, prompts: Arc<dyn PromptCatalogue>) -> WriteConfiguration {
        WriteConfiguration::new(self.store(), prompts)
    }

    /// Mints credentials.
    #[must_use]
    pub fn mint_credential(&self) -> MintCredential {
        MintCredential::new(self.store(), Arc::new(OperatingSystem), self.clock())
    }

    /// Lists credentials.
    #[must_use]
    pub fn list_credentials(&self) -> ListCredentials {
        ListCredentials::new(self.store())
    }

    /// Revokes credentials.
    #[must_use]
    pub fn revoke_credential(&self) -> RevokeCredential {
        RevokeCredential::new(self.store(), self.clock())
    }

    /// Starts experiments.
    #[must_use]
    pub fn start_experiment(&self) -> StartExperiment {
        StartExperiment::new(self.store(), self.clock())
    }

    /// Stops experiments.
    #[must_use]
    pub fn stop_experiment(&self) -> StopExperiment {
        StopExperiment::new(self.store(), self.clock())
    }

    /// Lists experiments.
    #[must_use]
    pub fn list_experiments(&self) -> ListExperiments {
        ListExperiments::new(self.store())
    }

    /// Plans experiments.
    #[must_use]
    pub fn plan_experiment(&self) -> PlanExperiment {
        PlanExperiment::new(self.store(), self.clock())
    }

    /// Reads the results of experiments.
    #[must_use]
    pub fn read_results(&self) -> ReadResults {
        ReadResults::new(self.store(), self.store(), self.clock())
    }

    /// The gate that experiments put before searches; one for all, so that what it remembers serves all.
    #[must_use]
    pub fn retrieval_gate(&self) -> Arc<ExperimentGate> {
        Arc::clone(&self.gate)
    }

    /// The web adapter over this house.
    #[must_use]
    pub fn web(&self, settings: web::Settings) -> App {
        let authenticate = Authenticate::new(self.store(), self.store(), self.clock());
        let organization = OrganizationRoom {
            sign_in: SignIn::new(authenticate.clone(), self.store(), Arc::new(OperatingSystem), self.clock()),
            sign_out: SignOut::new(self.store(), self.clock()),
            authenticate,
            read_configuration: ReadConfiguration::new(self.store()),
            write_configuration: self.write_configuration(Arc::new(Prompts)),
        };
        let experiments = ExperimentsRoom {
            list: self.list_experiments(),
            start: self.start_experiment(),
            stop: self.stop_experiment(),
            plan: self.plan_experiment(),
            results: self.read_results(),
        };
        let rooms = Rooms {
            organization,
            learning: self.learning_room(),
            evaluation: self.evaluation_room(),
            judging: self.judging_room(),
            experiments,
            governance: self.governance_room(),
        };
        App::new(rooms, Arc::new(StoreReadiness(self.database.clone())), settings)
    }
}

struct StoreReadiness(Database);

impl Readiness for StoreReadiness {
    fn check(&self) -> Result<(), StoreError> {
        self.0.ping()?;
        match self.0.schema()? {
            Schema::Current => Ok(()),
            Schema::Behind(missing) => {
                Err(StoreError::Unavailable(format!("the schema lacks {missing} migration(s)")))
            }
        }
    }
}
