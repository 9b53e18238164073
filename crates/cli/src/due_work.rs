//! Carrying out what is due in the queue: the server does so beside requests, batch commands do nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use evaluation::EvaluationError;
use evaluation::judging::{
    Claimed, Compared, EvaluateSession, Evaluated, Hold, Holder, JudgeShadowTurn, JudgingSettings, Lease,
    Replayed, RunRegeneration, SettleRegenerations, WorkId, WorkKind, WorkQueue, WorkSubject,
};
use kernel::{OrgId, StoreError};
use serde::Serialize;

/// How long a lease lasts: whoever was killed is missed after as many seconds.
const LEASE_SECONDS: i64 = 60;

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// It was judged, and the answer is kept.
    Judged,
    /// There was nothing to do: not sampled, not wanted, gone, or done by somebody else.
    Skipped,
    /// The judge failed, or the session changed; it is tried again.
    Retrying,
    /// The judge failed for good.
    Failed,
}

/// How many items came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Judged.
    pub judged: u64,
    /// Nothing to do.
    pub skipped: u64,
    /// To be tried again.
    pub retrying: u64,
    /// Laid aside.
    pub failed: u64,
}

impl Account {
    /// Enters an item.
    pub(crate) fn enter(&mut self, done: Done) {
        match done {
            Done::Judged => self.judged += 1,
            Done::Skipped => self.skipped += 1,
            Done::Retrying => self.retrying += 1,
            Done::Failed => self.failed += 1,
        }
    }
}

/// The use cases that carry out work, one for each kind.
pub(crate) struct Trades {
    pub(crate) evaluate: EvaluateSession,
    pub(crate) replay: RunRegeneration,
    pub(crate) compare: JudgeShadowTurn,
}

impl Trades {
    fn carry_out(&self, work: &Claimed) -> Result<Done, EvaluationError> {
        Ok(match work.item.subject {
            WorkSubject::Session => match self.evaluate.evaluate(work)? {
                Evaluated::Judged => Done::Judged,
                Evaluated::Retrying(_) => Done::Retrying,
                Evaluated::Buried(_) => Done::Failed,
                Evaluated::NotSampled
                | Evaluated::Gone
                | Evaluated::Dropped
                | Evaluated::Stale
                | Evaluated::LeaseLost => Done::Skipped,
            },
            WorkSubject::Turn(_) => match self.compare.compare(work)? {
                Compared::Judged => Done::Judged,
                Compared::Retrying(_) => Done::Retrying,
                Compared::Buried(_) => Done::Failed,
                Compared::NotWanted | Compared::Gone | Compared::Dropped | Compared::LeaseLost => {
                    Done::Skipped
                }
            },
            WorkSubject::Replay(_) => match self.replay.step(work)? {
                Replayed::Judged => Done::Judged,
                Replayed::Retrying => Done::Retrying,
                Replayed::Failed => Done::Failed,
                Replayed::NotWanted | Replayed::LeaseLost => Done::Skipped,
            },
        })
    }
}

/// Which work is taken on.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Of these kinds.
    pub(crate) kinds: &'static [WorkKind],
    /// Of this organization alone.
    pub(crate) only: Option<OrgId>,
}

/// Claims work, knows what is at hand, and keeps its leases alive.
pub(crate) struct DueWork {
    queue: Arc<dyn WorkQueue>,
    trades: Trades,
    settle: SettleRegenerations,
    settings: Arc<dyn JudgingSettings>,
    holder: Holder,
    scope: Scope,
    at_hand: Mutex<AtHand>,
}

#[derive(Default)]
struct AtHand {
    leases: BTreeMap<WorkId, (OrgId, Lease)>,
    /// Organizations that have work which is none of ours.
    others: BTreeSet<OrgId>,
}

impl DueWork {
    /// Takes work of this scope from this queue.
    pub(crate) fn new(
        queue: Arc<dyn WorkQueue>,
        trades: Trades,
        settle: SettleRegenerations,
        settings: Arc<dyn JudgingSettings>,
        holder: Holder,
        scope: Scope,
    ) -> Self {
        Self { queue, trades, settle, settings, holder, scope, at_hand: Mutex::default() }
    }

