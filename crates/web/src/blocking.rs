//! Calling a rule, which blocks, from a handler, which must not.

mod lane;

use actix_web::web;
use kernel::StoreError;

use crate::problem::Problem;
use lane::{Lane, Lost};

/// The same work, with what it logs told as part of the request at hand, whatever thread it runs on.
pub(crate) fn within_span<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let span = tracing::Span::current();
    move || span.in_scope(work)
}

/// Runs a rule on the blocking pool and turns what it refuses into a problem.
pub(crate) async fn call<T, E>(rule: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Send + 'static,
    Problem: From<E>,
{
    match web::block(within_span(rule)).await {
        Ok(answer) => answer.map_err(Problem::from),
        Err(_) => Err(Problem::internal()),
    }
}

/// Runs a rule that only looks a few rows up; many such calls share a way to the blocking pool and back.
pub(crate) async fn short_call<T, E>(
    rule: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Send + 'static,
    Problem: From<E>,
{
    match Lane::of_this_thread().call(within_span(rule)).await {
        Ok(answer) => answer.map_err(Problem::from),
        Err(Lost::Panicked) => Err(Problem::internal()),
        Err(Lost::Late) => {
            Err(StoreError::Unavailable("too many wait for the database already".to_owned()).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_runs_later_is_told_as_part_of_the_request_that_asked_for_it() {
        tracing::subscriber::with_default(tracing_subscriber::registry(), || {
            let request = tracing::info_span!("request");
            let work = request.in_scope(|| within_span(|| tracing::Span::current().id()));

            assert!(tracing::Span::current().is_none());
            assert_eq!(work(), request.id());
        });
    }
}
