//! What an experiment has measured, added up in the database.
//!
//! Users' totals are kept as sessions come (`experiment_users`), whenever those sessions were. Here the few that lie
//! outside the experiment's window are taken off again, so that a reading costs what its users cost, not its sessions.

use ::experiments::{Arm, ArmSums, ClusterSums, Experiment, PerArm, ResultSums, ResultsReader, Tally};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double, Nullable, Text};
use kernel::{OrgId, StoreError, Timestamp, Window};

use crate::backend::AnyConnection;
use crate::database::Database;
use crate::evaluation::evaluated;
use crate::outcome::Failure;

/// The sums of one arm: $1 organization, $2 experiment, $3 arm, $4 and $5 the ends of the window.
const ARM: &str = "SELECT count(CASE WHEN exposures > 0 THEN 1 END) AS exposed_users, \
     count(CASE WHEN published > 0 THEN 1 END) AS assigned_users, \
     CAST(coalesce(sum(published), 0) AS BIGINT) AS published_sessions, \
     count(CASE WHEN n > 0 THEN 1 END) AS users, \
     CAST(coalesce(sum(n), 0) AS BIGINT) AS sessions, \
     CAST(coalesce(sum(y), 0) AS BIGINT) AS successes, \
     CAST(coalesce(sum(n * n), 0) AS BIGINT) AS sessions_squared, \
     CAST(coalesce(sum(y * y), 0) AS BIGINT) AS successes_squared, \
     CAST(coalesce(sum(y * n), 0) AS BIGINT) AS successes_times_sessions, \
     CAST(coalesce(sum(CASE WHEN n > 0 THEN CAST(y * y AS DOUBLE PRECISION) / n END), 0) AS DOUBLE PRECISION) \
         AS successes_squared_per_session, \
     CAST(coalesce(sum(corrections), 0) AS BIGINT) AS corrections, \
     CAST(coalesce(sum(turns), 0) AS BIGINT) AS turns, \
     CAST(coalesce(sum(resolved), 0) AS BIGINT) AS resolved, \
     CAST(coalesce(sum(escalated), 0) AS BIGINT) AS escalated, \
     CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens, \
     CAST(coalesce(sum(counted), 0) AS BIGINT) AS counted \
     FROM (SELECT exposures, published, counted, output_tokens, \
         evaluated - coalesce(o.n, 0) AS n, successes - coalesce(o.y, 0) AS y, \
         u.corrections - coalesce(o.corrections, 0) AS corrections, u.turns - coalesce(o.turns, 0) AS turns, \
         u.resolved - coalesce(o.resolved, 0) AS resolved, u.escalated - coalesce(o.escalated, 0) AS escalated \
     FROM experiment_users AS u LEFT JOIN \
         (SELECT user_id, count(*) AS n, count(CASE WHEN is_success THEN 1 END) AS y, \
             CAST(sum(corrections) AS BIGINT) AS corrections, CAST(coalesce(sum(turns), 0) AS BIGINT) AS turns, \
             count(turns) AS resolved, count(CASE WHEN is_escalated THEN 1 END) AS escalated \
         FROM (SELECT user_id, is_success, corrections, turns, is_escalated FROM experiment_sessions \
             WHERE org_id = $1 AND experiment_id = $2 AND arm = $3 AND evaluated_at < $4 \
             UNION ALL SELECT user_id, is_success, corrections, turns, is_escalated FROM experiment_sessions \
             WHERE org_id = $1 AND experiment_id = $2 AND arm = $3 AND evaluated_at > $5) AS outside \
         GROUP BY user_id) AS o ON o.user_id = u.user_id \
     WHERE u.org_id = $1 AND u.experiment_id = $2 AND u.arm = $3) AS users";

/// What concerns both arms: $1 organization, $2 experiment, $3 its end if it has one.
const WHOLE: &str = "SELECT \
     (SELECT count(*) FROM experiment_sessions \
         WHERE org_id = $1 AND experiment_id = $2 AND is_contaminated) AS contaminated, \
     (SELECT count(*) FROM experiment_sessions \
         WHERE org_id = $1 AND experiment_id = $2 AND last_tagged_at > $3) AS late";

