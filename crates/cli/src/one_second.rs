//! What was read a moment ago, for at most one second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Half of the second in which every server must have seen a change; the rest is for the store's own answer.
const FRESH: Duration = Duration::from_millis(500);
/// So many answers are kept at most.
const MOST_KEPT: usize = 10_000;

/// Remembers answers for one second, so that hot paths do not ask the store for what hardly ever changes.
#[derive(Debug)]
pub(crate) struct OneSecond<K, V> {
    kept: Mutex<HashMap<K, (Instant, V)>>,
}

impl<K: Eq + Hash + Clone, V: Clone> OneSecond<K, V> {
    pub(crate) fn new() -> Self {
        Self { kept: Mutex::new(HashMap::new()) }
    }

    /// The fresh answer, or the one that `ask` gives now; a failure is not remembered.
    pub(crate) fn get<E>(&self, key: &K, ask: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        self.get_at(Instant::now(), key, ask)
    }

    fn get_at<E>(&self, now: Instant, key: &K, ask: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if let Some((asked_at, answer)) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(key)
            && now.saturating_duration_since(*asked_at) < FRESH
        {
            return Ok(answer.clone());
        }
        // The age of an answer counts from before the question: it cannot be older than it looks.
        let asked_at = now;
        let answer = ask()?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key.clone(), (asked_at, answer.clone()));
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_asked_for_once_while_it_is_fresh() {
        let cache = OneSecond::new();

        let first: Result<u32, ()> = cache.get(&"key", || Ok(1));
        let second: Result<u32, ()> = cache.get(&"key", || Ok(2));
        let other: Result<u32, ()> = cache.get(&"other", || Ok(3));

        assert_eq!((first, second, other), (Ok(1), Ok(1), Ok(3)));
    }

    #[test]
    fn a_change_is_seen_within_a_second() {
        let cache = OneSecond::new();
        let now = Instant::now();

        let before: Result<u32, ()> = cache.get_at(now, &"key", || Ok(1));
        let after: Result<u32, ()> = cache.get_at(now + Duration::from_secs(1), &"key", || Ok(2));

        assert_eq!((before, after), (Ok(1), Ok(2)));
    }

    #[test]
    fn a_failure_is_not_remembered() {
        let cache: OneSecond<&str, u32> = OneSecond::new();

        assert_eq!(cache.get(&"key", || Err("down")), Err("down"));
        assert_eq!(cache.get(&"key", || Ok::<_, &str>(2)), Ok(2));
    }
}
