//! Claiming work so that no two claimers get the same item, and holding a session against its publishers.

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};

use super::{AnyConnection, clock};
use crate::kept::Keep as _;
use crate::schema::sessions;

/// Who claims, what, and for how long.
pub(crate) struct Claim<'a> {
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) busy: Vec<&'a str>,
    pub(crate) holder: &'a str,
    pub(crate) limit: i64,
    pub(crate) seconds: i64,
}

/// An item that was claimed.
#[derive(QueryableByName)]
pub(crate) struct ClaimedRow {
    #[diesel(sql_type = BigInt)]
    pub(crate) work_id: i64,
    #[diesel(sql_type = Text)]
    pub(crate) org_id: String,
    #[diesel(sql_type = Text)]
    pub(crate) kind: String,
    #[diesel(sql_type = Text)]
    pub(crate) user_id: String,
    #[diesel(sql_type = Text)]
    pub(crate) session_id: String,
    #[diesel(sql_type = BigInt)]
    pub(crate) subject: i64,
    #[diesel(sql_type = BigInt)]
    pub(crate) due_at: i64,
    #[diesel(sql_type = Integer)]
    pub(crate) attempts: i32,
    #[diesel(sql_type = BigInt)]
    pub(crate) lease_fence: i64,
    #[diesel(sql_type = BigInt)]
    pub(crate) revision: i64,
    #[diesel(sql_type = Nullable<Text>)]
    pub(crate) job_id: Option<String>,
}

const CLAIMED: &str = "UPDATE work_items SET lease_holder = $3, lease_fence = lease_fence + 1, \
     attempts = attempts + 1, lease_expires_at =";

const ANSWER: &str = "RETURNING work_id, org_id, kind, user_id, session_id, subject, due_at, attempts, \
     lease_fence, revision, (SELECT job_id FROM regeneration_jobs AS j WHERE j.org_id = work_items.org_id \
     AND j.job_number = work_items.subject AND work_items.kind = 'regeneration_session') AS job_id";

/// Claims due items, longest due first. Where writers do not queue, items that others are claiming are passed over.
pub(crate) fn claim(conn: &mut AnyConnection, claim: &Claim<'_>) -> QueryResult<Vec<ClaimedRow>> {
    let now = clock(conn);
    let due = |kinds: &str, busy: &str| {
        format!(
            "SELECT work_id FROM work_items WHERE state = 'waiting' AND due_at <= {now} \
             AND (lease_expires_at IS NULL OR lease_expires_at <= {now}) AND {kinds} AND {busy} \
             ORDER BY due_at, work_id LIMIT $4"
        )
    };
    match conn {
        AnyConnection::Postgres(c) => {
            let due = due("kind = ANY($1)", "org_id <> ALL($2)");
            let sql = format!(
                "WITH due AS MATERIALIZED ({due} FOR UPDATE SKIP LOCKED) {CLAIMED} {now} + $5 \
                 WHERE work_id IN (SELECT work_id FROM due) {ANSWER}"
            );
            diesel::sql_query(sql)
                .bind::<Array<Text>, _>(&claim.kinds)
                .bind::<Array<Text>, _>(&claim.busy)
                .bind::<Text, _>(claim.holder)
                .bind::<BigInt, _>(claim.limit)
                .bind::<BigInt, _>(claim.seconds)
                .kept()
                .load(c)
        }
        AnyConnection::Sqlite(c) => {
            let due = due(
                "kind IN (SELECT value FROM json_each($1))",
                "org_id NOT IN (SELECT value FROM json_each($2))",
            );
            // Here `$3` is a name, numbered by where it first appears; `?3` is a number.
            let sql = format!("{CLAIMED} {now} + $5 WHERE work_id IN ({due}) {ANSWER}").replace('$', "?");
            diesel::sql_query(sql)
                .bind::<Text, _>(serde_json::json!(claim.kinds).to_string())
                .bind::<Text, _>(serde_json::json!(claim.busy).to_string())
                .bind::<Text, _>(claim.holder)
                .bind::<BigInt, _>(claim.limit)
                .bind::<BigInt, _>(claim.seconds)
                .kept()
                .load(c)
        }
    }
}

/// Holds a session's row until the commit: whoever publishes into it meanwhile comes before or after, never beside.
pub(crate) fn hold_session(
    conn: &mut AnyConnection,
    org: &str,
    user: &str,
    session: &str,
) -> QueryResult<()> {
    let row = sessions::table.find((org, user, session)).select(sessions::session_id);
    match conn {
        AnyConnection::Postgres(c) => row.for_share().load::<String>(c).map(|_| ()),
        AnyConnection::Sqlite(_) => Ok(()),
    }
}
