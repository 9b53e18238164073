//! The database as the rest of the house holds it.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governance::KeyRing;
use kernel::{OrgId, StoreError};

use crate::backend::{AnyConnection, DatabaseUrl};
use crate::pool::Pool;
use crate::transaction::group_commit::GroupCommit;

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it is.
    pub url: DatabaseUrl,
    /// How many connections are kept for readers (and, where there are many, writers).
    pub pool_size: u32,
    /// How long a caller waits for a connection.
    pub patience: Duration,
    /// The secrets that turn users into references.
    pub ring: Arc<KeyRing>,
}

impl Options {
    /// The usual way to open this database.
    #[must_use]
    pub const fn usual(url: DatabaseUrl, ring: Arc<KeyRing>) -> Self {
        Self { url, pool_size: 16, patience: Duration::from_secs(3), ring }
    }
}

/// How writers reach the database.
pub(crate) enum Writers {
    /// One connection, handed from writer to writer; those waiting share a commit.
    Shared(GroupCommit),
    /// A connection each.
    Pooled,
}

/// A handle on the database; clones share it.
#[derive(Clone)]
pub struct Database {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) url: DatabaseUrl,
    pub(crate) pool: Pool,
    pub(crate) writers: Writers,
    pub(crate) ring: Arc<KeyRing>,
    losers: Vec<Mutex<()>>,
}

/// Organizations share so many lines of writers who keep losing races: one whose writers lose for a while, because a user
/// of theirs is being erased, seldom holds up another's.
const LINES_OF_LOSERS: u64 = 64;

impl Inner {
    /// Held by the one writer among those of an organization who keep losing races whose turn it is.
    pub(crate) fn losers(&self, org: &OrgId) -> Option<MutexGuard<'_, ()>> {
        let number = BuildHasherDefault::<DefaultHasher>::default().hash_one(org.as_str());
        let line = usize::try_from(number % LINES_OF_LOSERS).ok()?;
        self.losers.get(line).map(|line| line.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Database {
    /// Opens the database; connections are made when they are first needed.
    #[must_use]
    pub fn open(options: &Options) -> Self {
        let url = options.url.clone();
        let writers = if url.has_single_writer() {
            Writers::Shared(GroupCommit::new(url.clone()))
        } else {
            Writers::Pooled
        };
        let pool = Pool::new(url.clone(), options.pool_size, options.patience);
        Self {
            inner: Arc::new(Inner {
                url,
                pool,
                writers,
                ring: options.ring.clone(),
                losers: (0..LINES_OF_LOSERS).map(|_| Mutex::new(())).collect(),
            }),
        }
    }

    /// The database's name, for people.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        self.inner.url.engine()
    }

    /// The secrets that turn users into references.
    #[must_use]
    pub fn ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.inner.ring)
    }

    /// Whether the database answers.
    pub fn ping(&self) -> Result<(), StoreError> {
        use diesel::RunQueryDsl as _;
        self.read(|conn| diesel::sql_query("SELECT 1").execute(conn).map(|_| ()))
    }

    /// Opens a connection outside the pool, for work that must not share one.
    pub(crate) fn connect(&self) -> Result<AnyConnection, StoreError> {
        self.inner.url.connect().map_err(|error| StoreError::Unavailable(connect_failure(&error)))
    }
}

/// Says why a connection could not be made; the driver's text names hosts and files, never data.
fn connect_failure(error: &diesel::ConnectionError) -> String {
    match error {
        diesel::ConnectionError::BadConnection(why) => why.trim().to_owned(),
        other => other.to_string(),
    }
}