#[derive(QueryableByName)]
struct ArmRow {
    #[diesel(sql_type = BigInt)]
    exposed_users: i64,
    #[diesel(sql_type = BigInt)]
    assigned_users: i64,
    #[diesel(sql_type = BigInt)]
    published_sessions: i64,
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
    #[diesel(sql_type = BigInt)]
    corrections: i64,
    #[diesel(sql_type = BigInt)]
    turns: i64,
    #[diesel(sql_type = BigInt)]
    resolved: i64,
    #[diesel(sql_type = BigInt)]
    escalated: i64,
    #[diesel(sql_type = BigInt)]
    output_tokens: i64,
    #[diesel(sql_type = BigInt)]
    counted: i64,
}

#[derive(QueryableByName)]
struct WholeRow {
    #[diesel(sql_type = BigInt)]
    contaminated: i64,
    #[diesel(sql_type = BigInt)]
    late: i64,
}

impl ResultsReader for Database {
    fn sums(&self, org: &OrgId, experiment: &Experiment, until: Timestamp) -> Result<ResultSums, StoreError> {
        let failed = |error| StoreError::from(Failure::of(&error));
        self.snapshot(|conn| {
            let mut arm = |arm| arm_row(conn, org, experiment, arm, until).map_err(failed);
            let rows = PerArm { treatment: arm(Arm::Treatment)?, holdout: arm(Arm::Holdout)? };
            let whole = whole(conn, org, experiment).map_err(failed)?;
            let evaluated = match Window::new(experiment.started_at, until) {
                Ok(window) => evaluated(conn, org.as_str(), window).map_err(failed)?,
                // It has not begun yet.
                Err(_) => 0,
            };
            Ok(ResultSums {
                exposed_users: PerArm {
                    treatment: count(rows.treatment.exposed_users)?,
                    holdout: count(rows.holdout.exposed_users)?,
                },
                arms: PerArm { treatment: rows.treatment.try_into()?, holdout: rows.holdout.try_into()? },
                evaluated_sessions: count(evaluated)?,
                contaminated_holdout_sessions: count(whole.contaminated)?,
                late_sessions: count(whole.late)?,
            })
        })
    }
}

fn arm_row(
    conn: &mut AnyConnection,
    org: &OrgId,
    experiment: &Experiment,
    arm: Arm,
    until: Timestamp,
) -> QueryResult<ArmRow> {
    diesel::sql_query(ARM)
        .bind::<Text, _>(org.as_str())
        .bind::<Text, _>(experiment.id.as_str())
        .bind::<Text, _>(arm.as_str())
        .bind::<BigInt, _>(experiment.started_at.seconds())
        .bind::<BigInt, _>(until.seconds())
        .get_result(conn)
}

fn whole(conn: &mut AnyConnection, org: &OrgId, experiment: &Experiment) -> QueryResult<WholeRow> {
    diesel::sql_query(WHOLE)
        .bind::<Text, _>(org.as_str())
        .bind::<Text, _>(experiment.id.as_str())
        .bind::<Nullable<BigInt>, _>(experiment.ended_at.map(Timestamp::seconds))
        .get_result(conn)
}

impl TryFrom<ArmRow> for ArmSums {
    type Error = StoreError;

    fn try_from(row: ArmRow) -> Result<Self, StoreError> {
        Ok(Self {
            assigned_users: count(row.assigned_users)?,
            published_sessions: count(row.published_sessions)?,
            outcomes: ClusterSums {
                users: count(row.users)?,
                sessions: count(row.sessions)?,
                successes: count(row.successes)?,
                sessions_squared: count(row.sessions_squared)?,
                successes_squared: count(row.successes_squared)?,
                successes_times_sessions: count(row.successes_times_sessions)?,
                successes_squared_per_session: row.successes_squared_per_session,
            },
            corrections: count(row.corrections)?,
            turns: Tally { total: count(row.turns)?, sessions: count(row.resolved)? },
            escalated: count(row.escalated)?,
            output_tokens: Tally { total: count(row.output_tokens)?, sessions: count(row.counted)? },
        })
    }
}

/// A count that the database made; a negative one means that totals no longer follow their rows.
pub(super) fn count(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Corrupt("experiment_users: a negative total".to_owned()))
}
