//! What a database's answer means for a unit of work.

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};
use kernel::StoreError;

/// How a failed statement is to be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Another writer was faster; running again sees what it did.
    LostRace,
    /// A row that must be unique is there already; the rule's own check sees it when it runs again.
    Duplicate,
    /// The connection is of no use any more.
    ConnectionLost(String),
    /// The database has no room or no time.
    Overloaded(String),
    /// Anything else: a defect on our side, or a broken database.
    Broken(String),
}

impl Failure {
    /// Reads a diesel error. Only the kind and the constraint go into the text: a message may quote a value.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::DatabaseError(kind, info) => {
                Self::of_database(*kind, info.message(), info.constraint_name())
            }
            Error::BrokenTransactionManager => Self::ConnectionLost("transaction state lost".to_owned()),
            Error::DeserializationError(cause) => Self::Broken(format!("unreadable value: {cause}")),
            Error::NotFound => Self::Broken("a row that must exist is missing".to_owned()),
            other => Self::Broken(format!("{other}")),
        }
    }

    /// Whether running the work again may succeed.
    pub(crate) const fn is_race(&self) -> bool {
        matches!(self, Self::LostRace | Self::Duplicate)
    }

    fn of_database(kind: DatabaseErrorKind, message: &str, constraint: Option<&str>) -> Self {
        match kind {
            DatabaseErrorKind::UniqueViolation => Self::Duplicate,
            DatabaseErrorKind::SerializationFailure => Self::LostRace,
            DatabaseErrorKind::ClosedConnection => Self::ConnectionLost("connection closed".to_owned()),
            DatabaseErrorKind::UnableToSendCommand => Self::ConnectionLost("connection lost".to_owned()),
            DatabaseErrorKind::ForeignKeyViolation
            | DatabaseErrorKind::NotNullViolation
            | DatabaseErrorKind::CheckViolation => {
                Self::Broken(format!("constraint {} was violated", constraint.unwrap_or("?")))
            }
            _ => Self::of_message(message),
        }
    }

    /// Diesel leaves these to the message's text.
    fn of_message(message: &str) -> Self {
        let is = |needle: &str| message.contains(needle);
        if is("deadlock detected") || is("could not serialize access") {
            Self::LostRace
        } else if is("database is locked") || is("lock timeout") || is("database table is locked") {
            Self::Overloaded("the write lock was not to be had in time".to_owned())
        } else if is("disk is full") || is("No space left on device") {
            Self::Overloaded("the disk is full".to_owned())
        } else if is("server closed the connection")
            || is("terminating connection")
            || is("could not connect")
            || is("connection to server")
            || is("shutting down")
            || is("starting up")
            || is("recovery mode")
        {
            Self::ConnectionLost("the database went away".to_owned())
        } else if is("malformed") || is("not a database") {
            Self::Broken("the database file is damaged".to_owned())
        } else {
            // PostgreSQL and SQLite name columns and syntax here, not values; details are a separate field.
            Self::Broken(message.to_owned())
        }
    }
}

/// What a rule is told of a query's answer.
pub(crate) fn answer<T>(asked: QueryResult<T>) -> Result<T, StoreError> {
    asked.map_err(|error| Failure::of(&error).into())
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::LostRace | Failure::Duplicate => Self::Contended,
            Failure::ConnectionLost(why) | Failure::Overloaded(why) => Self::Unavailable(why),
            Failure::Broken(why) => Self::Failed(why),
        }
    }
}
