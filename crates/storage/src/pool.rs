//! Connections kept ready, for readers of either database and for writers of the one that has many.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use kernel::StoreError;

use crate::backend::{self, AnyConnection, DatabaseUrl};

/// Opens and inspects connections for the pool.
pub(crate) struct Connections(DatabaseUrl);

/// A connection in the pool, and whether it has been found dead.
pub(crate) struct Kept {
    conn: AnyConnection,
    is_lost: bool,
}

impl r2d2::ManageConnection for Connections {
    type Connection = Kept;
    type Error = diesel::ConnectionError;

    fn connect(&self) -> Result<Kept, Self::Error> {
        Ok(Kept { conn: self.0.connect()?, is_lost: false })
    }

    fn is_valid(&self, _kept: &mut Kept) -> Result<(), Self::Error> {
        Ok(())
    }

    fn has_broken(&self, kept: &mut Kept) -> bool {
        kept.is_lost || backend::is_unclean(&mut kept.conn)
    }
}

/// A connection on loan from the pool.
pub(crate) struct Pooled(r2d2::PooledConnection<Connections>);

impl Pooled {
    /// Marks the connection as dead, so that the pool replaces it.
    pub(crate) fn discard(mut self) {
        self.0.is_lost = true;
    }
}

impl Deref for Pooled {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        &self.0.conn
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        &mut self.0.conn
    }
}

/// Logs nothing: a failing database would flood the log, and every caller gets the error anyway.
#[derive(Debug)]
struct Quiet;

impl r2d2::HandleError<diesel::ConnectionError> for Quiet {
    fn handle_error(&self, _error: diesel::ConnectionError) {}
}

/// The pool.
#[derive(Clone)]
pub(crate) struct Pool(r2d2::Pool<Connections>);

impl Pool {
    /// A pool of at most `size` connections, opened as they are needed.
    pub(crate) fn new(url: DatabaseUrl, size: u32, patience: Duration) -> Self {
        // Probing a connection before each use would cost a round trip; a dead one is met and replaced instead.
        Self(
            r2d2::Pool::builder()
                .max_size(size)
                .min_idle(Some(0))
                .connection_timeout(patience)
                .test_on_check_out(false)
                .error_handler(Box::new(Quiet))
                .build_unchecked(Connections(url)),
        )
    }

    /// Borrows a connection.
    pub(crate) fn get(&self) -> Result<Pooled, StoreError> {
        let no_connection =
            || StoreError::Unavailable("no database connection was to be had in time".to_owned());
        self.0.get().map(Pooled).map_err(|_| no_connection())
    }

    /// How many connections may be found dead before the database itself must be away.
    pub(crate) fn size(&self) -> u32 {
        self.0.max_size()
    }
}
