//! Which arm a user belongs to: a pure function of the organization, the experiment and the user.

use kernel::{ExperimentId, OrgId, UserId};
use sha2::{Digest, Sha256};

use crate::{Experiment, HoldoutPercentage};

/// Begins every key, so that another rule that hashes the same names draws independently of this one.
const RULE: &str = "retrieval-ab:v1";

/// The two arms of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arm {
    /// Searches retrieve what was learned.
    Treatment,
    /// Searches succeed and find nothing.
    Holdout,
}

impl Arm {
    /// The arm's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Treatment => "treatment",
            Self::Holdout => "holdout",
        }
    }

    /// The arm of this name, if there is one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "treatment" => Some(Self::Treatment),
            "holdout" => Some(Self::Holdout),
            _ => None,
        }
    }
}

impl Experiment {
    /// The arm of a user: the same on every server, today and for ever.
    #[must_use]
    pub fn arm_of(&self, org: &OrgId, user: &UserId) -> Arm {
        assign(org, &self.id, user, self.holdout)
    }
}

/// The arm of a user in an experiment that holds out this share.
#[must_use]
pub fn assign(org: &OrgId, experiment: &ExperimentId, user: &UserId, holdout: HoldoutPercentage) -> Arm {
    if fraction(org, experiment, user) < holdout.fraction() { Arm::Holdout } else { Arm::Treatment }
}

/// Where the user falls between 0 and 1: the SHA-256 digest of the names, as a number, over 2^256.
///
/// The names hold no NUL, so joining them by NUL keeps different names different.
#[must_use]
pub fn fraction(org: &OrgId, experiment: &ExperimentId, user: &UserId) -> f64 {
    let key = [RULE, org.as_str(), experiment.as_str(), user.as_str()].join("\0");
    unit_fraction(Sha256::digest(key.as_bytes()).into())
}

/// A 256-bit big-endian integer over 2^256, correctly rounded (half to even).
fn unit_fraction(digest: [u8; 32]) -> f64 {
    let (high, low) = digest.split_at(16);
    let word = |half: &[u8]| half.iter().fold(0_u128, |word, byte| (word << 8) | u128::from(*byte));
    normalized_fraction(word(high), word(low))
}

/// `(high·2^128 + low) / 2^256`, correctly rounded (half to even).
fn normalized_fraction(high: u128, low: u128) -> f64 {
    let (leading_zeros, high, low) = match (high, low) {
        (0, 0) => return 0.0,
        (0, low) => (128 + low.leading_zeros(), low << low.leading_zeros(), 0),
        (high, low) => match high.leading_zeros() {
            0 => (0, high, low),
            shift => (shift, (high << shift) | (low >> (128 - shift)), low << shift),
        },
    };
    // `high` now begins with a one: 53 bits are the significand, the next decides, the rest breaks the tie.
    let [significand, round] = [high >> 75, (high >> 74) & 1];
    let sticky = high & ((1 << 74) - 1) != 0 || low != 0;
    let up = u64::from(round == 1 && (sticky || significand & 1 == 1));
    let stored = u64::try_from(significand & ((1 << 52) - 1)).unwrap_or_default();
    // Adding the carry to the bits moves into the next power of two by itself when every bit is set.
    f64::from_bits(((1022 - u64::from(leading_zeros)) << 52) + stored + up)
}

#[cfg(test)]
mod tests;
