//! Experiments outside a transaction.

use ::experiments::{Experiment, ExperimentReader};
use diesel::prelude::*;
use kernel::{ExperimentId, OrgId, StoreError};

use super::rows::ExperimentRow;
use crate::backend::AnyConnection;
use crate::database::Database;
use crate::schema::experiments;

/// Agents poll it, so it is asked of the connection inside: the common type would write its text anew for each call.
pub(super) fn newest_first(conn: &mut AnyConnection, org: &str) -> QueryResult<Vec<ExperimentRow>> {
    on_each!(conn, |c| experiments::table
        .filter(experiments::org_id.eq(org))
        .order((experiments::started_at.desc(), experiments::sequence.desc()))
        .select(ExperimentRow::as_select())
        .load(c))
}

pub(super) fn by_id(
    conn: &mut AnyConnection,
    org: &str,
    id: &ExperimentId,
) -> QueryResult<Option<ExperimentRow>> {
    experiments::table
        .filter(experiments::org_id.eq(org))
        .filter(experiments::experiment_id.eq(id.as_str()))
        .select(ExperimentRow::as_select())
        .first(conn)
        .optional()
}

pub(super) fn active(conn: &mut AnyConnection, org: &str) -> QueryResult<Option<ExperimentRow>> {
    experiments::table
        .filter(experiments::org_id.eq(org))
        .filter(experiments::ended_at.is_null())
        .select(ExperimentRow::as_select())
        .first(conn)
        .optional()
}

impl ExperimentReader for Database {
    fn find(&self, org: &OrgId, id: &ExperimentId) -> Result<Option<Experiment>, StoreError> {
        self.read(|conn| by_id(conn, org.as_str(), id))?.map(Experiment::try_from).transpose()
    }

    fn list(&self, org: &OrgId) -> Result<Vec<Experiment>, StoreError> {
        self.read(|conn| newest_first(conn, org.as_str()))?.into_iter().map(Experiment::try_from).collect()
    }
}
