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

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;

    use super::*;
    use crate::backend::AnyConnection;
    use crate::backend::testing::steps;
    use crate::testing::TestDatabase;

    /// A thousand sessions of each of two organizations, one a day.
    const FILL: &str = "INSERT INTO session_outcomes (org_id, user_id, session_id, result_id, created_at, source, \
         is_success, corrections, turns, is_escalated, is_system_error, is_agent_success, judged_at) \
         SELECT o.org, 'user-' || CAST(a.n * 10 + b.n AS TEXT), CAST(c.n AS TEXT), a.n * 100 + b.n * 10 + c.n, \
         86400 * (a.n * 100 + b.n * 10 + c.n), '', TRUE, 0, 1, FALSE, FALSE, TRUE, 1 \
         FROM (SELECT 'acme' AS org UNION ALL SELECT 'globex') AS o, digits AS a, digits AS b, digits AS c";

    /// How the database answers the question for 28 days, once it knows its rows.
    fn plan(db: &TestDatabase) -> String {
        db.execute("CREATE TABLE digits (n BIGINT)");
        db.execute("INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)");
        db.execute(FILL);
        let question = OUTCOMES.replace("$1", "'acme'").replace("$2", "43200000").replace("$3", "45619200");
        let answered = db.database.read(|conn| {
            if let AnyConnection::Postgres(c) = conn {
                c.batch_execute("VACUUM ANALYZE session_outcomes")?;
                c.batch_execute("SET enable_seqscan = off")?;
            }
            steps(conn, &question)
        });
        answered.unwrap().join("\n")
    }

    #[test]
    fn history_is_counted_from_the_index_of_its_organization_and_days_on_sqlite() {
        let plan = plan(&TestDatabase::sqlite());

        let index = "COVERING INDEX session_outcomes_by_time (org_id=? AND created_at>? AND created_at<?)";
        assert!(plan.contains(index), "{plan}");
    }

    #[test]
    fn history_is_counted_from_the_index_of_its_organization_and_days_on_postgres() {
        let Some(db) = TestDatabase::postgres() else { return };

        let plan = plan(&db);

        assert!(plan.contains("session_outcomes_by_time") && plan.contains("created_at >= "), "{plan}");
    }
}
