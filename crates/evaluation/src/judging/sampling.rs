//! Which sessions are judged: a pure function of names, the same on every server and after every restart.

use std::collections::BTreeMap;

use kernel::{OrgId, Source, Timestamp};
use sha2::{Digest, Sha256};

use super::job::JobId;
use crate::counting::number;
use crate::{Bucket, SessionKey};

/// 2^64 as a number to calculate with; exact.
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// A share of sessions, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct SamplingRate(f64);

/// A share that is less than nothing, more than all, or not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be between 0 and 1")]
pub struct RateOutOfRange;

impl SamplingRate {
    /// Checks a share.
    ///
    /// # Errors
    /// When it is not between 0 and 1.
    pub fn new(rate: f64) -> Result<Self, RateOutOfRange> {
        if (0.0..=1.0).contains(&rate) { Ok(Self(rate)) } else { Err(RateOutOfRange) }
    }

    /// Whether a session falls into the share. A session in a share is in every larger one.
    #[must_use]
    pub fn includes(self, org: &OrgId, session: &SessionKey) -> bool {
        // A fraction can round up to 1, and everything means everything.
        self.0 >= 1.0 || fraction(org, session) < self.0
    }
}

/// Where the session falls between 0 and 1: the first 8 bytes of the names' SHA-256 over 2^64.
///
/// The names hold no NUL, so joining them by NUL keeps different names different.
#[must_use]
pub fn fraction(org: &OrgId, session: &SessionKey) -> f64 {
    let digest = digest([org.as_str(), session.user_id.as_str(), session.session_id.as_str()]);
    number(digest.iter().take(8).fold(0_u64, |word, byte| (word << 8) | u64::from(*byte))) / TWO_TO_64
}

fn digest(names: [&str; 3]) -> [u8; 32] {
    Sha256::digest(names.join("\0").as_bytes()).into()
}

/// A session that a replay could judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The session.
    pub session: SessionKey,
    /// When it began.
    pub began_at: Timestamp,
    /// Where it came from.
    pub source: Source,
}

/// What a sampler chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StratifiedSample {
    /// The sessions to judge, stratum by stratum.
    pub sessions: Vec<SessionKey>,
    /// How many there were to choose from.
    pub candidates: u64,
}

/// Chooses up to so many sessions of each (UTC day, source), by the job's id and the sessions' names alone.
///
/// Takes candidates one by one, in any order, and never holds more than it may choose.
#[derive(Debug)]
pub struct StratifiedSampler {
    job: JobId,
    per_stratum: usize,
    strata: BTreeMap<(Timestamp, Source), BTreeMap<[u8; 32], SessionKey>>,
    candidates: u64,
}

impl StratifiedSampler {
    /// A sampler for this job.
    #[must_use]
    pub const fn new(job: JobId, per_stratum: usize) -> Self {
        Self { job, per_stratum, strata: BTreeMap::new(), candidates: 0 }
    }

    /// Takes a candidate into account.
    pub fn offer(&mut self, candidate: Candidate) {
        self.candidates += 1;
        let Candidate { session, began_at, source } = candidate;
        let lot = digest([self.job.as_str(), session.user_id.as_str(), session.session_id.as_str()]);
        let stratum = self.strata.entry((Bucket::Day.start_of(began_at), source)).or_default();
        stratum.insert(lot, session);
        if stratum.len() > self.per_stratum {
            stratum.pop_last();
        }
    }

    /// What was chosen.
    #[must_use]
    pub fn finish(self) -> StratifiedSample {
        let sessions = self.strata.into_values().flat_map(BTreeMap::into_values).collect();
        StratifiedSample { sessions, candidates: self.candidates }
    }
}

#[cfg(test)]
mod tests;
