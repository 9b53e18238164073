//! Transactions: the one place where they begin, commit, roll back and run again.

pub(crate) mod group_commit;

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use diesel::QueryResult;
use governance::KeyRing;
use kernel::{OrgId, StoreError, UserId, Verdict};

use crate::backend::{self, AnyConnection};
use crate::database::{Database, Writers};
use crate::faults;
use crate::outcome::Failure;
use crate::pool::Pooled;
use group_commit::GroupCommit;

/// A row that exists already is seen by the rule's own check when it runs again; more runs would not help.
const RUNS_AFTER_DUPLICATE: u32 = 2;
/// Serialization failures are nobody's fault and pass; a rule gives up only under sheer load.
const RUNS_AFTER_LOST_RACE: u32 = 40;

/// The connection a transaction runs on.
enum Held {
    Own(Pooled),
    Shared(Box<AnyConnection>),
}

/// One organization's data inside one transaction; every transaction port is implemented on it.
pub(crate) struct OrgTx {
    held: Held,
    pub(crate) org: OrgId,
    ring: Arc<KeyRing>,
    /// The users whose rows this transaction may write; `barrier.rs` alone adds to it.
    pub(crate) admitted: BTreeSet<UserId>,
    failure: Option<Failure>,
}

impl OrgTx {
    fn new(held: Held, org: &OrgId, ring: &Arc<KeyRing>) -> Self {
        Self { held, org: org.clone(), ring: Arc::clone(ring), admitted: BTreeSet::new(), failure: None }
    }

    /// The secrets that turn users into references.
    pub(crate) fn ring(&self) -> &KeyRing {
        &self.ring
    }

    /// Gives up this run, so that the rule runs again in a new transaction.
    pub(crate) fn lose_race(&mut self) -> StoreError {
        self.failure = Some(Failure::LostRace);
        StoreError::Contended
    }

    /// Runs one query, which gets the organization it must name.
    pub(crate) fn query<T>(
        &mut self,
        query: impl FnOnce(&mut AnyConnection, &str) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        let conn = match &mut self.held {
            Held::Own(conn) => &mut **conn,
            Held::Shared(conn) => &mut **conn,
        };
        query(conn, self.org.as_str()).map_err(|error| {
            let failure = Failure::of(&error);
            self.failure = Some(failure.clone());
            failure.into()
        })
    }
}

/// One organization's data as it was at one moment; nothing can be written through it.
pub(crate) struct OrgSnapshot {
    conn: Pooled,
    org: OrgId,
    is_lost: bool,
}

impl OrgSnapshot {
    /// Runs one query, which gets the organization it must name.
    pub(crate) fn query<T>(
        &mut self,
        query: impl FnOnce(&mut AnyConnection, &str) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        query(&mut self.conn, self.org.as_str()).map_err(|error| {
            let failure = Failure::of(&error);
            self.is_lost |= matches!(failure, Failure::ConnectionLost(_));
            failure.into()
        })
    }
}

/// What became of one run of the work.
enum Run {
    Done,
    Again(Failure),
}

/// How often work has run, and whether it may run once more.
#[derive(Default)]
struct Reruns {
    duplicates: u32,
    races: u32,
}

impl Reruns {
    fn allow(&mut self, failure: &Failure) -> bool {
        let (count, most) = match failure {
            Failure::Duplicate => (&mut self.duplicates, RUNS_AFTER_DUPLICATE),
            _ => (&mut self.races, RUNS_AFTER_LOST_RACE),
        };
        *count += 1;
        *count <= most
    }

    /// Lets the winners get out of the way; a random share keeps the losers from meeting again.
    fn pause(&self) {
        if self.races > 1 {
            let share = RandomState::new().hash_one(self.races) % 1_000;
            std::thread::sleep(Duration::from_micros(u64::from(self.races) * (500 + share)));
        }
    }
}

