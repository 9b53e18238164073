//! One writer at a time, many writers in one commit.
//!
//! SQLite has a single write lock, and writers that contend for it poll unfairly. Here they queue instead: whoever holds the
//! connection runs its own work in a nested transaction and, while others wait, hands the open transaction on. The last of the
//! batch commits for all, and only then is anybody told. A writer's changes are its own to undo until its nested transaction
//! ends, and nobody is acknowledged before the commit has reached the disk.
//!
//! Other processes, a batch command beside a busy server, poll for the lock too and would hardly ever find it free. So each
//! process that wants the lock first takes a second one, that of being next, and keeps it until it has got the first: a
//! server that has just committed finds the next place taken and lets the other go before it.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use kernel::StoreError;

use crate::backend::{self, AnyConnection, DatabaseUrl};
use crate::faults;
use crate::outcome::Failure;

/// As many writers may share a commit; more would make the first wait too long.
const LARGEST_BATCH: usize = 64;

/// The queue for the one writing connection.
pub(crate) struct GroupCommit {
    url: DatabaseUrl,
    line: Mutex<Line>,
    /// The file whose lock says which process is next; opened when it is first needed.
    next: Mutex<Option<File>>,
}

/// The place of being next among processes; it is given up with this value.
struct Next<'a>(MutexGuard<'a, Option<File>>);

impl Drop for Next<'_> {
    fn drop(&mut self) {
        if let Some(file) = &*self.0
            && file.unlock().is_err()
        {
            // A closed file holds no lock.
            *self.0 = None;
        }
    }
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Arc<Place>>,
    /// The connection while nobody writes; none before the first use and after a failure.
    idle: Option<AnyConnection>,
    is_taken: bool,
}

/// What is handed from writer to writer.
struct Baton {
    conn: Option<AnyConnection>,
    /// The transaction that `conn` is inside of, if its batch is still open.
    open: Option<Open>,
}

/// A batch whose commit is still to come.
struct Open {
    batch: Arc<Batch>,
    size: usize,
}

/// A writer's place in the queue.
#[derive(Default)]
struct Place {
    baton: Mutex<Option<Result<Baton, StoreError>>>,
    called: Condvar,
}

/// The fate of all who share a commit.
#[derive(Default)]
struct Batch {
    fate: Mutex<Option<Result<(), StoreError>>>,
    sealed: Condvar,
}

