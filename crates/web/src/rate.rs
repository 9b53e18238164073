//! A share of requests for each credential.

use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use kernel::Caller;

use crate::problem::{Code, Problem};

/// Counts each credential's requests; bursts of one second's share pass.
pub(crate) struct RateLimit {
    limiter: Option<DefaultKeyedRateLimiter<String>>,
}

impl RateLimit {
    pub(crate) fn new(per_second: Option<NonZeroU32>) -> Self {
        Self { limiter: per_second.map(|share| RateLimiter::keyed(Quota::per_second(share))) }
    }

    /// Lets a request pass, or says when the next one will.
    pub(crate) fn admit(&self, caller: &Caller) -> Result<(), Problem> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        limiter.check_key(&caller.actor.as_str().to_owned()).map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            Problem::new(Code::RateLimited).retry_after(wait.as_secs() + 1)
        })
    }
}
