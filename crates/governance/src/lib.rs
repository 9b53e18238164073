//! The right to be forgotten: what is kept about a user can be shown, erased, and shown to be erased.

pub mod subject;

pub use subject::{
    ExportId, InvalidKeyRing, KeyRing, MalformedReference, PurgeId, RequestRef, SHORTEST_SECRET, SubjectRef,
    TicketRefs,
};
