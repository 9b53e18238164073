//! All who write to one database agree on its secrets first.
//!
//! A barrier is known by a reference alone. A server that lacks the secret behind it does not see the barrier, and would let
//! an erased user write again; so whoever lacks a secret that references may have been made with does not begin.

use std::sync::Arc;

use kernel::StoreError;

use crate::{KeyCheck, KeyRing};

/// Why a key ring cannot be used on a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// References of this database were made with a secret that the ring lacks.
    #[error(
        "lacks a secret that references of this database were made with, so erasures under it would go unseen; \
         give every server the same secrets, the missing one behind the newest"
    )]
    SecretMissing,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps what tells secrets apart.
pub trait KeyLedger: Send + Sync {
    /// Shows the secrets that references may have been made with, and remembers the one that `decide` answers, if any.
    ///
    /// MUST let one server at a time decide, and MUST show it what was decided before.
    fn examine(
        &self,
        decide: &mut (dyn for<'a> FnMut(&'a [KeyCheck]) -> Option<KeyCheck> + '_),
    ) -> Result<(), StoreError>;
}

/// Agrees on the secrets of a database.
#[derive(Clone)]
pub struct AgreeOnKeys {
    ledger: Arc<dyn KeyLedger>,
    ring: Arc<KeyRing>,
}

impl AgreeOnKeys {
    /// Compares this ring with what the ledger holds.
    #[must_use]
    pub const fn new(ledger: Arc<dyn KeyLedger>, ring: Arc<KeyRing>) -> Self {
        Self { ledger, ring }
    }

    /// Refuses a ring that lacks a secret of the database; remembers the newest, which new references use.
    ///
    /// # Errors
    /// When a secret is missing, or the store failed.
    pub fn agree(&self) -> Result<(), Disagreement> {
        let own = self.ring.checks();
        let mut is_missing = false;
        self.ledger.examine(&mut |known| {
            is_missing = known.iter().any(|check| !own.contains(check));
            own.first().filter(|newest| !is_missing && !known.contains(newest)).cloned()
        })?;
        if is_missing { Err(Disagreement::SecretMissing) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const OLD: &str = "an old secret of at least 32 characters";
    const NEW: &str = "a new secret of at least 32 characters!";

    fn check(secret: &str) -> KeyCheck {
        KeyRing::new(&[secret]).unwrap().checks().remove(0)
    }

    /// What a database knows, and what it was told to remember. A mock cannot be handed a closure.
    struct Ledger {
        known: Vec<KeyCheck>,
        remembered: Mutex<Option<KeyCheck>>,
    }

    impl KeyLedger for Ledger {
        fn examine(
            &self,
            decide: &mut (dyn for<'a> FnMut(&'a [KeyCheck]) -> Option<KeyCheck> + '_),
        ) -> Result<(), StoreError> {
            *self.remembered.lock().unwrap() = decide(&self.known);
            Ok(())
        }
    }

    /// What comes of this ring on a database that knows these secrets, and what is remembered.
    fn agree(known: &[&str], secrets: &[&str]) -> (Result<(), Disagreement>, Option<KeyCheck>) {
        let known = known.iter().map(|secret| check(secret)).collect();
        let ledger = Arc::new(Ledger { known, remembered: Mutex::new(None) });
        let ring = Arc::new(KeyRing::new(secrets).unwrap());
        let agreed = AgreeOnKeys::new(ledger.clone(), ring).agree();
        let remembered = ledger.remembered.lock().unwrap().clone();
        (agreed, remembered)
    }

    #[test]
    fn the_first_secret_of_a_new_database_is_remembered() {
        assert_eq!(agree(&[], &[OLD]), (Ok(()), Some(check(OLD))));
    }

    #[test]
    fn a_ring_with_all_known_secrets_agrees_and_its_new_first_one_is_remembered() {
        assert_eq!(agree(&[OLD], &[OLD]), (Ok(()), None));
        assert_eq!(agree(&[OLD], &[NEW, OLD]), (Ok(()), Some(check(NEW))));
        assert_eq!(agree(&[OLD, NEW], &[OLD, NEW]), (Ok(()), None));
    }

    #[test]
    fn a_secret_that_waits_behind_another_is_not_remembered_yet() {
        assert_eq!(agree(&[OLD], &[OLD, NEW]), (Ok(()), None));
    }

    #[test]
    fn a_ring_that_lacks_a_known_secret_is_refused_and_leaves_nothing() {
        assert_eq!(agree(&[OLD], &[NEW]), (Err(Disagreement::SecretMissing), None));
        assert_eq!(agree(&[OLD, NEW], &[OLD]), (Err(Disagreement::SecretMissing), None));
    }
}
