//! What the rules of learning may rely on.

mod activity;
mod agent_playbooks;
mod concurrency;
mod feed;
mod gate;
mod profiles;
mod publish;
mod search;
mod sessions;
mod user_playbooks;

use std::sync::Arc;

use kernel::{AgentVersion, Clock, OrgId, RequestId, SessionId, Source, Timestamp, UnitOfWork, UserId};
use learning::{
    Admission, Attribution, AttributionCheck, EventTime, FreeText, Ids, Interaction, LearningError,
    LearningId, LearningKind, NewInteraction, PlaybookName, PlaybookText, ProfileId, Publication,
    PublishInteractions, PublishSettings, PublishTx, Published, Purpose, Remark, RetrievalGate, Role,
    SearchVisit, SessionKey, Tag, TokenCount, TokenCounter,
};
use storage::Database;

use crate::{at, org};

fn user(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

fn session(user_id: &str, id: &str) -> SessionKey {
    SessionKey { user: user(user_id), session: SessionId::new(id).unwrap() }
}

fn request_id(id: &str) -> RequestId {
    RequestId::new(id).unwrap()
}

fn text(text: &str) -> FreeText {
    FreeText::new(text).unwrap()
}

fn tag(word: &str) -> Tag {
    Tag::new(word).unwrap()
}

fn learning_id(id: &str) -> LearningId {
    LearningId::new(id).unwrap()
}

fn name(word: &str) -> PlaybookName {
    PlaybookName::new(word).unwrap()
}

fn turn(role: &str, content: &str) -> Interaction {
    Interaction { content: text(content), ..Interaction::empty(Role::new(role).unwrap()) }
}

fn cite(kind: LearningKind, id: &str, title: &str) -> learning::Citation {
    learning::Citation { kind, real_id: learning_id(id), tag: Remark::default(), title: text(title) }
}

fn playbook_text(content: &str) -> PlaybookText {
    PlaybookText {
        playbook_name: name("brevity"),
        agent_version: AgentVersion::new("v1").unwrap(),
        content: text(content),
        trigger: FreeText::default(),
        rationale: FreeText::default(),
        structured_data: None,
        tags: vec![],
    }
}

/// A publication of one user turn at a time.
fn said(user_id: &str, session_id: &str, request: &str, seconds: i64) -> Publication {
    Publication {
        user: user(user_id),
        session: Some(SessionId::new(session_id).unwrap()),
        request: Some(request_id(request)),
        source: Source::unstated(),
        agent_version: AgentVersion::unstated(),
        purpose: Purpose::Learning,
        attribution: None,
        interactions: vec![happened(seconds, turn("User", "hello"))],
    }
}

fn happened(seconds: i64, body: Interaction) -> NewInteraction {
    NewInteraction { created_at: Some(EventTime::new(seconds).unwrap()), body }
}

/// What publishing asks of the rest of the house, answered in the simplest way; it is noon of the 100th day.
struct House;

impl RetrievalGate for House {
    fn admit_search(&self, _: &OrgId, _: &SearchVisit) -> Result<Admission, kernel::StoreError> {
        Ok(Admission::Pass)
    }

    fn check_attribution(
        &self,
        _: &OrgId,
        _: &Attribution,
        _: &UserId,
    ) -> Result<AttributionCheck, kernel::StoreError> {
        Ok(AttributionCheck::Holds)
    }
}

impl PublishSettings for House {
    fn evaluation_delay_seconds(&self, _: &OrgId) -> Result<u32, kernel::StoreError> {
        Ok(600)
    }
}

impl TokenCounter for House {
    fn count(&self, text: &str) -> Option<TokenCount> {
        u32::try_from(text.split_whitespace().count()).ok().map(TokenCount)
    }
}

impl Ids for House {
    fn request_id(&self) -> RequestId {
        request_id("made")
    }

    fn profile_id(&self) -> ProfileId {
        ProfileId::new("made").unwrap()
    }
}

const NOON: i64 = 100 * 86_400 + 43_200;

impl Clock for House {
    fn now(&self) -> Timestamp {
        at(NOON)
    }
}

fn publish(database: &Database, in_org: &str, publication: Publication) -> Result<Published, LearningError> {
    let house = Arc::new(House);
    let store: Arc<dyn UnitOfWork<dyn PublishTx>> = Arc::new(database.clone());
    let rule = PublishInteractions::new(
        store,
        Arc::<House>::clone(&house),
        Arc::<House>::clone(&house),
        Arc::<House>::clone(&house),
        Arc::<House>::clone(&house),
        house,
    );
    rule.publish(&org(in_org), publication)
}
