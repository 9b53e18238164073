//! What agents publish, what was learned from it, and finding it again.

pub mod activity;
pub mod attribution;
pub mod batch;
pub mod digest;
pub mod error;
pub mod feed;
pub mod interaction;
pub mod names;
pub mod page;
pub mod playbook;
pub mod ports;
pub mod profile;
pub mod publish;
pub mod search;
pub mod status;
pub mod text;
pub mod time;

pub use activity::{
    DeleteSession, InteractionFilter, ListInteractions, ListRequests, PublishedInteraction, PublishedRequest,
    Request, RequestFilter, SessionGroup, SessionKey, Turns,
};
pub use attribution::{Arm, Attribution, HalfAttribution};
pub use batch::{LARGEST_BATCH, MOST_CITATIONS, MOST_RETRIEVED_LEARNINGS, Warning};
pub use digest::BodyDigest;
pub use error::{LearningError, Thing};
pub use feed::{FeedEntry, FeedLimit, FeedPage, FeedPosition, ReadFeed};
pub use interaction::{
    Citation, Interaction, LearningKind, NewInteraction, RetrievedLearning, Role, TimedInteraction,
    TokenCount, ToolUse,
};
pub use names::{
    AgentPlaybookId, InteractionId, InvalidNumber, LearningId, PlaybookName, ProfileId, Remark, Tag,
    UserPlaybookId,
};
pub use page::{Cursor, InvalidCursor, LimitOutOfRange, Page, PageLimit, PageRequest, RowKey, Slice, Start};
pub use playbook::{
    AddAgentPlaybooks, AddUserPlaybooks, AgentPlaybook, AgentPlaybookChanges, AgentPlaybookFilter,
    DeleteAgentPlaybook, DeleteUserPlaybook, ListAgentPlaybooks, ListUserPlaybooks, NewAgentPlaybook,
    NewUserPlaybook, PlaybookStatus, PlaybookText, PlaybookTextChanges, SetPlaybookStatus, SourceWindow,
    UpdateAgentPlaybook, UpdateUserPlaybook, UserPlaybook, UserPlaybookChanges, UserPlaybookFilter,
};
pub use ports::{
    ActivityReader, Admission, AgentPlaybookTx, AttributionCheck, FeedReader, Ids, LearningReader,
    PlaybookOwner, ProfileTx, PublishSettings, PublishTx, Put, Recorded, Retrieval, RetrievalGate,
    SearchVisit, SessionTx, TokenCounter, UserPlaybookTx,
};
pub use profile::{
    AddProfiles, DeleteProfile, ListProfiles, NewProfile, Profile, ProfileChanges, ProfileFilter, ProfileRef,
    UpdateProfile,
};
pub use publish::{Publication, PublishInteractions, Published, Purpose};
pub use search::{
    AgentPlaybookQuery, AgentPlaybookScope, BlankQuery, Found, Learnings, LearningsQuery, Match, MatchMode,
    ProfileQuery, ProfileScope, SearchAgentPlaybooks, SearchLearnings, SearchProfiles, SearchText,
    SearchUserPlaybooks, Searcher, TopK, TopKOutOfRange, UserPlaybookQuery, UserPlaybookScope, words,
};
pub use status::{Status, StatusFilter};
pub use text::{FreeText, InvalidText, JsonText};
pub use time::{EventTime, NegativeTime};
