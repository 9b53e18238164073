//! Readers who ask the same while somebody reads it share the next read.
//!
//! A crowd that opens one page at once, or a fleet of agents that polls one list, then costs one query at a time instead of one each.
//! Nobody gets an old answer: a read is shared only by those who asked before it began.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::blocking;
use crate::problem::Problem;

type Answer<T> = Result<Arc<T>, Problem>;
type Followers<K, T> = Vec<oneshot::Sender<Turn<K, T>>>;
type Lines<K, T> = Arc<Mutex<HashMap<K, Followers<K, T>>>>;

/// The reads of one kind; the key MUST hold everything that the answer depends on, the organization first.
pub(crate) struct SharedReads<K: Hash + Eq + Clone, T> {
    /// For each key that is being read, those who wait for the next read of it.
    lines: Lines<K, T>,
}

/// What becomes of one who waited.
enum Turn<K: Hash + Eq + Clone, T> {
    Lead(Lead<K, T>),
    Told(Answer<T>),
}

/// The right to read one key, and the duty to tell those who share the read; dropped, it goes to the next in line.
struct Lead<K: Hash + Eq + Clone, T> {
    lines: Lines<K, T>,
    key: K,
    followers: Followers<K, T>,
}

impl<K: Hash + Eq + Clone, T> Default for SharedReads<K, T> {
    fn default() -> Self {
        Self { lines: Lines::default() }
    }
}

impl<K: Hash + Eq + Clone, T: Send + Sync + 'static> SharedReads<K, T> {
    /// What `rule` answers, in a call that begins after this one and may be another asker's.
    pub(crate) async fn read<E>(
        &self,
        key: K,
        rule: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Answer<T>
    where
        E: Send + 'static,
        Problem: From<E>,
    {
        let lead = match self.enter(key) {
            Ok(lead) => lead,
            Err(turn) => match turn.await {
                Ok(Turn::Lead(lead)) => lead,
                Ok(Turn::Told(answer)) => return answer,
                Err(_) => return Err(Problem::internal()),
            },
        };
        let answer = blocking::call(rule).await.map(Arc::new);
        lead.tell(&answer);
        answer
    }

    /// Leads if nobody reads the key; waits for a turn otherwise.
    fn enter(&self, key: K) -> Result<Lead<K, T>, oneshot::Receiver<Turn<K, T>>> {
        let mut lines = locked(&self.lines);
        if let Some(waiting) = lines.get_mut(&key) {
            let (sender, turn) = oneshot::channel();
            waiting.push(sender);
            return Err(turn);
        }
        lines.insert(key.clone(), Vec::new());
        Ok(Lead { lines: Arc::clone(&self.lines), key, followers: Vec::new() })
    }
}

impl<K: Hash + Eq + Clone, T> Lead<K, T> {
    fn tell(mut self, answer: &Answer<T>) {
        for follower in std::mem::take(&mut self.followers) {
            // Who no longer listens needs no answer.
            let _ = follower.send(Turn::Told(answer.clone()));
        }
    }
}

impl<K: Hash + Eq + Clone, T> Drop for Lead<K, T> {
    fn drop(&mut self) {
        let mut followers = std::mem::take(&mut self.followers);
        {
            let mut lines = locked(&self.lines);
            if let Some(waiting) = lines.get_mut(&self.key) {
                followers.append(waiting);
            }
            followers.retain(|follower| !follower.is_closed());
            if followers.is_empty() {
                lines.remove(&self.key);
                return;
            }
        }
        let first = followers.swap_remove(0);
        let lead = Self { lines: Arc::clone(&self.lines), key: self.key.clone(), followers };
        // One who has gone meanwhile gives the lead back, which drops it here and so passes it on.
        drop(first.send(Turn::Lead(lead)));
    }
}

fn locked<K, T>(lines: &Mutex<HashMap<K, T>>) -> MutexGuard<'_, HashMap<K, T>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
