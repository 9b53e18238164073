//! What every room of Touchstone speaks: validated names, time, callers and units of work. No I/O.

pub mod caller;
pub mod ids;
pub mod store_error;
pub mod time;
pub mod uow;

pub use caller::{ActorRef, Caller, CredentialKind, Permission, Permissions};
pub use ids::{
    AgentVersion, EvaluationName, ExperimentId, InvalidName, Label, OrgId, RequestId, SessionId, Source,
    UserId,
};
pub use store_error::{Barrier, StoreError};
pub use time::{Clock, InvalidWindow, Period, Timestamp, Window};
pub use uow::{UnitOfWork, Verdict, Work};

#[cfg(any(test, feature = "mock"))]
pub use time::MockClock;
#[cfg(any(test, feature = "mock"))]
pub use uow::RunsOnce;
