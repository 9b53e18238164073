//! What the rules of this room need from a store and from the rest of the house.

mod gate;
mod learnings;
mod publish;
mod reading;

pub use gate::{Admission, AttributionCheck, Ids, PublishSettings, RetrievalGate, SearchVisit, TokenCounter};
pub use learnings::{AgentPlaybookTx, PlaybookOwner, ProfileTx, Put, UserPlaybookTx};
pub use publish::{PublishTx, Recorded, SessionTx};
pub use reading::{ActivityReader, FeedReader, LearningReader, Retrieval};

#[cfg(any(test, feature = "mock"))]
pub use gate::{MockIds, MockPublishSettings, MockRetrievalGate, MockTokenCounter};
#[cfg(any(test, feature = "mock"))]
pub use learnings::{MockAgentPlaybookTx, MockProfileTx, MockUserPlaybookTx};
#[cfg(any(test, feature = "mock"))]
pub use publish::{MockPublishTx, MockSessionTx};
#[cfg(any(test, feature = "mock"))]
pub use reading::{MockActivityReader, MockFeedReader, MockLearningReader, MockRetrieval};
