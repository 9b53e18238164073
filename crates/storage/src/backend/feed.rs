//! Numbering the learning feed in commit order, where the database does not do so by itself.
//!
//! SQLite has one writer at a time, so the numbers it gives on insert ascend in the order of commits. PostgreSQL gives them
//! in the order of inserts, and a reader could pass a number whose transaction is still open. There an entry is inserted
//! without one; before a reader reads, it numbers what it can see, which is committed, as far as its page has room.
//! Numberers of one organization take turns, so numbers are given in the order in which they become visible, and none
//! appears behind a reader's back.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use sha2::{Digest as _, Sha256};

use super::AnyConnection;
use crate::schema::feed_entries;

/// The lock outlives the statement: it is let go when the numbers are visible to the next numberer.
const TAKE_TURN: &str = "SELECT pg_advisory_xact_lock($1)";

const NUMBER: &str = "UPDATE feed_entries SET sequence = numbered.sequence FROM \
     (SELECT entry_id, nextval('feed_numbers') AS sequence FROM \
     (SELECT entry_id FROM feed_entries WHERE org_id = $1 AND sequence IS NULL ORDER BY entry_id LIMIT $2) AS waiting) \
     AS numbered WHERE feed_entries.entry_id = numbered.entry_id";

/// So many entries are numbered at a time: somebody may come for the first time after years, and whoever deletes one of
/// them meanwhile makes the numberer begin again.
const AT_A_TIME: i64 = 5_000;

/// Whether entries wait for their numbers that a page after this number, with so many entries, has room for.
pub(crate) fn has_unnumbered(
    conn: &mut AnyConnection,
    org: &str,
    after: i64,
    limit: i64,
) -> QueryResult<bool> {
    let AnyConnection::Postgres(c) = conn else { return Ok(false) };
    let own = || feed_entries::table.filter(feed_entries::org_id.eq(org));
    let waiting = own().filter(feed_entries::sequence.is_null());
    if !diesel::select(diesel::dsl::exists(waiting)).get_result(c)? {
        return Ok(false);
    }
    let last: Option<Option<i64>> = own()
        .filter(feed_entries::sequence.gt(after))
        .order(feed_entries::sequence)
        .offset(limit - 1)
        .select(feed_entries::sequence)
        .first(c)
        .optional()?;
    Ok(last.is_none())
}

/// Numbers some of the entries that wait, the oldest first.
pub(crate) fn number_some(conn: &mut AnyConnection, org: &str) -> QueryResult<()> {
    let AnyConnection::Postgres(c) = conn else { return Ok(()) };
    diesel::sql_query(TAKE_TURN).bind::<BigInt, _>(turn_of(org)).execute(c)?;
    diesel::sql_query(NUMBER).bind::<Text, _>(org).bind::<BigInt, _>(AT_A_TIME).execute(c).map(|_| ())
}

fn turn_of(org: &str) -> i64 {
    let digest = Sha256::new().chain_update(b"feed-numbers\0").chain_update(org).finalize();
    digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}
