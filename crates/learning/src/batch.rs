//! How much a caller may hand in at once, and what of it is worth keeping.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use kernel::Timestamp;

use crate::time::stated_or;
use crate::{Interaction, LearningError, NewInteraction};

/// The most entries of any list that is handed in at once.
pub const LARGEST_BATCH: usize = 1000;

/// The most retrieved learnings that one request may declare.
pub const MOST_RETRIEVED_LEARNINGS: usize = 1000;
/// The most citations in one request.
pub const MOST_CITATIONS: usize = 1000;

/// How far ahead of ours a caller's clock may run.
const FUTURE_SECONDS: i64 = 24 * 60 * 60;

/// Checks that a list holds 1 to [`LARGEST_BATCH`] entries.
pub(crate) fn check_size<T>(entries: &[T]) -> Result<(), LearningError> {
    match entries.len() {
        0 => Err(LearningError::EmptyBatch),
        count if count > LARGEST_BATCH => Err(LearningError::BatchTooLarge { count, most: LARGEST_BATCH }),
        _ => Ok(()),
    }
}

/// Each value once, in the order of its first appearance.
pub(crate) fn distinct<'a, T: Clone + Eq + Hash + 'a>(values: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(*value)).cloned().collect()
}

/// Something that was left out of what the caller handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// The interaction at this place carries nothing and was dropped.
    Dropped {
        /// Its place in the batch, from 0.
        index: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dropped { index } => {
                write!(out, "interaction_data_list[{index}] carries nothing and was dropped")
            }
        }
    }
}

/// The interactions of one request that are worth keeping.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Each with the time it happened, in the order given; never empty.
    pub(crate) kept: Vec<(Timestamp, Interaction)>,
    /// What was left out.
    pub(crate) warnings: Vec<Warning>,
}

impl Batch {
    /// Takes what a caller handed in; an interaction that states no time happens now.
    pub(crate) fn take(given: Vec<NewInteraction>, now: Timestamp) -> Result<Self, LearningError> {
        check_size(&given)?;
        check_retrieved(&given)?;
        check_citations(&given)?;
        let mut batch = Self { kept: Vec::with_capacity(given.len()), warnings: Vec::new() };
        for (index, NewInteraction { created_at, body }) in given.into_iter().enumerate() {
            if body.carries_nothing() {
                batch.warnings.push(Warning::Dropped { index });
                continue;
            }
            let created_at = stated_or(now, created_at);
            if created_at > now.plus_seconds(FUTURE_SECONDS) {
                return Err(LearningError::InTheFuture { index });
            }
            batch.kept.push((created_at, body));
        }
        if batch.kept.is_empty() { Err(LearningError::NothingToKeep) } else { Ok(batch) }
    }

    /// The time of the request: the earliest of its interactions, so that history keeps its own times.
    pub(crate) fn time(&self, now: Timestamp) -> Timestamp {
        self.kept.iter().map(|(created_at, _)| *created_at).min().unwrap_or(now)
    }
}

fn check_retrieved(given: &[NewInteraction]) -> Result<(), LearningError> {
    let count = given.iter().map(|interaction| interaction.body.retrieved_learnings.len()).sum();
    if count > MOST_RETRIEVED_LEARNINGS {
        return Err(LearningError::TooManyRetrievedLearnings { count, most: MOST_RETRIEVED_LEARNINGS });
    }
    Ok(())
}

fn check_citations(given: &[NewInteraction]) -> Result<(), LearningError> {
    let count = given.iter().map(|interaction| interaction.body.citations.len()).sum();
    if count > MOST_CITATIONS {
        return Err(LearningError::TooManyCitations { count, most: MOST_CITATIONS });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Citation, EventTime, FreeText, LearningId, LearningKind, Remark, RetrievedLearning, Role};

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn said(text: &str) -> NewInteraction {
        let role = Role::new("user").unwrap();
        let body = Interaction { content: FreeText::new(text).unwrap(), ..Interaction::empty(role) };
        NewInteraction { created_at: None, body }
    }

    fn said_at(seconds: i64) -> NewInteraction {
        NewInteraction { created_at: Some(EventTime::new(seconds).unwrap()), ..said("hi") }
    }

    fn retrieving(count: usize) -> NewInteraction {
        let learning =
            RetrievedLearning { kind: LearningKind::Profile, learning_id: LearningId::new("p").unwrap() };
        let mut interaction = said("hi");
        interaction.body.retrieved_learnings = vec![learning; count];
        interaction
    }

    #[test]
    fn a_batch_holds_one_to_a_thousand_interactions() {
        assert!(Batch::take(vec![said("hi"); 1000], NOW).is_ok());
        assert_eq!(Batch::take(vec![], NOW).unwrap_err(), LearningError::EmptyBatch);
        assert_eq!(
            Batch::take(vec![said("hi"); 1001], NOW).unwrap_err(),
            LearningError::BatchTooLarge { count: 1001, most: 1000 }
        );
    }

    #[test]
    fn the_retrieved_learnings_of_a_whole_request_are_counted_together() {
        assert!(Batch::take(vec![retrieving(500), retrieving(500)], NOW).is_ok());
        assert_eq!(
            Batch::take(vec![retrieving(500), retrieving(501)], NOW).unwrap_err(),
            LearningError::TooManyRetrievedLearnings { count: 1001, most: 1000 }
        );
    }

    #[test]
    fn the_citations_of_a_whole_request_are_counted_together() {
        let citing = |count| {
            let (real_id, tag) = (LearningId::new("p").unwrap(), Remark::new("").unwrap());
            let citation = Citation { kind: LearningKind::Profile, real_id, tag, title: FreeText::default() };
            let mut interaction = said("hi");
            interaction.body.citations = vec![citation; count];
            interaction
        };

        assert!(Batch::take(vec![citing(500), citing(500)], NOW).is_ok());
        assert_eq!(
            Batch::take(vec![citing(500), citing(501)], NOW).unwrap_err(),
            LearningError::TooManyCitations { count: 1001, most: 1000 }
        );
    }

    #[test]
    fn an_interaction_that_carries_nothing_is_dropped_with_a_warning_that_names_its_index() {
        let batch = Batch::take(vec![said("a"), said(" "), said("b")], NOW).unwrap();

        assert_eq!(batch.kept.len(), 2);
        assert_eq!(batch.warnings, [Warning::Dropped { index: 1 }]);
        assert!(batch.warnings[0].to_string().contains("interaction_data_list[1]"));
    }

    #[test]
    fn a_batch_with_nothing_left_is_refused() {
        assert_eq!(Batch::take(vec![said(""), said(" ")], NOW).unwrap_err(), LearningError::NothingToKeep);
    }

    #[test]
    fn a_request_happens_with_its_earliest_interaction() {
        let batch = Batch::take(vec![said_at(30), said_at(10), said("now")], NOW).unwrap();

        assert_eq!(batch.time(NOW), Timestamp::from_seconds(10));
    }

    #[test]
    fn a_clock_may_run_a_day_ahead_and_no_more() {
        let tomorrow = NOW.seconds() + 86_400;

        assert!(Batch::take(vec![said_at(tomorrow)], NOW).is_ok());
        assert_eq!(
            Batch::take(vec![said("a"), said_at(tomorrow + 1)], NOW).unwrap_err(),
            LearningError::InTheFuture { index: 1 }
        );
    }
}