impl Database {
    /// Runs work in one write transaction of the organization, again after a lost race.
    pub(crate) fn write(
        &self,
        org: &OrgId,
        work: &mut dyn FnMut(&mut OrgTx) -> Verdict,
    ) -> Result<(), StoreError> {
        let mut reruns = Reruns::default();
        let mut place_in_line = None;
        loop {
            let run = match &self.inner.writers {
                Writers::Shared(line) => self.run_in_turn(line, org, work)?,
                Writers::Pooled => self.run_on_own(org, work)?,
            };
            match run {
                Run::Done => return Ok(()),
                Run::Again(failure) if reruns.allow(&failure) => {
                    // Losers of an organization go one at a time. A crowd that writes one session would otherwise let a
                    // single writer through and turn all others away, again and again.
                    if reruns.races > 0 && place_in_line.is_none() {
                        place_in_line = self.inner.losers(org);
                    }
                    reruns.pause();
                }
                Run::Again(failure) => return Err(failure.into()),
            }
        }
    }

    /// Runs work in one write transaction and hands over its answer; an error rolls back.
    pub(crate) fn written<T>(
        &self,
        org: &OrgId,
        mut work: impl FnMut(&mut OrgTx) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut answer = Err(StoreError::Contended);
        self.write(org, &mut |tx| {
            answer = work(tx);
            if answer.is_ok() { Verdict::Commit } else { Verdict::RollBack }
        })?;
        answer
    }

