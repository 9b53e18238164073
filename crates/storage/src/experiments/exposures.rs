//! Which experiment is running, and who met it.

use ::experiments::{ActiveExperiment, Experiment, Exposure, ExposureLedger};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use kernel::{OrgId, SessionId, StoreError, Verdict};

use super::reader;
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::transaction::OrgTx;

const IS_RECORDED: &str = "SELECT EXISTS (SELECT 1 FROM search_exposures \
     WHERE org_id = $1 AND experiment_id = $2 AND user_id = $3 AND session_id = $4) AS is_recorded";

const RECORD: &str = "INSERT INTO search_exposures (org_id, experiment_id, user_id, session_id, arm, exposed_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

#[derive(QueryableByName)]
struct Recorded {
    #[diesel(sql_type = Bool)]
    is_recorded: bool,
}

impl ActiveExperiment for Database {
    fn active(&self, org: &OrgId) -> Result<Option<Experiment>, StoreError> {
        self.read(|conn| reader::active(conn, org.as_str()))?.map(Experiment::try_from).transpose()
    }
}

impl ExposureLedger for Database {
    fn record(&self, org: &OrgId, exposure: &Exposure) {
        match record_once(self, org, exposure) {
            // Nothing is remembered of somebody who is to be forgotten.
            Ok(()) | Err(StoreError::Barred(_)) => {}
            Err(error) => tracing::warn!(%org, %error, "an exposure could not be recorded"),
        }
    }
}

/// Only a first exposure has to stand in line for the write lock.
fn record_once(database: &Database, org: &OrgId, exposure: &Exposure) -> Result<(), StoreError> {
    if database.read(|conn| is_recorded(conn, org.as_str(), exposure))? {
        return Ok(());
    }
    let mut recorded = Ok(());
    database.write(org, &mut |tx| {
        recorded = record(tx, exposure);
        if recorded.is_ok() { Verdict::Commit } else { Verdict::RollBack }
    })?;
    recorded
}

fn record(tx: &mut OrgTx, exposure: &Exposure) -> Result<(), StoreError> {
    tx.pass_gate(std::slice::from_ref(&exposure.user))?;
    tx.query(|conn, org| {
        diesel::sql_query(RECORD)
            .bind::<Text, _>(org)
            .bind::<Text, _>(exposure.experiment.as_str())
            .bind::<Text, _>(exposure.user.as_str())
            .bind::<Text, _>(session_of(exposure))
            .bind::<Text, _>(exposure.arm.as_str())
            .bind::<BigInt, _>(exposure.at.seconds())
            .execute(conn)
    })?;
    Ok(())
}

fn is_recorded(conn: &mut AnyConnection, org: &str, exposure: &Exposure) -> QueryResult<bool> {
    let found: Recorded = diesel::sql_query(IS_RECORDED)
        .bind::<Text, _>(org)
        .bind::<Text, _>(exposure.experiment.as_str())
        .bind::<Text, _>(exposure.user.as_str())
        .bind::<Text, _>(session_of(exposure))
        .get_result(conn)?;
    Ok(found.is_recorded)
}

/// The empty text stands for the session of a search that named none, so that there is one exposure per user.
fn session_of(exposure: &Exposure) -> &str {
    exposure.session.as_ref().map_or("", SessionId::as_str)
}
