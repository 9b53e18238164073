//! Readers who ask the same while somebody reads it share the next read.
//!
//! A crowd that opens one page at once, or a fleet of agents that polls one list, then costs one query at a time instead of one each.
//! Nobody gets an old answer: a read is shared only by those who asked before it began.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::blocking;
use crate::problem::Problem;

type Answer<T> = Result<Arc<T>, Problem>;
type Followers<K, T> = Vec<oneshot::Sender<Turn<K, T>>>;
type Lines<K, T> = Arc<Mutex<HashMap<K, Line<K, T>>>>;

/// The reads of one kind; the key MUST hold everything that the answer depends on, the organization first.
pub(crate) struct SharedReads<K: Hash + Eq + Clone, T> {
    /// For each key that is being read, those who wait.
    lines: Lines<K, T>,
    /// Whether a read only looks a few rows up.
    are_short: bool,
}

/// Those who wait for one key while somebody has its lead.
struct Line<K: Hash + Eq + Clone, T> {
    /// Which lead it is; a read whose leader has gone must not act for the next one.
    lead: u64,
    /// They asked before the read began, and get its answer.
    sharing: Followers<K, T>,
    /// They asked after it began, or it has not begun.
    waiting: Followers<K, T>,
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
    number: u64,
}

impl<K: Hash + Eq + Clone, T> Default for SharedReads<K, T> {
    fn default() -> Self {
        Self { lines: Lines::default(), are_short: false }
    }
}

impl<K: Hash + Eq + Clone, T> SharedReads<K, T> {
    /// Reads that only look a few rows up, each.
    pub(crate) fn short() -> Self {
        Self { are_short: true, ..Self::default() }
    }
}

impl<K, T> SharedReads<K, T>
where
    K: Hash + Eq + Clone + Send + 'static,
    T: Send + Sync + 'static,
{
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
        let begin = lead.beginning();
        let read = move || {
            begin();
            rule()
        };
        let answer =
            if self.are_short { blocking::short_call(read).await } else { blocking::call(read).await };
        let answer = answer.map(Arc::new);
        lead.tell(&answer);
        answer
    }

    /// Leads if nobody reads the key; waits for a turn otherwise.
    fn enter(&self, key: K) -> Result<Lead<K, T>, oneshot::Receiver<Turn<K, T>>> {
        let mut lines = locked(&self.lines);
        if let Some(line) = lines.get_mut(&key) {
            let (sender, turn) = oneshot::channel();
            line.waiting.push(sender);
            return Err(turn);
        }
        let number = next_lead();
        lines.insert(key.clone(), Line { lead: number, sharing: Vec::new(), waiting: Vec::new() });
        Ok(Lead { lines: Arc::clone(&self.lines), key, number })
    }
}

impl<K: Hash + Eq + Clone, T> Lead<K, T> {
    /// To be called when the read begins: all who have asked by then share it.
    fn beginning(&self) -> impl FnOnce() + use<K, T> {
        let (lines, key, number) = (Arc::clone(&self.lines), self.key.clone(), self.number);
        move || {
            if let Some(line) = locked(&lines).get_mut(&key).filter(|line| line.lead == number) {
                line.sharing.append(&mut line.waiting);
            }
        }
    }

    fn tell(self, answer: &Answer<T>) {
        let sharing = match locked(&self.lines).get_mut(&self.key) {
            Some(line) => std::mem::take(&mut line.sharing),
            None => Vec::new(),
        };
        for follower in sharing {
            // Who no longer listens needs no answer.
            let _ = follower.send(Turn::Told(answer.clone()));
        }
    }

    /// The next in line and their lead; nobody when nobody is left.
    fn successor(&self) -> Option<(oneshot::Sender<Turn<K, T>>, Self)> {
        let mut lines = locked(&self.lines);
        let line = lines.get_mut(&self.key)?;
        // Those who were to share a read that came to nothing go first.
        let mut left = std::mem::take(&mut line.sharing);
        left.append(&mut line.waiting);
        left.retain(|follower| !follower.is_closed());
        if left.is_empty() {
            lines.remove(&self.key);
            return None;
        }
        let first = left.swap_remove(0);
        line.waiting = left;
        line.lead = next_lead();
        let lead = Self { lines: Arc::clone(&self.lines), key: self.key.clone(), number: line.lead };
        Some((first, lead))
    }
}

impl<K: Hash + Eq + Clone, T> Drop for Lead<K, T> {
    fn drop(&mut self) {
        if let Some((first, lead)) = self.successor() {
            // One who has gone meanwhile gives the lead back, which drops it here and so passes it on.
            drop(first.send(Turn::Lead(lead)));
        }
    }
}

/// A number that no other lead has had.
fn next_lead() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn locked<K, T>(lines: &Mutex<HashMap<K, T>>) -> MutexGuard<'_, HashMap<K, T>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
