//! How much was deleted, target by target, kept beside the deletes so that a crash changes no count.

use std::collections::{BTreeMap, BTreeSet};

use crate::Target;

/// An organization-owned agent playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentPlaybookId(pub i64);

/// Rows per target; every target is there, with zero when there was nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(BTreeMap<Target, u64>);

impl Counts {
    /// Nothing of anything.
    #[must_use]
    pub fn zero() -> Self {
        Self(Target::ALL.into_iter().map(|target| (target, 0)).collect())
    }

    /// Adds rows of a target.
    pub fn add(&mut self, target: Target, rows: u64) {
        let count = self.0.entry(target).or_default();
        *count = count.saturating_add(rows);
    }

    /// The rows of a target.
    #[must_use]
    pub fn get(&self, target: Target) -> u64 {
        self.0.get(&target).copied().unwrap_or_default()
    }

    /// Every target with its rows, in declared order.
    pub fn iter(&self) -> impl Iterator<Item = (Target, u64)> {
        self.0.iter().map(|(target, rows)| (*target, *rows))
    }

    /// All rows together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().fold(0, |sum, rows| sum.saturating_add(*rows))
    }
}

/// What one purge has deleted and unlinked so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// Rows deleted, for each target that the work has reached.
    pub recorded: BTreeMap<Target, u64>,
    /// Agent playbooks that lost a link to the user's playbooks.
    pub unlinked: BTreeSet<AgentPlaybookId>,
}

impl Ledger {
    /// The first target that the work never reached, if any.
    #[must_use]
    pub fn missing(&self) -> Option<Target> {
        Target::ALL.into_iter().find(|target| !self.recorded.contains_key(target))
    }

    /// Rows deleted of every target.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::zero();
        for (target, rows) in &self.recorded {
            counts.add(*target, *rows);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_name_every_target_in_declared_order() {
        let names: Vec<_> = Counts::zero().iter().map(|(target, _)| target).collect();

        assert_eq!(names, Target::ALL);
    }

    #[test]
    fn a_ledger_is_complete_when_every_target_was_reached_even_with_zero_rows() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.missing(), Some(Target::Profiles));

        ledger.recorded = Target::ALL.into_iter().map(|target| (target, 0)).collect();
        assert_eq!(ledger.missing(), None);

        ledger.recorded.remove(&Target::PartnerScores);
        assert_eq!(ledger.missing(), Some(Target::PartnerScores));
    }

    #[test]
    fn counts_follow_the_ledger() {
        let ledger = Ledger { recorded: [(Target::Interactions, 7)].into(), ..Ledger::default() };

        assert_eq!(ledger.counts().get(Target::Interactions), 7);
        assert_eq!(ledger.counts().total(), 7);
    }
}
