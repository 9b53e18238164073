//! Everything governance changes, inside one transaction.

use ::governance::{AuditTx, BarrierTx, ErasureTx, GovernanceTx, LedgerTx, PurgeTx};
use kernel::StoreError;

use crate::backend;
use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn GovernanceTx);

impl GovernanceTx for OrgTx {
    fn take_away(&mut self) -> Result<(), StoreError> {
        self.query(|conn, _| backend::stay_out_of_races(conn))
    }

    fn purges(&mut self) -> &mut dyn PurgeTx {
        self
    }

    fn barriers(&mut self) -> &mut dyn BarrierTx {
        self
    }

    fn rows(&mut self) -> &mut dyn ErasureTx {
        self
    }

    fn ledgers(&mut self) -> &mut dyn LedgerTx {
        self
    }

    fn audit(&mut self) -> &mut dyn AuditTx {
        self
    }
}