    fn at_hand(&self) -> MutexGuard<'_, AtHand> {
        self.at_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the item that is due longest, of an organization that may have one more in flight.
    pub(crate) fn next(&self) -> Result<Option<Claimed>, StoreError> {
        loop {
            let busy = self.busy()?;
            let claimed = self.queue.claim(self.scope.kinds, &busy, &self.holder, 1, LEASE_SECONDS)?;
            let Some(claimed) = claimed.into_iter().next() else { return Ok(None) };
            let org = &claimed.item.org;
            if self.scope.only.as_ref().is_some_and(|only| only != org) {
                self.at_hand().others.insert(org.clone());
                self.queue.release(org, &claimed.lease)?;
                continue;
            }
            self.at_hand().leases.insert(claimed.lease.work, (org.clone(), claimed.lease.clone()));
            return Ok(Some(claimed));
        }
    }

    /// The organizations that have as much in flight as they may.
    fn busy(&self) -> Result<Vec<OrgId>, StoreError> {
        let (mut in_flight, others) = {
            let at_hand = self.at_hand();
            let mut in_flight: BTreeMap<OrgId, u32> = BTreeMap::new();
            for (org, _) in at_hand.leases.values() {
                *in_flight.entry(org.clone()).or_default() += 1;
            }
            (in_flight, at_hand.others.clone())
        };
        let mut busy: Vec<_> = others.into_iter().collect();
        while let Some((org, calls)) = in_flight.pop_first() {
            if calls >= self.settings.judging(&org)?.concurrency_limit {
                busy.push(org);
            }
        }
        Ok(busy)
    }

    /// Carries out an item. When the store fails, the item stays under its lease and is claimed again afterwards.
    pub(crate) fn carry_out(&self, work: &Claimed) -> Result<Done, EvaluationError> {
        self.carry_out_by(&self.trades, work)
    }

    /// The same by somebody else's trades.
    pub(crate) fn carry_out_by(&self, trades: &Trades, work: &Claimed) -> Result<Done, EvaluationError> {
        let _laid_down = LaidDown { of: self, work: work.lease.work };
        trades.carry_out(work)
    }

    /// Ends replays whose last sessions went with their users.
    pub(crate) fn settle(&self) -> Result<u64, EvaluationError> {
        self.settle.settle()
    }

    fn leases(&self) -> Vec<(OrgId, Lease)> {
        self.at_hand().leases.values().cloned().collect()
    }

    /// Prolongs every lease at hand, also behind one that could not be. One that is lost is noticed by whoever works on it.
    pub(crate) fn heartbeat(&self) -> Result<(), StoreError> {
        each_of(&self.leases(), |org, lease| self.queue.heartbeat(org, lease, LEASE_SECONDS))
    }

    /// Gives everything at hand back, so that others can go on at once.
    pub(crate) fn release_all(&self) -> Result<(), StoreError> {
        each_of(&self.leases(), |org, lease| self.queue.release(org, lease))
    }
}

/// Does the same for each lease, also behind one for which it failed, and tells the first failure.
fn each_of(
    leases: &[(OrgId, Lease)],
    mut act: impl FnMut(&OrgId, &Lease) -> Result<Hold, StoreError>,
) -> Result<(), StoreError> {
    leases.iter().map(|(org, lease)| act(org, lease).map(drop)).fold(Ok(()), Result::and)
}

/// Lays an item down however its work ended: a lease that nobody works under must not be kept alive.
struct LaidDown<'a> {
    of: &'a DueWork,
    work: WorkId,
}

impl Drop for LaidDown<'_> {
    fn drop(&mut self) {
        self.of.at_hand().leases.remove(&self.work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_cannot_be_prolonged_costs_those_behind_it_nothing() {
        let lease = |work| (OrgId::new("acme").unwrap(), Lease { work: WorkId(work), fence: 1, revision: 1 });
        let mut prolonged = Vec::new();

        let told = each_of(&[lease(1), lease(2), lease(3)], |_, lease| {
            prolonged.push(lease.work);
            if lease.work == WorkId(2) { Err(StoreError::Contended) } else { Ok(Hold::Held) }
        });

        assert_eq!((told, prolonged), (Err(StoreError::Contended), vec![WorkId(1), WorkId(2), WorkId(3)]));
    }
}
