//! What is remembered of a governance operation: who, what, how it ended and how much; never a token or a raw id.

use kernel::{ActorRef, Caller, CredentialKind, Timestamp};

use crate::{Counts, TicketRefs};

/// What kind of actor asked for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// A person's bearer.
    Dashboard,
    /// A person's browser, signed in.
    Session,
    /// An agent's key. No rule lets one govern; the kind exists so that a row can never lie about it.
    Production,
    /// The operator at the command line.
    Operator,
}

impl ActorKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Dashboard, Self::Session, Self::Production, Self::Operator];

    /// The kind as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::Session => "session",
            Self::Production => "production",
            Self::Operator => "operator",
        }
    }

    /// Reads a kind back.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Who asked: a kind and a minimized reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The kind of actor.
    pub kind: ActorKind,
    /// The public id of the credential, or the operator.
    pub reference: ActorRef,
}

impl Actor {
    /// The actor behind an authenticated call.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        let kind = match caller.kind {
            CredentialKind::Dashboard => ActorKind::Dashboard,
            CredentialKind::Session => ActorKind::Session,
            CredentialKind::Production => ActorKind::Production,
        };
        Self { kind, reference: caller.actor.clone() }
    }

    /// The operator at the command line.
    #[must_use]
    pub fn operator() -> Self {
        Self { kind: ActorKind::Operator, reference: ActorRef::operator() }
    }
}

/// The operations that leave audit rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A copy of a user's data was handed out.
    Export,
    /// A user was erased.
    Erase,
}

impl Operation {
    /// All operations.
    pub const ALL: [Self; 2] = [Self::Export, Self::Erase];

    /// The operation as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Export => "EXPORT",
            Self::Erase => "ERASE",
        }
    }

    /// Reads an operation back.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.as_str() == text)
    }
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did all it promised.
    Ok,
    /// It failed.
    Error,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 2] = [Self::Ok, Self::Error];

    /// The outcome as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
        }
    }

    /// Reads an outcome back.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }
}

/// One audit row. There is no field that could carry a token, a user id or a ticket's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Who asked.
    pub actor: Actor,
    /// What was asked.
    pub operation: Operation,
    /// How it ended.
    pub outcome: Outcome,
    /// The user and the ticket, minimized.
    pub refs: TicketRefs,
    /// Rows per target: exported, or deleted so far.
    pub counts: Counts,
    /// When it ended.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_an_audit_row_reads_back() {
        for kind in ActorKind::ALL {
            assert_eq!(ActorKind::parse(kind.as_str()), Some(kind));
        }
        for operation in Operation::ALL {
            assert_eq!(Operation::parse(operation.as_str()), Some(operation));
        }
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.as_str()), Some(outcome));
        }
        assert_eq!(Operation::parse("erase"), None);
    }
}
