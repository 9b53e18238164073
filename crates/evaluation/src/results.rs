//! Reading agent-success results: page by page, or all of them in a stream.

use std::sync::Arc;

use kernel::{AgentVersion, OrgId, Period, SessionId, Source, UserId};

use crate::page::{Cursor, Page, PageLimit};
use crate::{EvaluationError, FailureType, KeptResult, ResultReader};

/// How a session came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed, by whatever.
    Failure,
    /// It failed by this.
    FailureBy(FailureType),
}

/// Whether a session was handed to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escalation {
    /// It was.
    Escalated,
    /// It was not.
    NotEscalated,
}

/// Which results to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultFilter {
    /// Only those of this version of the agent.
    pub agent_version: Option<AgentVersion>,
    /// Only those of this user.
    pub user_id: Option<UserId>,
    /// Only those of sessions of this id.
    pub session_id: Option<SessionId>,
    /// Only those of sessions from this source; the empty one stands for sessions that stated none.
    pub source: Option<Source>,
    /// Only those that came out like this.
    pub outcome: Option<Outcome>,
    /// Only those that were handed to a person, or only those that were not.
    pub escalation: Option<Escalation>,
    /// Only those whose session began in this period.
    pub period: Period,
}

/// Where a list of results goes on after this one.
const fn cursor_of(kept: &KeptResult) -> Cursor {
    Cursor { at: kept.result.created_at, id: kept.result.result_id }
}

/// Lists results.
#[derive(Clone)]
pub struct ListResults {
    reader: Arc<dyn ResultReader>,
}

impl ListResults {
    /// Lists results from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ResultReader>) -> Self {
        Self { reader }
    }

    /// One page of results, newest first by the session's start and then by number.
    ///
    /// # Errors
    /// When the store failed.
    pub fn list(
        &self,
        org: &OrgId,
        filter: &ResultFilter,
        after: Option<Cursor>,
        limit: PageLimit,
    ) -> Result<Page<KeptResult>, EvaluationError> {
        let rows = self.reader.results(org, filter, after, limit.one_more())?;
        Ok(Page::cut(rows, limit, cursor_of))
    }
}

/// Streams all results of a filter.
#[derive(Clone)]
pub struct StreamResults {
    pages: ListResults,
}

impl StreamResults {
    /// Streams results from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn ResultReader>) -> Self {
        Self { pages: ListResults::new(reader) }
    }

    /// Hands over every result, newest first, a page at a time: no more than a page is ever held.
    ///
    /// Ends early with the receiver's own error, for instance when nobody listens any more.
    ///
    /// # Errors
    /// When the store failed, or the receiver refused a page.
    pub fn stream<E: From<EvaluationError>>(
        &self,
        org: &OrgId,
        filter: &ResultFilter,
        mut receive: impl FnMut(Vec<KeptResult>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = None;
        loop {
            let page = self.pages.list(org, filter, after, PageLimit::LARGEST)?;
            if !page.items.is_empty() {
                receive(page.items)?;
            }
            if page.next.is_none() {
                return Ok(());
            }
            after = page.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::StoreError;
    use mockall::Sequence;
    use mockall::predicate::{always, eq};

    use super::*;
    use crate::ports::MockResultReader;
    use crate::samples::{at, numbered_results, org};

    /// A reader that holds this many results, numbered downwards, and answers by the rules of its port.
    fn holding(count: i64) -> MockResultReader {
        let mut reader = MockResultReader::new();
        reader.expect_results().returning(move |_, _, after, limit| {
            let rest = numbered_results(count).into_iter().filter(|row| {
                after.is_none_or(|last| last.precedes(row.result.created_at, row.result.result_id))
            });
            Ok(rest.take(usize::try_from(limit).unwrap()).collect())
        });
        reader
    }

    fn streamed(reader: MockResultReader) -> Vec<i64> {
        let mut seen = Vec::new();
        StreamResults::new(Arc::new(reader))
            .stream(&org(), &ResultFilter::default(), |page| {
                seen.extend(page.iter().map(|row| row.result.result_id));
                Ok::<(), EvaluationError>(())
            })
            .unwrap();
        seen
    }

    #[test]
    fn a_page_goes_on_after_its_last_result() {
        let list = ListResults::new(Arc::new(holding(5)));
        let limit = PageLimit::new(2).unwrap();

        let first = list.list(&org(), &ResultFilter::default(), None, limit).unwrap();
        let second = list.list(&org(), &ResultFilter::default(), first.next, limit).unwrap();

        assert_eq!(first.items.iter().map(|row| row.result.result_id).collect::<Vec<_>>(), [5, 4]);
        assert_eq!(second.items.iter().map(|row| row.result.result_id).collect::<Vec<_>>(), [3, 2]);
    }

    #[test]
    fn the_store_is_asked_for_one_row_more_than_the_page_holds() {
        let mut reader = MockResultReader::new();
        let mut order = Sequence::new();
        let rows = numbered_results(101);
        reader
            .expect_results()
            .with(always(), always(), eq(None), eq(101))
            .times(1)
            .in_sequence(&mut order)
            .return_once(move |_, _, _, _| Ok(rows));

        let page = ListResults::new(Arc::new(reader))
            .list(&org(), &ResultFilter::default(), None, PageLimit::default())
            .unwrap();

        assert_eq!(page.items.len(), 100);
        assert_eq!(page.next, Some(Cursor { at: at(2), id: 2 }));
    }

    #[test]
    fn a_stream_hands_over_every_result_once_and_in_order() {
        for count in [0, 1, 999, 1_000, 1_001, 2_500] {
            assert_eq!(streamed(holding(count)), (1..=count).rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_stream_ends_when_its_receiver_refuses() {
        #[derive(Debug, PartialEq)]
        struct Gone;
        impl From<EvaluationError> for Gone {
            fn from(_: EvaluationError) -> Self {
                Self
            }
        }
        let mut pages = 0;

        let ended =
            StreamResults::new(Arc::new(holding(5_000))).stream(&org(), &ResultFilter::default(), |_| {
                pages += 1;
                Err(Gone)
            });

        assert_eq!((ended, pages), (Err(Gone), 1));
    }

    #[test]
    fn a_store_that_is_away_is_an_error_and_not_an_empty_page() {
        let mut reader = MockResultReader::new();
        reader.expect_results().return_once(|_, _, _, _| Err(StoreError::Unavailable("down".to_owned())));

        let page = ListResults::new(Arc::new(reader)).list(
            &org(),
            &ResultFilter::default(),
            None,
            PageLimit::default(),
        );

        assert_eq!(page, Err(StoreError::Unavailable("down".to_owned()).into()));
    }
}
