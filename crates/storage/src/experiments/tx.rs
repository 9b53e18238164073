//! Experiments inside a transaction.

use ::experiments::{Experiment, ExperimentTx};
use diesel::prelude::*;
use kernel::{ExperimentId, StoreError, Timestamp};

use super::rows::NewExperiment;
use crate::schema::experiments;
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn ExperimentTx);

impl ExperimentTx for OrgTx {
    fn active(&mut self) -> Result<Option<Experiment>, StoreError> {
        self.query(super::reader::active)?.map(Experiment::try_from).transpose()
    }

    fn find(&mut self, id: &ExperimentId) -> Result<Option<Experiment>, StoreError> {
        self.query(|conn, org| super::reader::by_id(conn, org, id))?.map(Experiment::try_from).transpose()
    }

    fn insert(&mut self, experiment: &Experiment) -> Result<(), StoreError> {
        self.query(|conn, org| {
            diesel::insert_into(experiments::table).values(NewExperiment::of(org, experiment)).execute(conn)
        })?;
        Ok(())
    }

    fn end(&mut self, id: &ExperimentId, ended_at: Timestamp) -> Result<bool, StoreError> {
        let ended = self.query(|conn, org| {
            let active = experiments::table
                .filter(experiments::org_id.eq(org))
                .filter(experiments::experiment_id.eq(id.as_str()))
                .filter(experiments::ended_at.is_null());
            diesel::update(active).set(experiments::ended_at.eq(ended_at.seconds())).execute(conn)
        })?;
        Ok(ended == 1)
    }

    fn list(&mut self) -> Result<Vec<Experiment>, StoreError> {
        self.query(super::reader::newest_first)?.into_iter().map(Experiment::try_from).collect()
    }
}
