//! The write gate: nothing is written for a subject whose erasure has begun.
//!
//! Check and write are one step. SQLite has one writer at a time, so reading the barrier inside the write transaction is
//! enough. On PostgreSQL a writer holds a shared lock on each of its subjects until it commits, and whoever raises a barrier
//! takes the same lock alone: it waits for the writers that passed before it, and those that come after see what it did.
//! A writer of many subjects holds one lock of its organization instead, which whoever raises a barrier takes alone too:
//! the server has room for some thousand locks, and a replay may name a hundred thousand users.
//! Serializable transactions are the second line, should a writer's snapshot be older than the lock it got.

use std::collections::BTreeSet;
use std::slice;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Nullable, Text};
use governance::KeyRing;
use kernel::{Barrier, OrgId, StoreError, UserId};
use sha2::{Digest as _, Sha256};

use crate::backend::AnyConnection;
use crate::kept::Keep as _;
use crate::schema::subject_barriers;
use crate::transaction::OrgTx;

/// A transaction that writes for more users than these locks their organization instead of each of them.
const CROWD: usize = 64;
/// So many users are looked up in one statement: with a long key ring, each has several references.
const USERS_PER_STATEMENT: usize = 1_000;

/// Reads a barrier's state from its row.
pub(crate) fn state_of(text: &str) -> Result<Barrier, StoreError> {
    match text {
        "erasing" => Ok(Barrier::Erasing),
        "erased" => Ok(Barrier::Erased),
        _ => Err(StoreError::Corrupt("subject_barriers.state".to_owned())),
    }
}

/// A barrier's state as its row has it.
pub(crate) const fn state_text(state: Barrier) -> &'static str {
    match state {
        Barrier::Erasing => "erasing",
        Barrier::Erased => "erased",
    }
}

/// What the gate answers for some users.
#[derive(QueryableByName)]
struct Gate {
    /// The locks that somebody who raises a barrier holds alone.
    #[diesel(sql_type = Array<BigInt>)]
    withheld: Vec<i64>,
    /// The references that are behind a barrier.
    #[diesel(sql_type = Array<Text>)]
    barred: Vec<String>,
    /// The state of a barrier, if there is one.
    #[diesel(sql_type = Nullable<Text>)]
    state: Option<String>,
}

/// Locks what it can and reads the barriers. It reads what was there when its transaction began, so that neither comes first.
const POSTGRES_GATE: &str = "SELECT \
     ARRAY(SELECT subject FROM unnest($1) AS subject WHERE NOT pg_try_advisory_xact_lock_shared(subject)) AS withheld, \
     coalesce(array_agg(subject_ref), ARRAY[]::TEXT[]) AS barred, min(state) AS state \
     FROM subject_barriers WHERE org_id = $2 AND subject_ref = ANY($3)";

impl OrgTx {
    /// Passes the gate for these users: from here to the commit, their rows may be written by this transaction.
    pub(crate) fn pass_gate(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        let (new, crowd) = self.not_yet_admitted(users);
        for some in new.chunks(USERS_PER_STATEMENT) {
            let gate = self.gate_of(some, crowd)?;
            if let Some(state) = gate.state {
                return Err(StoreError::Barred(state_of(&state)?));
            }
            if !gate.withheld.is_empty() {
                // Somebody is raising a barrier right now; the next run sees it.
                return Err(self.lose_race());
            }
        }
        self.admitted.extend(new);
        Ok(())
    }

    /// Passes the gate for those of the users who are not behind a barrier, and answers who is.
    pub(crate) fn pass_gate_or_stay(&mut self, users: &[UserId]) -> Result<BTreeSet<UserId>, StoreError> {
        let (new, crowd) = self.not_yet_admitted(users);
        let mut barred = BTreeSet::new();
        for some in new.chunks(USERS_PER_STATEMENT) {
            let gate = self.gate_of(some, crowd)?;
            for user in some {
                if gate.bars(self.ring(), &self.org, user) {
                    barred.insert(user.clone());
                } else if gate.withheld.contains(&crowd.unwrap_or_else(|| subject_key(&self.org, user))) {
                    return Err(self.lose_race());
                } else {
                    self.admitted.insert(user.clone());
                }
            }
        }
        Ok(barred)
    }

