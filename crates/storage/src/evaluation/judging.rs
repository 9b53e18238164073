//! Judging in the database: the queue, the runs, the replays, and the sessions as a judge reads them.

mod candidates;
mod claims;
mod job_rows;
mod jobs;
mod learnings;
mod queue;
mod replays;
mod runs;
mod sessions;
mod turns;
mod work;

use ::evaluation::judging::{JobTx, JudgingTx, RunTx, WorkTx};
use ::evaluation::{ResultTx, VerdictTx};

use crate::transaction::{OrgTx, unit_of_work};

unit_of_work!(dyn JudgingTx);

impl JudgingTx for OrgTx {
    fn results(&mut self) -> &mut dyn ResultTx {
        self
    }

    fn verdicts(&mut self) -> &mut dyn VerdictTx {
        self
    }

    fn runs(&mut self) -> &mut dyn RunTx {
        self
    }

    fn work(&mut self) -> &mut dyn WorkTx {
        self
    }

    fn jobs(&mut self) -> &mut dyn JobTx {
        self
    }
}
