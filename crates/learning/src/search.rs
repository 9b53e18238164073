//! Searching learnings, unless an experiment holds them back from the user.

mod query;
mod scope;
mod text;

use std::sync::Arc;

use kernel::{Clock, StoreError};
pub use query::{AgentPlaybookQuery, Found, LearningsQuery, ProfileQuery, Searcher, UserPlaybookQuery};
pub use scope::{
    AgentPlaybookScope, Match, MatchMode, ProfileScope, TopK, TopKOutOfRange, UserPlaybookScope,
};
pub use text::{BlankQuery, SearchText, words};

use crate::{
    Admission, AgentPlaybook, LearningError, Profile, Retrieval, RetrievalGate, SearchVisit, UserPlaybook,
};

#[cfg(test)]
mod tests;

/// What a search in all lists found, each best first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Learnings {
    /// Profiles of the user.
    pub profiles: Vec<Profile>,
    /// Playbooks of the user.
    pub user_playbooks: Vec<UserPlaybook>,
    /// Playbooks of the organization.
    pub agent_playbooks: Vec<AgentPlaybook>,
}

/// Asks the gate first; a search that it withholds succeeds with nothing, and never retrieves.
fn admitted<T: Default>(
    gate: &dyn RetrievalGate,
    searcher: &Searcher,
    retrieve: impl FnOnce() -> Result<T, StoreError>,
) -> Result<Found<T>, LearningError> {
    let Searcher { org, kind, user, session } = searcher;
    let visit = SearchVisit { kind: *kind, user: user.clone(), session: session.clone() };
    match gate.admit_search(org, &visit)? {
        Admission::Pass => Ok(Found { learnings: retrieve()?, experiment: None }),
        Admission::Retrieve(arm) => Ok(Found { learnings: retrieve()?, experiment: Some(arm) }),
        Admission::Withhold(arm) => Ok(Found { learnings: T::default(), experiment: Some(arm) }),
        Admission::UserRequired => Err(LearningError::UserIdRequired),
    }
}

/// Looks for all words in a list, and for any of them when no learning has all.
fn ranked<T>(
    text: &SearchText,
    top_k: TopK,
    list: impl Fn(&Match) -> Result<Vec<T>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = |mode| Match { text: text.clone(), mode, top_k };
    let found = list(&wanted(MatchMode::AllWords))?;
    if !found.is_empty() || text.is_one_word() {
        return Ok(found);
    }
    list(&wanted(MatchMode::AnyWord))
}

/// Searches all learnings that concern a user.
#[derive(Clone)]
pub struct SearchLearnings {
    gate: Arc<dyn RetrievalGate>,
    retrieval: Arc<dyn Retrieval>,
    clock: Arc<dyn Clock>,
}

impl SearchLearnings {
    /// Searches by this retrieval what this gate lets through.
    #[must_use]
    pub fn new(gate: Arc<dyn RetrievalGate>, retrieval: Arc<dyn Retrieval>, clock: Arc<dyn Clock>) -> Self {
        Self { gate, retrieval, clock }
    }

    /// The best learnings of each list; without a user, agent playbooks only.
    ///
    /// # Errors
    /// When an experiment needs to know the user, or the store failed.
    pub fn search(
        &self,
        searcher: &Searcher,
        query: &LearningsQuery,
    ) -> Result<Found<Learnings>, LearningError> {
        admitted(&*self.gate, searcher, || self.retrieve(searcher, query))
    }

    fn retrieve(&self, searcher: &Searcher, query: &LearningsQuery) -> Result<Learnings, StoreError> {
        let Searcher { org, user, .. } = searcher;
        let mut found = Learnings::default();
        if let Some(user) = user {
            let profiles = query.profiles_of(user, self.clock.now());
            found.profiles =
                ranked(&query.text, query.top_k, |wanted| self.retrieval.profiles(org, wanted, &profiles))?;
            let playbooks = query.user_playbooks_of(user);
            found.user_playbooks = ranked(&query.text, query.top_k, |wanted| {
                self.retrieval.user_playbooks(org, wanted, &playbooks)
            })?;
        }
        let playbooks = query.agent_playbooks();
        found.agent_playbooks = ranked(&query.text, query.top_k, |wanted| {
            self.retrieval.agent_playbooks(org, wanted, &playbooks)
        })?;
        Ok(found)
    }
}

/// Searches the profiles of a user.
#[derive(Clone)]
pub struct SearchProfiles {
    gate: Arc<dyn RetrievalGate>,
    retrieval: Arc<dyn Retrieval>,
    clock: Arc<dyn Clock>,
}

impl SearchProfiles {
    /// Searches by this retrieval what this gate lets through.
    #[must_use]
    pub fn new(gate: Arc<dyn RetrievalGate>, retrieval: Arc<dyn Retrieval>, clock: Arc<dyn Clock>) -> Self {
        Self { gate, retrieval, clock }
    }

    /// The best profiles of the user; without a user, none.
    ///
    /// # Errors
    /// When an experiment needs to know the user, or the store failed.
    pub fn search(
        &self,
        searcher: &Searcher,
        query: &ProfileQuery,
    ) -> Result<Found<Vec<Profile>>, LearningError> {
        admitted(&*self.gate, searcher, || {
            let Some(user) = &searcher.user else { return Ok(Vec::new()) };
            let scope = query.of(user, self.clock.now());
            ranked(&query.text, query.top_k, |wanted| self.retrieval.profiles(&searcher.org, wanted, &scope))
        })
    }
}

/// Searches the playbooks of a user.
#[derive(Clone)]
pub struct SearchUserPlaybooks {
    gate: Arc<dyn RetrievalGate>,
    retrieval: Arc<dyn Retrieval>,
}

impl SearchUserPlaybooks {
    /// Searches by this retrieval what this gate lets through.
    #[must_use]
    pub fn new(gate: Arc<dyn RetrievalGate>, retrieval: Arc<dyn Retrieval>) -> Self {
        Self { gate, retrieval }
    }

    /// The best playbooks of the user; without a user, none.
    ///
    /// # Errors
    /// When an experiment needs to know the user, or the store failed.
    pub fn search(
        &self,
        searcher: &Searcher,
        query: &UserPlaybookQuery,
    ) -> Result<Found<Vec<UserPlaybook>>, LearningError> {
        admitted(&*self.gate, searcher, || {
            let Some(user) = &searcher.user else { return Ok(Vec::new()) };
            let scope = query.of(user);
            ranked(&query.text, query.top_k, |wanted| {
                self.retrieval.user_playbooks(&searcher.org, wanted, &scope)
            })
        })
    }
}

/// Searches the playbooks of the organization.
#[derive(Clone)]
pub struct SearchAgentPlaybooks {
    gate: Arc<dyn RetrievalGate>,
    retrieval: Arc<dyn Retrieval>,
}

impl SearchAgentPlaybooks {
    /// Searches by this retrieval what this gate lets through.
    #[must_use]
    pub fn new(gate: Arc<dyn RetrievalGate>, retrieval: Arc<dyn Retrieval>) -> Self {
        Self { gate, retrieval }
    }

    /// The best playbooks of the organization.
    ///
    /// # Errors
    /// When an experiment needs to know the user, or the store failed.
    pub fn search(
        &self,
        searcher: &Searcher,
        query: &AgentPlaybookQuery,
    ) -> Result<Found<Vec<AgentPlaybook>>, LearningError> {
        admitted(&*self.gate, searcher, || {
            let scope = query.scope();
            ranked(&query.text, query.top_k, |wanted| {
                self.retrieval.agent_playbooks(&searcher.org, wanted, &scope)
            })
        })
    }
}
