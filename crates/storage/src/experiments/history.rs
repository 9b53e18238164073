//! What an organization's sessions looked like lately, for the plan of an experiment.

use ::experiments::{ClusterSums, HistoryReader};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double, Text};
use kernel::{OrgId, StoreError, Timestamp};

use super::results::count;
use crate::database::Database;

/// Users are counted from an index that holds all that is asked: $1 organization, $2 and $3 the ends of the window.
const OUTCOMES: &str = "SELECT count(*) AS users, \
     CAST(coalesce(sum(n), 0) AS BIGINT) AS sessions, \
     CAST(coalesce(sum(y), 0) AS BIGINT) AS successes, \
     CAST(coalesce(sum(n * n), 0) AS BIGINT) AS sessions_squared, \
     CAST(coalesce(sum(y * y), 0) AS BIGINT) AS successes_squared, \
     CAST(coalesce(sum(y * n), 0) AS BIGINT) AS successes_times_sessions, \
     CAST(coalesce(sum(CAST(y * y AS DOUBLE PRECISION) / n), 0) AS DOUBLE PRECISION) \
         AS successes_squared_per_session \
     FROM (SELECT count(*) AS n, count(CASE WHEN is_success THEN 1 END) AS y FROM session_outcomes \
         WHERE org_id = $1 AND created_at BETWEEN $2 AND $3 GROUP BY user_id) AS users";

#[derive(QueryableByName)]
struct HistoryRow {
    #[diesel(sql_type = BigInt)]
    users: i64,
    #[diesel(sql_type = BigInt)]
    sessions: i64,
    #[diesel(sql_type = BigInt)]
    successes: i64,
    #[diesel(sql_type = BigInt)]
    sessions_squared: i64,
    #[diesel(sql_type = BigInt)]
    successes_squared: i64,
    #[diesel(sql_type = BigInt)]
    successes_times_sessions: i64,
    #[diesel(sql_type = Double)]
    successes_squared_per_session: f64,
}

impl HistoryReader for Database {
    fn outcomes(&self, org: &OrgId, since: Timestamp, until: Timestamp) -> Result<ClusterSums, StoreError> {
        let row: HistoryRow = self.read(|conn| {
            diesel::sql_query(OUTCOMES)
                .bind::<Text, _>(org.as_str())
                .bind::<BigInt, _>(since.seconds())
                .bind::<BigInt, _>(until.seconds())
                .get_result(conn)
        })?;
        Ok(ClusterSums {
            users: count(row.users)?,
            sessions: count(row.sessions)?,
            successes: count(row.successes)?,
            sessions_squared: count(row.sessions_squared)?,
            successes_squared: count(row.successes_squared)?,
            successes_times_sessions: count(row.successes_times_sessions)?,
            successes_squared_per_session: row.successes_squared_per_session,
        })
    }
}
