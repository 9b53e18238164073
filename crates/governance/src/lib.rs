//! The right to be forgotten: what is kept about a user can be shown, erased, and shown to be erased.

pub mod agreement;
pub mod audit;
pub mod coverage;
pub mod erase;
pub mod error;
pub mod execution;
pub mod export;
pub mod ledger;
pub mod onlooker;
pub mod ports;
pub mod preview;
pub mod purge;
pub mod resume;
mod setback;
pub mod status;
pub mod subject;
mod taking;

#[cfg(test)]
mod testing;

pub use agreement::{AgreeOnKeys, Disagreement, KeyLedger};
pub use audit::{Actor, ActorKind, AuditEntry, Operation, Outcome};
pub use coverage::{Column, DERIVED, Derived, Form, Owner, Role, TABLES, Table, Target, Treatment};
pub use erase::{EraseAnswer, EraseReport, EraseUser, Ticket};
pub use error::GovernanceError;
pub use execution::CHUNK_ROWS;
pub use export::{ExportHead, ExportRow, ExportSink, ExportUser, ReceiverGone, Value};
pub use ledger::{AgentPlaybookId, Counts, Ledger};
pub use onlooker::{PATIENCE_SECONDS, PatientCaller};
pub use ports::{
    AuditTx, BarrierTx, DuePurge, ErasureTx, GovernanceTx, LedgerTx, Onlooker, PurgeReader, PurgeRecord,
    PurgeTx, RaisedBarrier, SubjectReader, SubjectSnapshot,
};
pub use preview::{Preview, PreviewErase};
pub use purge::{
    ErrorCode, Failure, Fence, Hold, Holder, LEASE_SECONDS, Lease, Purge, PurgeState, PurgeStatus,
};
pub use resume::{ROUND, ResumePurges, Resumed};
pub use status::{PurgeView, ShowPurge};
pub use subject::{
    ExportId, InvalidKeyRing, KeyCheck, KeyRing, MalformedReference, PurgeId, RequestRef, SHORTEST_SECRET,
    SubjectRef, TicketRefs,
};