/// A writer's turn: the connection, inside a transaction that others may share.
pub(crate) struct Turn<'a> {
    line: &'a GroupCommit,
    conn: Option<AnyConnection>,
    open: Option<Open>,
    is_over: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GroupCommit {
    pub(crate) fn new(url: DatabaseUrl) -> Self {
        Self { url, line: Mutex::new(Line::default()), next: Mutex::new(None) }
    }

    /// Waits until this process is next for the write lock: at most as long as those before it may wait for that.
    fn next_among_processes(&self) -> Result<Next<'_>, StoreError> {
        let away = |error: std::io::Error| StoreError::Unavailable(error.to_string());
        let mut next = locked(&self.next);
        if next.is_none()
            && let Some(place) = self.url.beside(".next-writer")
        {
            *next = Some(File::options().create(true).truncate(false).write(true).open(place).map_err(away)?);
        }
        if let Some(file) = &*next {
            file.lock().map_err(away)?;
        }
        Ok(Next(next))
    }

    /// Waits for the connection, in order of arrival.
    pub(crate) fn take_turn(&self) -> Result<Turn<'_>, StoreError> {
        let Baton { conn, open } = self.wait_for_baton()?;
        let mut turn = Turn { line: self, conn, open, is_over: false };
        if turn.open.is_none() {
            turn.begin().inspect_err(|error| self.turn_away(error))?;
        }
        Ok(turn)
    }

    /// Tells everybody in the line what the first has found out: each would only wait as long for the same answer.
    fn turn_away(&self, error: &StoreError) {
        for place in locked(&self.line).waiting.drain(..) {
            place.call(Err(error.clone()));
        }
    }

    fn wait_for_baton(&self) -> Result<Baton, StoreError> {
        let mut line = locked(&self.line);
        if !line.is_taken {
            line.is_taken = true;
            return Ok(Baton { conn: line.idle.take(), open: None });
        }
        let place = Arc::new(Place::default());
        line.waiting.push_back(Arc::clone(&place));
        drop(line);
        let mut baton = locked(&place.baton);
        loop {
            if let Some(baton) = baton.take() {
                return baton;
            }
            baton = place.called.wait(baton).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls the next writer, or keeps the connection until one comes.
    fn pass_on(&self, conn: Option<AnyConnection>) {
        let mut line = locked(&self.line);
        if let Some(next) = line.waiting.pop_front() {
            next.call(Ok(Baton { conn, open: None }));
        } else {
            line.idle = conn;
            line.is_taken = false;
        }
    }
}

impl Place {
    fn call(&self, baton: Result<Baton, StoreError>) {
        *locked(&self.baton) = Some(baton);
        self.called.notify_one();
    }
}

impl Batch {
    fn seal(&self, fate: Result<(), StoreError>) {
        *locked(&self.fate) = Some(fate);
        self.sealed.notify_all();
    }

    fn wait(&self) -> Result<(), StoreError> {
        let mut fate = locked(&self.fate);
        loop {
            if let Some(fate) = fate.clone() {
                return fate;
            }
            fate = self.sealed.wait(fate).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Turn<'_> {
    /// Takes the connection out for the time of the work.
    pub(crate) fn lend(&mut self) -> Result<AnyConnection, StoreError> {
        self.conn.take().ok_or_else(|| StoreError::Failed("the writing connection is not here".to_owned()))
    }

    /// Puts the connection back after the work.
    pub(crate) fn give_back(&mut self, conn: AnyConnection) {
        self.conn = Some(conn);
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.line.url.connect().map_err(|error| StoreError::Unavailable(error.to_string()))?,
        };
        let begun = {
            let _next = self.line.next_among_processes()?;
            backend::begin_write(&mut conn)
        };
        begun.map_err(|error| Failure::of(&error))?;
        self.conn = Some(conn);
        self.open = Some(Open { batch: Arc::default(), size: 1 });
        Ok(())
    }

    /// Ends the turn: hands the transaction on if somebody waits, else commits it; returns when it is committed.
    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        let (Some(conn), Some(open)) = (self.conn.take(), self.open.take()) else {
            return Err(StoreError::Failed("a turn was finished twice".to_owned()));
        };
        let batch = Arc::clone(&open.batch);
        match self.next_in_batch(open.size) {
            Some(next) => {
                let open = Open { size: open.size + 1, ..open };
                next.call(Ok(Baton { conn: Some(conn), open: Some(open) }));
            }
            None => self.line.commit(conn, &batch),
        }
        self.is_over = true;
        drop(self);
        batch.wait()
    }

    fn next_in_batch(&self, size: usize) -> Option<Arc<Place>> {
        if size < LARGEST_BATCH { locked(&self.line.line).waiting.pop_front() } else { None }
    }
}

impl GroupCommit {
    fn commit(&self, mut conn: AnyConnection, batch: &Batch) {
        faults::point("before-commit");
        let committed = backend::commit(&mut conn);
        faults::point("after-commit");
        let is_clean = committed.is_ok() && !backend::is_unclean(&mut conn);
        batch.seal(committed.map_err(|error| Failure::of(&error).into()));
        // A connection that failed to commit is closed, which undoes whatever is left of its transaction.
        self.pass_on(is_clean.then_some(conn));
    }
}

impl Drop for Turn<'_> {
    /// A turn that ends without [`Turn::finish`] failed or panicked: the batch is undone and the line moves on.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        drop(self.conn.take());
        if let Some(open) = self.open.take() {
            open.batch.seal(Err(StoreError::Unavailable("a shared commit was undone".to_owned())));
        }
        self.line.pass_on(None);
    }
}
