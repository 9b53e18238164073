//! Wiring of what agents publish, keep and search.

use std::sync::Arc;

use learning::{
    AddAgentPlaybooks, AddProfiles, AddUserPlaybooks, DeleteAgentPlaybook, DeleteProfile, DeleteSession,
    DeleteUserPlaybook, ListAgentPlaybooks, ListInteractions, ListProfiles, ListRequests, ListUserPlaybooks,
    PublishInteractions, ReadFeed, SearchAgentPlaybooks, SearchLearnings, SearchProfiles,
    SearchUserPlaybooks, SetPlaybookStatus, UpdateAgentPlaybook, UpdateProfile, UpdateUserPlaybook,
};
use web::LearningRoom;

use super::House;
use crate::ids::RandomIds;
use crate::tokens::Cl100kBase;

impl House {
    /// Publishes requests.
    #[must_use]
    pub fn publish(&self) -> PublishInteractions {
        PublishInteractions::new(
            self.store(),
            self.retrieval_gate(),
            self.settings(),
            Arc::new(Cl100kBase),
            Arc::new(RandomIds),
            self.clock(),
        )
    }

    /// Adds profiles.
    #[must_use]
    pub fn add_profiles(&self) -> AddProfiles {
        AddProfiles::new(self.store(), Arc::new(RandomIds), self.clock())
    }

    /// Adds users' playbooks.
    #[must_use]
    pub fn add_user_playbooks(&self) -> AddUserPlaybooks {
        AddUserPlaybooks::new(self.store(), self.clock())
    }

    /// Adds playbooks of the organization.
    #[must_use]
    pub fn add_agent_playbooks(&self) -> AddAgentPlaybooks {
        AddAgentPlaybooks::new(self.store(), self.clock())
    }

    /// Searches all learnings that concern a user.
    #[must_use]
    pub fn search_learnings(&self) -> SearchLearnings {
        SearchLearnings::new(self.retrieval_gate(), self.store(), self.clock())
    }

    /// Searches playbooks of the organization.
    #[must_use]
    pub fn search_agent_playbooks(&self) -> SearchAgentPlaybooks {
        SearchAgentPlaybooks::new(self.retrieval_gate(), self.store())
    }

    pub(super) fn learning_room(&self) -> LearningRoom {
        LearningRoom {
            storage: self.database.engine(),
            publish: self.publish(),
            list_requests: ListRequests::new(self.store()),
            list_interactions: ListInteractions::new(self.store()),
            delete_session: DeleteSession::new(self.store()),
            read_feed: ReadFeed::new(self.store()),
            add_profiles: self.add_profiles(),
            list_profiles: ListProfiles::new(self.store()),
            update_profile: UpdateProfile::new(self.store(), self.clock()),
            delete_profile: DeleteProfile::new(self.store()),
            add_user_playbooks: self.add_user_playbooks(),
            list_user_playbooks: ListUserPlaybooks::new(self.store()),
            update_user_playbook: UpdateUserPlaybook::new(self.store()),
            delete_user_playbook: DeleteUserPlaybook::new(self.store()),
            add_agent_playbooks: self.add_agent_playbooks(),
            list_agent_playbooks: ListAgentPlaybooks::new(self.store()),
            update_agent_playbook: UpdateAgentPlaybook::new(self.store()),
            set_playbook_status: SetPlaybookStatus::new(self.store()),
            delete_agent_playbook: DeleteAgentPlaybook::new(self.store()),
            search_all: self.search_learnings(),
            search_profiles: SearchProfiles::new(self.retrieval_gate(), self.store(), self.clock()),
            search_user_playbooks: SearchUserPlaybooks::new(self.retrieval_gate(), self.store()),
            search_agent_playbooks: self.search_agent_playbooks(),
        }
    }
}