    /// The users who are new to this transaction, and the lock of the organization if they are too many to lock each.
    fn not_yet_admitted(&self, users: &[UserId]) -> (Vec<UserId>, Option<i64>) {
        let new: BTreeSet<&UserId> = users.iter().filter(|user| !self.admitted.contains(*user)).collect();
        let is_crowd = self.admitted.len() + new.len() > CROWD;
        (new.into_iter().cloned().collect(), is_crowd.then(|| crowd_key(&self.org)))
    }

    /// Asks the gate under the lock of the whole organization, or under one for each user.
    fn gate_of(&mut self, users: &[UserId], crowd: Option<i64>) -> Result<Gate, StoreError> {
        let refs = subject_refs(self.ring(), &self.org, users);
        let locks = crowd.map_or_else(|| lock_keys(&self.org, users), |key| vec![key]);
        self.query(|conn, org| look(conn, org, &locks, &refs))
    }

    /// Refuses a write for a user whom this transaction has not admitted: a path around the gate is a defect.
    pub(crate) fn must_have_admitted(&self, user: &UserId) -> Result<(), StoreError> {
        if self.admitted.contains(user) {
            Ok(())
        } else {
            Err(StoreError::Failed("a write for a user went around the gate".to_owned()))
        }
    }

    /// Waits until every writer that passed the gate for this user has committed or rolled back, and keeps others out.
    pub(crate) fn close_gate(&mut self, user: &UserId) -> Result<(), StoreError> {
        // The organization's comes last: while a crowd is waited for, only this user's writers are held up.
        let mut keys = lock_keys(&self.org, slice::from_ref(user));
        keys.push(crowd_key(&self.org));
        self.query(|conn, _| match conn {
            AnyConnection::Postgres(c) => {
                let lock = "SELECT pg_advisory_xact_lock(subject) FROM unnest($1) AS subject";
                diesel::sql_query(lock).bind::<Array<BigInt>, _>(&keys).execute(c).map(|_| ())
            }
            AnyConnection::Sqlite(_) => Ok(()),
        })
    }
}

fn look(conn: &mut AnyConnection, org: &str, locks: &[i64], refs: &[String]) -> QueryResult<Gate> {
    match conn {
        AnyConnection::Postgres(c) => diesel::sql_query(POSTGRES_GATE)
            .bind::<Array<BigInt>, _>(locks)
            .bind::<Text, _>(org)
            .bind::<Array<Text>, _>(refs)
            .kept()
            .get_result(c),
        AnyConnection::Sqlite(c) => {
            let barriers: Vec<(String, String)> = subject_barriers::table
                .filter(subject_barriers::org_id.eq(org))
                .filter(subject_barriers::subject_ref.eq_any(refs))
                .select((subject_barriers::subject_ref, subject_barriers::state))
                .kept_for(refs.len())
                .load(c)?;
            let state = barriers.iter().map(|(_, state)| state).min().cloned();
            let barred = barriers.into_iter().map(|(subject, _)| subject).collect();
            Ok(Gate { withheld: Vec::new(), barred, state })
        }
    }
}

impl Gate {
    /// Whether the user is behind a barrier, under whichever secret it was raised.
    fn bars(&self, ring: &KeyRing, org: &OrgId, user: &UserId) -> bool {
        let is_barred = |subject: &str| self.barred.iter().any(|barred| barred == subject);
        !self.barred.is_empty()
            && ring.all_subject_refs(org, user).iter().any(|subject| is_barred(subject.as_str()))
    }
}

fn subject_refs(ring: &KeyRing, org: &OrgId, users: &[UserId]) -> Vec<String> {
    let refs = users.iter().flat_map(|user| ring.all_subject_refs(org, user));
    refs.map(|subject| subject.as_str().to_owned()).collect()
}

/// The same numbers on every server, whatever its key ring; sorted, so that two batches never wait for each other.
fn lock_keys(org: &OrgId, users: &[UserId]) -> Vec<i64> {
    let mut keys: Vec<i64> = users.iter().map(|user| subject_key(org, user)).collect();
    keys.sort_unstable();
    keys
}

/// The number that stands for one user.
fn subject_key(org: &OrgId, user: &UserId) -> i64 {
    lock_key(b"subject-gate\0", org, user.as_str())
}

/// The number that stands for all users of the organization.
fn crowd_key(org: &OrgId) -> i64 {
    lock_key(b"crowd-gate\0", org, "")
}

fn lock_key(kind: &[u8], org: &OrgId, user: &str) -> i64 {
    let digest = Sha256::new()
        .chain_update(kind)
        .chain_update(org.as_str())
        .chain_update(b"\0")
        .chain_update(user)
        .finalize();
    digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests;
