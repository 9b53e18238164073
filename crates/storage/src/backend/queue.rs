//! Claiming work so that no two claimers get the same item, and holding a session against its publishers.

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};

use super::{AnyConnection, clock};
use crate::kept::Keep as _;
use crate::schema::sessions;

/// Who claims, what, of which organization if not of all, and for how long.
pub(crate) struct Claim<'a> {
    pub(crate) kinds: &'a [&'static str],
    pub(crate) only: Option<&'a str>,
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

/// What of `w` can be claimed now. The state is written out, since an index of what waits is of no use for a state that is
/// not known yet.
fn claimable(conn: &AnyConnection, now: &str) -> String {
    let kinds = one_of(conn, "w.kind", 1);
    format!(
        "w.state = 'waiting' AND w.due_at <= {now} AND (w.lease_expires_at IS NULL OR w.lease_expires_at <= {now}) AND {kinds}"
    )
}

/// Says that a column is among the texts that are bound under this number.
fn one_of(conn: &AnyConnection, column: &str, bind: u32) -> String {
    match conn {
        AnyConnection::Postgres(_) => format!("{column} = ANY(${bind})"),
        AnyConnection::Sqlite(_) => format!("{column} IN (SELECT value FROM json_each(?{bind}))"),
    }
}

/// Steps from organization to organization, and looks for the longest due item of each that is not busy: a busy one may have
/// more due than all the others together.
///
/// Organizations are compared with "not before" and "not after" instead of "equal", so that no planner sees a way through
/// the index of all that is due, past everything of the busy ones.
pub(crate) fn longest_waiting_sql(conn: &AnyConnection) -> String {
    let now = format!("(SELECT {})", clock(conn));
    format!(
        "WITH RECURSIVE waiting (org_id) AS (SELECT min(org_id) FROM work_items WHERE state = 'waiting' \
         UNION ALL SELECT (SELECT min(w.org_id) FROM work_items AS w WHERE w.state = 'waiting' \
         AND w.org_id > waiting.org_id) FROM waiting WHERE waiting.org_id IS NOT NULL) \
         SELECT org_id FROM (SELECT org_id, (SELECT w.due_at FROM work_items AS w WHERE w.org_id >= waiting.org_id \
         AND (w.org_id, w.due_at) <= (waiting.org_id, {now}) AND {} \
         ORDER BY w.org_id, w.due_at, w.work_id LIMIT 1) AS due_at FROM waiting \
         WHERE org_id IS NOT NULL AND NOT {}) AS first WHERE due_at IS NOT NULL ORDER BY due_at, org_id LIMIT 1",
        claimable(conn, &now),
        one_of(conn, "org_id", 2)
    )
}

/// The organization that waits longest for its due item to be claimed, of those that are not busy.
pub(crate) fn longest_waiting(
    conn: &mut AnyConnection,
    kinds: &[&str],
    busy: &[&str],
) -> QueryResult<Option<String>> {
    #[derive(QueryableByName)]
    struct Waiting {
        #[diesel(sql_type = Text)]
        org_id: String,
    }
    let sql = longest_waiting_sql(conn);
    let waiting: Option<Waiting> = match conn {
        AnyConnection::Postgres(c) => diesel::sql_query(sql)
            .bind::<Array<Text>, _>(kinds)
            .bind::<Array<Text>, _>(busy)
            .kept()
            .get_result(c)
            .optional()?,
        AnyConnection::Sqlite(c) => diesel::sql_query(sql)
            .bind::<Text, _>(serde_json::json!(kinds).to_string())
            .bind::<Text, _>(serde_json::json!(busy).to_string())
            .kept()
            .get_result(c)
            .optional()?,
    };
    Ok(waiting.map(|waiting| waiting.org_id))
}

/// How due items are claimed, of one organization or of all. Where writers do not queue, items that others are claiming
/// are passed over.
pub(crate) fn claim_sql(conn: &AnyConnection, only: Option<&str>) -> String {
    let now = clock(conn);
    let (whose, order) = match only {
        Some(_) => ("w.org_id >= $2 AND w.org_id <= $2", "w.org_id, w.due_at, w.work_id"),
        None => ("$2 = ''", "w.due_at, w.work_id"),
    };
    let due = format!(
        "SELECT w.work_id FROM work_items AS w WHERE {} AND {whose} ORDER BY {order} LIMIT $4",
        claimable(conn, now)
    );
    match conn {
        AnyConnection::Postgres(_) => format!(
            "WITH due AS MATERIALIZED ({due} FOR UPDATE SKIP LOCKED) {CLAIMED} {now} + $5 \
             WHERE work_id IN (SELECT work_id FROM due) {ANSWER}"
        ),
        // Here `$3` is a name, numbered by where it first appears; `?3` is a number.
        AnyConnection::Sqlite(_) => {
            format!("{CLAIMED} {now} + $5 WHERE work_id IN ({due}) {ANSWER}").replace('$', "?")
        }
    }
}

/// Claims due items, longest due first.
pub(crate) fn claim(conn: &mut AnyConnection, claim: &Claim<'_>) -> QueryResult<Vec<ClaimedRow>> {
    let sql = claim_sql(conn, claim.only);
    let only = claim.only.unwrap_or_default();
    match conn {
        AnyConnection::Postgres(c) => diesel::sql_query(sql)
            .bind::<Array<Text>, _>(claim.kinds)
            .bind::<Text, _>(only)
            .bind::<Text, _>(claim.holder)
            .bind::<BigInt, _>(claim.limit)
            .bind::<BigInt, _>(claim.seconds)
            .kept()
            .load(c),
        AnyConnection::Sqlite(c) => diesel::sql_query(sql)
            .bind::<Text, _>(serde_json::json!(claim.kinds).to_string())
            .bind::<Text, _>(only)
            .bind::<Text, _>(claim.holder)
            .bind::<BigInt, _>(claim.limit)
            .bind::<BigInt, _>(claim.seconds)
            .kept()
            .load(c),
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
