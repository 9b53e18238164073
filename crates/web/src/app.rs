//! What the handlers call: every use case, wired by the composition root.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;

use evaluation::judging::{
    CancelRegeneration, GradeOnDemand, ListRegenerations, PreviewRegeneration, ReadJudgingStatus,
    ReadRegeneration, StartRegeneration,
};
use evaluation::{
    ImportResults, ListLearningVerdicts, ListRecentShadow, ListResults, Overview, OverviewQuery,
    ReadOverview, StreamResults, TakePartnerScores,
};
use experiments::{
    ExperimentList, ListExperiments, PlanExperiment, ReadResults, Results, StartExperiment, StopExperiment,
};
use governance::{EraseUser, ExportUser, PreviewErase, ShowPurge};
use kernel::{Clock, ExperimentId, OrgId, StoreError, Timestamp};
use learning::{
    AddAgentPlaybooks, AddProfiles, AddUserPlaybooks, DeleteAgentPlaybook, DeleteProfile, DeleteSession,
    DeleteUserPlaybook, ListAgentPlaybooks, ListInteractions, ListProfiles, ListRequests, ListUserPlaybooks,
    PublishInteractions, ReadFeed, SearchAgentPlaybooks, SearchLearnings, SearchProfiles,
    SearchUserPlaybooks, SetPlaybookStatus, UpdateAgentPlaybook, UpdateProfile, UpdateUserPlaybook,
};
use organization::{Authenticate, ReadConfiguration, SignIn, SignOut, WriteConfiguration};

use crate::auth::Callers;
use crate::rate::RateLimit;
use crate::shared_reads::SharedReads;

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

/// The use cases about what agents publish, keep and search.
pub struct LearningRoom {
    /// The kind of database that a publish reports.
    pub storage: &'static str,
    /// Publishes requests.
    pub publish: PublishInteractions,
    /// Lists requests.
    pub list_requests: ListRequests,
    /// Lists turns.
    pub list_interactions: ListInteractions,
    /// Deletes a session.
    pub delete_session: DeleteSession,
    /// Reads the learning feed.
    pub read_feed: ReadFeed,
    /// Adds profiles.
    pub add_profiles: AddProfiles,
    /// Lists profiles.
    pub list_profiles: ListProfiles,
    /// Changes a profile.
    pub update_profile: UpdateProfile,
    /// Deletes a profile.
    pub delete_profile: DeleteProfile,
    /// Adds users' playbooks.
    pub add_user_playbooks: AddUserPlaybooks,
    /// Lists users' playbooks.
    pub list_user_playbooks: ListUserPlaybooks,
    /// Changes a user's playbook.
    pub update_user_playbook: UpdateUserPlaybook,
    /// Deletes a user's playbook.
    pub delete_user_playbook: DeleteUserPlaybook,
    /// Adds the organization's playbooks.
    pub add_agent_playbooks: AddAgentPlaybooks,
    /// Lists the organization's playbooks.
    pub list_agent_playbooks: ListAgentPlaybooks,
    /// Changes a playbook of the organization.
    pub update_agent_playbook: UpdateAgentPlaybook,
    /// Approves of a playbook, or not.
    pub set_playbook_status: SetPlaybookStatus,
    /// Deletes a playbook of the organization.
    pub delete_agent_playbook: DeleteAgentPlaybook,
    /// Searches everything.
    pub search_all: SearchLearnings,
    /// Searches profiles.
    pub search_profiles: SearchProfiles,
    /// Searches users' playbooks.
    pub search_user_playbooks: SearchUserPlaybooks,
    /// Searches the organization's playbooks.
    pub search_agent_playbooks: SearchAgentPlaybooks,
}

/// The use cases about how well the agent does.
pub struct EvaluationRoom {
    /// Lists results.
    pub list_results: ListResults,
    /// Streams results.
    pub stream_results: StreamResults,
    /// Lists verdicts on retrieved learnings.
    pub list_learning_verdicts: ListLearningVerdicts,
    /// Lists recent shadow verdicts.
    pub list_recent_shadow: ListRecentShadow,
    /// Reads the overview.
    pub read_overview: ReadOverview,
    /// Brings judged results in.
    pub import_results: ImportResults,
    /// Brings partner scores in.
    pub take_partner_scores: TakePartnerScores,
}

/// The use cases about judging.
pub struct JudgingRoom {
    /// Starts replays.
    pub start: StartRegeneration,
    /// Says what one would be.
    pub preview: PreviewRegeneration,
    /// Reads how one stands.
    pub read: ReadRegeneration,
    /// Lists them.
    pub list: ListRegenerations,
    /// Stops one.
    pub cancel: CancelRegeneration,
    /// Grades a session on demand.
    pub grade: GradeOnDemand,
    /// Reads how judging stands.
    pub status: ReadJudgingStatus,
}

/// The use cases about forgetting a user.
pub struct GovernanceRoom {
    /// Exports a user.
    pub export: ExportUser,
    /// Erases a user.
    pub erase: EraseUser,
    /// Counts what an erasure would take.
    pub preview: PreviewErase,
    /// Shows how an erasure stands.
    pub show: ShowPurge,
    /// Tells how long a caller has waited.
    pub clock: Arc<dyn Clock>,
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
    rooms: Rooms,
    /// Whether the service can do its work.
    pub readiness: Arc<dyn Readiness>,
    /// How the adapter behaves.
    pub settings: Settings,
    /// When this server was started.
    pub(crate) started_at: Timestamp,
    pub(crate) callers: Callers,
    pub(crate) rate: RateLimit,
    pub(crate) shared: Shared,
}

/// Reads that those who ask for the same at once share.
pub(crate) struct Shared {
    pub(crate) overview: SharedReads<(OrgId, OverviewQuery), Overview>,
    pub(crate) experiments: SharedReads<OrgId, ExperimentList>,
    pub(crate) experiment_results: SharedReads<(OrgId, ExperimentId), Results>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            overview: SharedReads::default(),
            experiments: SharedReads::short(),
            experiment_results: SharedReads::default(),
        }
    }
}

/// The rooms of the house.
pub struct Rooms {
    /// Organizations, credentials, configuration.
    pub organization: OrganizationRoom,
    /// What agents publish, keep and search.
    pub learning: LearningRoom,
    /// How well the agent does.
    pub evaluation: EvaluationRoom,
    /// Judging.
    pub judging: JudgingRoom,
    /// Retrieval experiments.
    pub experiments: ExperimentsRoom,
    /// Forgetting a user.
    pub governance: GovernanceRoom,
}

impl App {
    /// The adapter over these rooms.
    #[must_use]
    pub fn new(rooms: Rooms, readiness: Arc<dyn Readiness>, settings: Settings) -> Self {
        let rate = RateLimit::new(settings.rate_limit_per_second);
        let started_at = rooms.governance.clock.now();
        let (callers, shared) = (Callers::default(), Shared::default());
        Self { rooms, readiness, settings, started_at, callers, rate, shared }
    }
}

impl Deref for App {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}
