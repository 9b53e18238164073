//! Calling a rule, which blocks, from a handler, which must not.

use actix_web::web;

use crate::problem::Problem;

/// Runs a rule on the blocking pool and turns what it refuses into a problem.
pub(crate) async fn call<T, E>(rule: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Send + 'static,
    Problem: From<E>,
{
    match web::block(rule).await {
        Ok(answer) => answer.map_err(Problem::from),
        Err(_) => Err(Problem::internal()),
    }
}
