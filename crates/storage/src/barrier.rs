//! The write gate: nothing is written for a subject whose erasure has begun.
//!
//! Check and write are one step. SQLite has one writer at a time, so reading the barrier inside the write transaction is
//! enough. On PostgreSQL a writer holds a shared lock on each of its subjects until it commits, and whoever raises a barrier
//! takes the same lock alone: it waits for the writers that passed before it, and those that come after see what it did.
//! Serializable transactions are the second line, should a writer's snapshot be older than the lock it got.

use std::collections::BTreeSet;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text};
use governance::KeyRing;
use kernel::{Barrier, OrgId, StoreError, UserId};
use sha2::{Digest as _, Sha256};

use crate::backend::AnyConnection;
use crate::schema::subject_barriers;
use crate::transaction::OrgTx;

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

#[derive(QueryableByName)]
struct Gate {
    #[diesel(sql_type = Bool)]
    is_held: bool,
    #[diesel(sql_type = Nullable<Text>)]
    state: Option<String>,
}

const POSTGRES_GATE: &str = "SELECT \
     (SELECT bool_and(pg_try_advisory_xact_lock_shared(subject)) FROM unnest($1) AS subject) AS is_held, \
     (SELECT min(state) FROM subject_barriers WHERE org_id = $2 AND subject_ref = ANY($3)) AS state";

impl OrgTx {
    /// Passes the gate for these users: from here to the commit, their rows may be written by this transaction.
    pub(crate) fn pass_gate(&mut self, users: &[UserId]) -> Result<(), StoreError> {
        let new: BTreeSet<&UserId> = users.iter().filter(|user| !self.admitted.contains(*user)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let refs = subject_refs(self.ring(), &self.org, &new);
        let locks = lock_keys(&self.org, &new);
        let gate = self.query(|conn, org| look(conn, org, &locks, &refs))?;
        if let Some(state) = gate.state {
            return Err(StoreError::Barred(state_of(&state)?));
        }
        if !gate.is_held {
            // Somebody is raising a barrier right now; the next run sees it.
            return Err(self.lose_race());
        }
        self.admitted.extend(users.iter().cloned());
        Ok(())
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
        let keys = lock_keys(&self.org, &BTreeSet::from([user]));
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
            .get_result(c),
        AnyConnection::Sqlite(c) => subject_barriers::table
            .filter(subject_barriers::org_id.eq(org))
            .filter(subject_barriers::subject_ref.eq_any(refs))
            .select(diesel::dsl::min(subject_barriers::state))
            .first(c)
            .map(|state| Gate { is_held: true, state }),
    }
}

fn subject_refs(ring: &KeyRing, org: &OrgId, users: &BTreeSet<&UserId>) -> Vec<String> {
    let refs = users.iter().flat_map(|user| ring.all_subject_refs(org, user));
    refs.map(|subject| subject.as_str().to_owned()).collect()
}

/// The same numbers on every server, whatever its key ring; sorted, so that two batches never wait for each other.
fn lock_keys(org: &OrgId, users: &BTreeSet<&UserId>) -> Vec<i64> {
    let mut keys: Vec<i64> = users
        .iter()
        .map(|user| {
            let digest = Sha256::new()
                .chain_update(b"subject-gate\0")
                .chain_update(org.as_str())
                .chain_update(b"\0")
                .chain_update(user.as_str())
                .finalize();
            digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
        })
        .collect();
    keys.sort_unstable();
    keys
}

#[cfg(test)]
mod tests;