    /// Runs one statement that writes and belongs to no organization; it is a transaction by itself.
    pub(crate) fn at_once<T>(
        &self,
        mut statement: impl FnMut(&mut AnyConnection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        let Writers::Shared(line) = &self.inner.writers else { return self.read(statement) };
        let mut turn = line.take_turn()?;
        let mut conn = turn.lend()?;
        backend::begin_nested(&mut conn).map_err(|error| Failure::of(&error))?;
        let answer = statement(&mut conn);
        let ended = if answer.is_ok() { backend::commit(&mut conn) } else { backend::roll_back(&mut conn) };
        ended.map_err(|error| Failure::of(&error))?;
        turn.give_back(conn);
        turn.finish()?;
        answer.map_err(|error| Failure::of(&error).into())
    }

    fn run_on_own(
        &self,
        org: &OrgId,
        work: &mut dyn FnMut(&mut OrgTx) -> Verdict,
    ) -> Result<Run, StoreError> {
        let held = Held::Own(self.begin_write()?);
        let mut tx = OrgTx::new(held, org, &self.inner.ring);
        let verdict = work(&mut tx);
        let OrgTx { held: Held::Own(mut conn), failure, .. } = tx else {
            return Err(StoreError::Failed("a connection changed hands inside a transaction".to_owned()));
        };
        if let Some(Failure::ConnectionLost(_)) = failure {
            conn.discard();
            return Ok(Run::Done);
        }
        if let Some(failure) = failure.filter(Failure::is_race) {
            undo(conn);
            return Ok(Run::Again(failure));
        }
        if verdict == Verdict::RollBack {
            undo(conn);
            return Ok(Run::Done);
        }
        faults::point("before-commit");
        let committed = backend::commit(&mut conn);
        faults::point("after-commit");
        match committed.map_err(|error| Failure::of(&error)) {
            Ok(()) => Ok(Run::Done),
            Err(failure) if failure.is_race() => {
                undo(conn);
                Ok(Run::Again(failure))
            }
            Err(failure) => {
                conn.discard();
                Err(failure.into())
            }
        }
    }

    /// Runs work in a nested transaction of the batch whose turn it is.
    fn run_in_turn(
        &self,
        line: &GroupCommit,
        org: &OrgId,
        work: &mut dyn FnMut(&mut OrgTx) -> Verdict,
    ) -> Result<Run, StoreError> {
        let mut turn = line.take_turn()?;
        let mut conn = turn.lend()?;
        backend::begin_nested(&mut conn).map_err(|error| Failure::of(&error))?;
        let mut tx = OrgTx::new(Held::Shared(Box::new(conn)), org, &self.inner.ring);
        let verdict = work(&mut tx);
        let OrgTx { held: Held::Shared(mut conn), failure, .. } = tx else {
            return Err(StoreError::Failed("a connection changed hands inside a transaction".to_owned()));
        };
        let race = failure.filter(Failure::is_race);
        let ended = if race.is_none() && verdict == Verdict::Commit {
            backend::commit(&mut conn)
        } else {
            backend::roll_back(&mut conn)
        };
        ended.map_err(|error| Failure::of(&error))?;
        turn.give_back(*conn);
        turn.finish()?;
        Ok(race.map_or(Run::Done, Run::Again))
    }

    /// Begins on a connection that is alive: the pool may hold some that died with an earlier server.
    fn begin_write(&self) -> Result<Pooled, StoreError> {
        self.on_live_connection(backend::begin_write).map(|(conn, ())| conn)
    }

    fn on_live_connection<T>(
        &self,
        mut first_statement: impl FnMut(&mut AnyConnection) -> QueryResult<T>,
    ) -> Result<(Pooled, T), StoreError> {
        let mut dead = 0;
        loop {
            let mut conn = self.inner.pool.get()?;
            match first_statement(&mut conn) {
                Ok(answer) => return Ok((conn, answer)),
                Err(error) => match Failure::of(&error) {
                    Failure::ConnectionLost(_) if dead < self.inner.pool.size() => {
                        dead += 1;
                        conn.discard();
                    }
                    Failure::ConnectionLost(why) => {
                        conn.discard();
                        return Err(StoreError::Unavailable(why));
                    }
                    failure => return Err(failure.into()),
                },
            }
        }
    }

    /// Runs one read of a single statement.
    pub(crate) fn read<T>(
        &self,
        query: impl FnMut(&mut AnyConnection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        self.on_live_connection(query).map(|(_, answer)| answer)
    }

    /// Runs reads that all see one moment.
    pub(crate) fn snapshot<T, E: From<StoreError>>(
        &self,
        reads: impl FnOnce(&mut AnyConnection) -> Result<T, E>,
    ) -> Result<T, E> {
        let (mut conn, ()) = self.on_live_connection(backend::begin_snapshot)?;
        let answer = reads(&mut conn);
        undo(conn);
        answer
    }
}

impl Database {
    /// Lends out the organization's data as it is now.
    ///
    /// Where one organization has most of the rows of a table, a planner would rather read all of it, and with it what is
    /// others'; the cost must follow the organization's own.
    pub(crate) fn look(&self, org: &OrgId, reads: impl FnOnce(&mut OrgSnapshot)) -> Result<(), StoreError> {
        let (conn, ()) = self.on_live_connection(|conn| {
            backend::begin_snapshot(conn)?;
            backend::go_through_indexes(conn)
        })?;
        let mut snapshot = OrgSnapshot { conn, org: org.clone(), is_lost: false };
        reads(&mut snapshot);
        if snapshot.is_lost {
            snapshot.conn.discard();
        } else {
            undo(snapshot.conn);
        }
        Ok(())
    }
}

/// Rolls back; a connection that cannot even do that is of no use.
fn undo(mut conn: Pooled) {
    if backend::is_unclean(&mut conn) && backend::roll_back(&mut conn).is_err() {
        conn.discard();
    }
}

/// Lets rules run their transactions of one port on the database.
macro_rules! unit_of_work {
    ($port:ty) => {
        impl kernel::UnitOfWork<$port> for $crate::database::Database {
            fn run(
                &self,
                org: &kernel::OrgId,
                work: &mut kernel::Work<'_, $port>,
            ) -> Result<(), kernel::StoreError> {
                self.write(org, &mut |tx| work(tx))
            }
        }
    };
}
pub(crate) use unit_of_work;
